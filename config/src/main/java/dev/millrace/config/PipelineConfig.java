package dev.millrace.config;

import java.util.List;

/// One pipeline as its file describes it, defaults filled in: what one process runs.
///
/// `name` is 1 to 63 letters, digits, `_` or `-`; there is at least one sink that is not advisory, and
/// names of sinks are distinct. What `require` asks of a sink holds for those that are not advisory.
public record PipelineConfig(
        String name,
        SourceConfig source,
        FormatConfig format,
        RouteConfig route,
        Delivery delivery,
        RequiredLevel require,
        int tokenEpoch,
        List<SinkConfig> sinks,
        PoisonConfig poison,
        OnConfigChange onConfigChange,
        OnExpiredToken onExpiredToken,
        CheckpointConfig checkpoint,
        AdmissionConfig admission,
        DrainConfig drain,
        AdminConfig admin,
        MetricsConfig metrics,
        LoggingConfig logging) {
    public PipelineConfig {
        Require.matches("pipeline name", Names.isName(name), name);
        Require.atLeast("tokenEpoch", tokenEpoch, 1);
        sinks = List.copyOf(sinks);
        Require.atLeast(
                "acknowledged sinks",
                sinks.stream().filter(sink -> !sink.advisory()).count(),
                1);
        Require.atLeast(
                "distinct sink names",
                sinks.stream().map(SinkConfig::name).distinct().count(),
                sinks.size());
    }

    /// What is read from Kafka. Throws for a pipeline that reads nothing there.
    public KafkaSourceConfig kafka() {
        if (source instanceof KafkaSourceConfig kafka) return kafka;
        throw new IllegalStateException(name + " is not read from Kafka");
    }
}
