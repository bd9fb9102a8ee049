package dev.millrace.cli.proof;

import dev.millrace.lab.FreePort;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/// A pipeline's file, built from settings by their dotted paths; values are YAML. Quick where the defaults are for a
/// year.
///
/// Thread ownership: the test's thread.
final class Recipe {
    private final Map<String, Object> root = new LinkedHashMap<>();
    private final int port;

    private Recipe(int port) {
        this.port = port;
    }

    /// Reads these topics as this group, and says nothing of a sink.
    static Recipe of(String bootstrapServers, String group, String topics) {
        var recipe = new Recipe(FreePort.take());
        return recipe.set("pipeline.name", "proof")
                .set("source.kafka.bootstrap_servers", bootstrapServers)
                .set("source.kafka.topics", topics)
                .set("source.kafka.group_id", group)
                .set("source.kafka.on_no_offset", "earliest")
                .set("source.kafka.properties", "{ session.timeout.ms: 3000, heartbeat.interval.ms: 300 }")
                .set("format", "{ json: {} }")
                .set("sinks.warehouse.batch", "{ linger: 100ms }")
                .set("sinks.warehouse.retry", "{ initial: 50ms, max: 300ms }")
                .set("sinks.warehouse.write", "{ timeout: 10s }")
                .set("sinks.warehouse.breaker", "{ failures: 2, open_for: 300ms }")
                .set("checkpoint.interval", "200ms")
                .set("drain.timeout", "10s")
                .set("admin.listen", "127.0.0.1:" + recipe.port);
    }

    /// Takes rows that are posted under these topics, at a port of its own, and says nothing of a sink.
    static Recipe posted(String topics, int port) {
        var recipe = new Recipe(FreePort.take());
        return recipe.set("pipeline.name", "proof")
                .set("source.http.listen", "127.0.0.1:" + port)
                .set("source.http.topics", topics)
                .set("delivery", "at_least_once")
                .set("poison", "{ action: skip, single_row: dead_letter }")
                .set("format", "{ json: {} }")
                .set("sinks.warehouse.batch", "{ linger: 50ms }")
                .set("sinks.warehouse.retry", "{ initial: 50ms, max: 300ms }")
                .set("sinks.warehouse.write", "{ timeout: 10s }")
                .set("sinks.warehouse.breaker", "{ failures: 2, open_for: 300ms }")
                .set("drain.timeout", "10s")
                .set("admin.listen", "127.0.0.1:" + recipe.port);
    }

    /// The sink takes everything and keeps nothing.
    Recipe blackhole() {
        return set("sinks.warehouse.blackhole", "{}");
    }

    /// The sink is this table, in a database for each shard; more of the sink's settings come as flow YAML.
    Recipe postgres(String user, String table, String more, String... endpoints) {
        set(
                "sinks.warehouse.postgres",
                "{ table: " + table + ", user: " + user + ", password: " + password("none-needed") + more + " }");
        for (var i = 0; i < endpoints.length; i++) set("sinks.warehouse.shards.s" + i, "[ \"" + endpoints[i] + "\" ]");
        return this;
    }

    /// One more sink, quick as the first: this table, in a database for each shard.
    Recipe sink(String name, String user, String table, String more, String... endpoints) {
        var at = "sinks." + name;
        set(
                at + ".postgres",
                "{ table: " + table + ", user: " + user + ", password: " + password("none-needed") + more + " }");
        for (var i = 0; i < endpoints.length; i++) set(at + ".shards.s" + i, "[ \"" + endpoints[i] + "\" ]");
        return set(at + ".batch", "{ linger: 100ms }")
                .set(at + ".write", "{ timeout: 10s }")
                .set(at + ".breaker", "{ failures: 2, open_for: 300ms }");
    }

    /// As it stands in a file that holds no secret.
    static String password(String value) {
        return "\"${NOBODY_SETS_THIS:-" + value + "}\"";
    }

    /// Lays a value at a path, in the place of what was there.
    @SuppressWarnings("unchecked") // inner nodes are maps, made here
    Recipe set(String path, String value) {
        var at = root;
        var keys = path.split("\\.", -1);
        for (var i = 0; i < keys.length - 1; i++)
            at = (Map<String, Object>) at.computeIfAbsent(keys[i], _ -> new LinkedHashMap<String, Object>());
        at.put(keys[keys.length - 1], value);
        return this;
    }

    /// Takes a section of the root's sections away.
    Recipe without(String path) {
        var dot = path.lastIndexOf('.');
        if (root.get(path.substring(0, dot)) instanceof Map<?, ?> section) section.remove(path.substring(dot + 1));
        return this;
    }

    /// Of the admin pages.
    int port() {
        return port;
    }

    String text() {
        return lines(root, "");
    }

    @SuppressWarnings("unchecked")
    private static String lines(Map<String, Object> node, String indent) {
        return node.entrySet().stream()
                .map(entry -> indent + entry.getKey() + ":"
                        + (entry.getValue() instanceof Map<?, ?> inner
                                ? "\n" + lines((Map<String, Object>) inner, indent + "  ")
                                : " " + entry.getValue() + "\n"))
                .collect(Collectors.joining());
    }
}
