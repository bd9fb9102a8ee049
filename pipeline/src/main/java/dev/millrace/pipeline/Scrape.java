package dev.millrace.pipeline;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.NamingConvention;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusNamingConvention;
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

    MeterRegistry registry(String pipeline) {
        registry.config().namingConvention(NAMES);
        registry.config().commonTags("pipeline", pipeline);
        ProcessMetrics.register(registry);
        return registry;
    }

    synchronized AdminServer.Answer answer(PipelineMetrics metrics) {
        metrics.refresh();
        return new AdminServer.Answer(200, "text/plain; version=0.0.4; charset=utf-8", registry.scrape());
    }
}
