package dev.millrace.pipeline;

import dev.millrace.config.MetricsConfig;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.NamingConvention;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusNamingConvention;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The Prometheus registry of one pipeline, and what a scrape of it says.
///
/// Thread ownership: shared; scrapes take turns.
final class Scrape {
    /// What is Millrace's own has its unit in its name where it belongs there.
    private static final NamingConvention NAMES = new PrometheusNamingConvention() {
        @Override
        public String name(String name, Meter.Type type, @Nullable String baseUnit) {
            return super.name(name, type, name.startsWith("millrace.") ? null : baseUnit);
        }
    };

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private volatile @Nullable OtlpPush push;

    /// What is scraped, and pushed as well where the file says where to. `metrics` are asked to refresh before each
    /// push; null as long as there are none.
    MeterRegistry registry(String pipeline, MetricsConfig settings, Supplier<@Nullable PipelineMetrics> metrics) {
        var scraped = registry(pipeline);
        var target = settings.otlp();
        if (target == null) return scraped;
        var pushed = new OtlpPush(target.toString(), settings, () -> {
            var of = metrics.get();
            if (of != null) refresh(of);
        });
        pushed.config().commonTags("pipeline", pipeline);
        ProcessMetrics.register(pushed);
        push = pushed;
        return new CompositeMeterRegistry(Clock.SYSTEM, List.of(scraped, pushed));
    }

    /// What is scraped alone.
    MeterRegistry registry(String pipeline) {
        registry.config().namingConvention(NAMES);
        registry.config().commonTags("pipeline", pipeline);
        ProcessMetrics.register(registry);
        return registry;
    }

    private synchronized void refresh(PipelineMetrics metrics) {
        metrics.refresh();
    }

    /// Pushes for the last time, as long as that takes, and ends the push.
    void close() {
        var pushed = push;
        if (pushed != null) pushed.close();
    }

    synchronized AdminServer.Answer answer(PipelineMetrics metrics) {
        refresh(metrics);
        return new AdminServer.Answer(200, "text/plain; version=0.0.4; charset=utf-8", registry.scrape());
    }
}
