package dev.millrace.clickhouse;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;

/// A server that answers the questions of a checkup as a healthy replica of today does, but for what it
/// is told otherwise.
///
/// Thread ownership: told before it is asked.
final class FakeServer implements Closeable {
    private record Say(int status, String code, String body) {}

    private final HttpServer server;
    private final Map<String, Say> said = new LinkedHashMap<>();
    private final List<String> questions = new ArrayList<>();
    private Duration ahead = Duration.ZERO;
    private String version = "26.8.4.1";

    private FakeServer(HttpServer server) {
        this.server = server;
    }

    static FakeServer listen() throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        var fake = new FakeServer(server);
        server.createContext("/", fake::answer);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        return fake.healthy();
    }

    private FakeServer healthy() {
        says("serverUUID", UUID.randomUUID().toString());
        says("engine, partition_key", "ReplicatedMergeTree\t\t\t\t\t");
        says("arrayJoin", "");
        says("system.merge_tree_settings", "non_replicated_deduplication_window\t0\nfsync_after_insert\t0");
        says(
                "system.replicated_merge_tree_settings",
                "replicated_deduplication_window\t10000\nreplicated_deduplication_window_seconds\t3600");
        says(
                "system.replicas",
                "/clickhouse/tables/s0/orders\tr" + server.getAddress().getPort() + "\t0\t2");
        says("system.columns", "id\tUInt64\t\ns\tString\t");
        says("system.parts", "0");
        says("CHECK GRANT", "1");
        says("system.quota_usage", "");
        return settings(Map.of());
    }

    /// What the user's settings are, where they differ from what is sent; `value`, then `min`, `max` and
    /// whether they are fixed.
    FakeServer settings(Map<String, String> otherwise) {
        var lines = new LinkedHashMap<String, String>();
        InsertSettings.told(Bench.settings()).forEach((name, value) -> lines.put(name, value + "\t\\N\t\\N\t0"));
        lines.put("insert_deduplication_token", "\t\\N\t\\N\t0");
        lines.put("readonly", "0\t\\N\t\\N\t0");
        lines.put("max_partitions_per_insert_block", "100\t\\N\t\\N\t0");
        lines.put("distributed_foreground_insert", "0\t\\N\t\\N\t0");
        otherwise.forEach((name, value) -> lines.put(name, value.replace(' ', '\t')));
        var text = new StringBuilder();
        lines.forEach(
                (name, rest) -> text.append(name).append('\t').append(rest).append('\n'));
        return says("FROM system.settings", text.toString());
    }

    /// To questions that hold this.
    FakeServer says(String part, String lines) {
        said.put(part, new Say(200, "", lines));
        return this;
    }

    FakeServer refuses(String part, int code) {
        said.put(part, new Say(403, Integer.toString(code), "Code: " + code + ". DB::Exception: no. (SOME_NAME)\n"));
        return this;
    }

    FakeServer ofVersion(String other) {
        version = other;
        return this;
    }

    FakeServer clockAhead(Duration by) {
        ahead = by;
        return this;
    }

    URI uri() {
        return URI.create("http://localhost:" + server.getAddress().getPort());
    }

    synchronized List<String> questions() {
        return List.copyOf(questions);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var question = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            synchronized (this) {
                questions.add(question);
            }
            var say = of(question);
            var bytes = say.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("X-ClickHouse-Query-Id", "1");
            if (!say.code().isEmpty()) exchange.getResponseHeaders().add("X-ClickHouse-Exception-Code", say.code());
            exchange.sendResponseHeaders(say.status(), bytes.length == 0 ? -1 : bytes.length);
            if (bytes.length > 0) exchange.getResponseBody().write(bytes);
        }
    }

    private Say of(String question) {
        if (question.contains("version()")) {
            var now = Clock.systemUTC().instant().plus(ahead).getEpochSecond();
            return new Say(200, "", version + "\thost\t" + now + "\n");
        }
        return said.entrySet().stream()
                .filter(entry -> question.contains(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> new AssertionError(question));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
