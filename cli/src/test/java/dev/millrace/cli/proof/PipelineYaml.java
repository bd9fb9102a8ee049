package dev.millrace.cli.proof;

import dev.millrace.config.KafkaSourceConfig.GroupProtocol;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// A pipeline's file for a test: one topic, one PostgreSQL sink, everything quick.
///
/// Thread ownership: the test's thread.
final class PipelineYaml {
    private final int port;
    private final Map<String, String> source = new LinkedHashMap<>();
    private final Map<String, String> properties = new LinkedHashMap<>();
    private final Map<String, List<String>> shards;
    private final Map<String, String> sink = new LinkedHashMap<>();
    private final Map<String, String> drain = new LinkedHashMap<>();
    private String checkpoint = "{ interval: 200ms }";
    private String admission = "{}";
    private Duration drainTimeout = Duration.ofSeconds(10);
    private String delivery = "at_least_once";

    PipelineYaml(
            String bootstrapServers,
            String topic,
            String group,
            String user,
            Map<String, List<String>> shards,
            int port) {
        this.shards = new LinkedHashMap<>(shards);
        this.port = port;
        source.put("bootstrap_servers", bootstrapServers);
        source.put("topics", "[" + topic + "]");
        source.put("group_id", group);
        source.put("on_no_offset", "earliest");
        properties.put("session.timeout.ms", "3000");
        properties.put("heartbeat.interval.ms", "500");
        sink.put(
                "postgres",
                "{ table: " + Store.TABLE + ", user: " + user + ", password: none-needed, on_conflict: ignore }");
        sink.put("batch", "{ linger: 100ms }");
        sink.put("write", "{ timeout: 10s }");
        sink.put("retry", "{ initial: 50ms, max: 500ms }");
        sink.put("breaker", "{ failures: 2, open_for: 1s }");
    }

    /// Of the admin pages.
    int port() {
        return port;
    }

    PipelineYaml source(String key, String value) {
        source.put(key, value);
        return this;
    }

    /// A setting of the Kafka client.
    PipelineYaml property(String key, String value) {
        properties.put(key, value);
        return this;
    }

    /// Under the new protocol the broker says how long a session lasts.
    PipelineYaml group(GroupProtocol protocol, Duration session) {
        source.put("group_protocol", protocol.name().toLowerCase(Locale.ROOT));
        switch (protocol) {
            case CLASSIC -> {
                properties.put("session.timeout.ms", Long.toString(session.toMillis()));
                properties.put("heartbeat.interval.ms", "300");
            }
            case CONSUMER -> properties.keySet().removeAll(Set.of("session.timeout.ms", "heartbeat.interval.ms"));
        }
        return this;
    }

    PipelineYaml sink(String key, String value) {
        sink.put(key, value);
        return this;
    }

    PipelineYaml checkpoint(String value) {
        checkpoint = value;
        return this;
    }

    PipelineYaml delivery(String value) {
        delivery = value;
        return this;
    }

    PipelineYaml admission(String value) {
        admission = value;
        return this;
    }

    PipelineYaml drainTimeout(Duration timeout) {
        drainTimeout = timeout;
        return this;
    }

    Duration drainTimeout() {
        return drainTimeout;
    }

    /// A path, in the place of standard output.
    PipelineYaml reportTo(String path) {
        drain.put("report", path);
        return this;
    }

    String text() {
        var out = new StringBuilder("pipeline: { name: proof }\nsource:\n  kafka:\n");
        section(out, "    ", source);
        out.append("    properties: ").append(flow(properties)).append('\n');
        out.append("format: { json: {} }\ndelivery: ").append(delivery).append("\nsinks:\n  warehouse:\n    shards:\n");
        shards.forEach((name, endpoints) -> out.append("      ")
                .append(name)
                .append(": ")
                .append(endpoints.stream().map(PipelineYaml::quoted).collect(Collectors.joining(", ", "[", "]\n"))));
        section(out, "    ", sink);
        out.append("checkpoint: ")
                .append(checkpoint)
                .append("\nadmission: ")
                .append(admission)
                .append('\n');
        out.append("drain:\n  timeout: ").append(drainTimeout.toMillis()).append("ms\n");
        section(out, "  ", drain);
        return out.append("admin: { listen: ")
                .append(quoted("127.0.0.1:" + port))
                .append(" }\n")
                .toString();
    }

    private static void section(StringBuilder out, String indent, Map<String, String> keys) {
        keys.forEach((key, value) ->
                out.append(indent).append(key).append(": ").append(value).append('\n'));
    }

    private static String flow(Map<String, String> keys) {
        return keys.entrySet().stream()
                .map(one -> quoted(one.getKey()) + ": " + quoted(one.getValue()))
                .collect(Collectors.joining(", ", "{ ", " }"));
    }

    private static String quoted(String text) {
        return '"' + text + '"';
    }
}
