package dev.millrace.pipeline;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/// The Prometheus registry of one pipeline, and what a scrape of it says.
///
/// Thread ownership: shared; scrapes take turns.
final class Scrape {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    MeterRegistry registry(String pipeline) {
        registry.config().commonTags("pipeline", pipeline);
        ProcessMetrics.register(registry);
        return registry;
    }

    synchronized AdminServer.Answer answer(PipelineMetrics metrics) {
        metrics.refresh();
        return new AdminServer.Answer(200, "text/plain; version=0.0.4; charset=utf-8", registry.scrape());
    }
}
