package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.millrace.clickhouse.Coordinates.Part;
import dev.millrace.clickhouse.Description.Described;
import dev.millrace.clickhouse.Description.Interrupted;
import dev.millrace.clickhouse.OneServer.Found;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PlannedSegment;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import dev.millrace.sinkpool.WriteOutcome.Misconfigured;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a shard said stays known while it, or another, is silent.
@Timeout(120)
class KnownShardsTest {
    private static final ShardId A = new ShardId("warehouse", "a");
    private static final ShardId B = new ShardId("warehouse", "b");
    private static final Coordinates PLACES = new Coordinates(
            new TreeMap<>(Map.of(Part.TOPIC, "_topic", Part.PARTITION, "_partition", Part.OFFSET, "_offset")));
    private static final String[] COLUMNS = {"_topic\t\tString", "_partition\t\tInt32", "_offset\t\tInt64"};
    private static final Stub.Turn AWAY = Stub.answer("503 Service Unavailable", "", "");

    private static ClickHouseSink sink(ClickHouseSettings settings, URI a, URI b) {
        var shards = new LinkedHashMap<ShardId, List<URI>>();
        shards.put(A, List.of(a));
        shards.put(B, List.of(b));
        return ClickHouseSink.open(settings, shards, () -> Lines.VERBATIM, NanoClock.SYSTEM);
    }

    private static Described described(ClickHouseSink sink) {
        return (Described) sink.describe(Bench.in(Bench.AMPLE));
    }

    private static Stub verified(Stub.Turn... turns) throws Exception {
        return Stub.listen(turns).ofTable("ReplicatedMergeTree", COLUMNS);
    }

    private static boolean reads(ClickHouseSink sink, ShardId shard, Stub stub) throws Exception {
        var rows = BatchRows.of(Lines.chunks(
                "orders",
                3,
                1,
                new CoordinateEncoder(PLACES, Lines.VERBATIM),
                List.of(ARecord.of("{}").at("orders", 3, 1))));
        try (var writer = sink.writer(shard, stub.uri())) {
            writer.write(Call.again(rows, "run/1", Bench.AMPLE));
        }
        return stub.requests().getLast().text().contains("insert_deduplication_token");
    }

    @Test
    @DisplayName("CH-9: a shard that was verified once stays so, whatever later looks find, and other shards are")
    void onceVerifiedAlwaysVerified() throws Exception {
        try (var stub = verified(Stub.ok());
                var other = verified(Stub.exception("500 Internal Server Error", 497, "Not enough privileges"));
                var log = LogLines.of(Preflight.class);
                var sink = sink(Bench.settings(PLACES), stub.uri(), other.uri())) {
            assertThat(described(sink).interrupted()).isEqualTo(Interrupted.MAY_BE_LOST);
            assertThat(reads(sink, A, stub)).as("though the other can't be").isTrue();
            stub.next(AWAY, Stub.ok());
            described(sink);
            assertThat(reads(sink, A, stub)).as("though it did not tell").isTrue();
            stub.ofVersion("26.9.1.1");
            other.ofVersion("26.9.1.1");
            assertThat(described(sink).interrupted()).isEqualTo(Interrupted.VERIFIED);
            assertThat(log.lines().stream().filter(line -> !line.contains("repeats changed")))
                    .as("each hazard once")
                    .hasSize(3)
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    @DisplayName("CH-9: a server that does not answer whether it can be read is verified, until it says that it can't")
    void whoDoesNotTellIsVerified() throws Exception {
        try (var stub = verified(AWAY);
                var sink = Bench.sink(Bench.settings(PLACES), stub.uri())) {
            assertThat(described(sink).interrupted()).isEqualTo(Interrupted.VERIFIED);
            stub.next(Stub.exception("500 Internal Server Error", 497, "Not enough privileges"));
            described(sink);
            assertThat(described(sink).interrupted()).isEqualTo(Interrupted.MAY_BE_LOST);
        }
    }

    @Test
    @DisplayName("CH-9: a shard that was not seen at the start is verified too, and its hazard told, once")
    void unseenAtTheStart() throws Exception {
        try (var stub = verified(Stub.ok()).ofVersion("26.9.1.1");
                var late = verified(Stub.ok());
                var log = LogLines.of(Preflight.class);
                var sink = sink(Bench.settings(PLACES), stub.uri(), Stub.nobody())) {
            assertThat(described(sink).unseen()).containsExactly(B);
            assertThat(log.lines()).isEmpty();
            assertThat(reads(sink, B, late)).isTrue();
            assertThat(reads(sink, B, late)).isTrue();
            assertThat(log.lines()).singleElement().asString().contains("112149");
        }
    }

    @Test
    @DisplayName("EO-10: a shard is looked at before a planned batch is sent there, and the batch judged by that")
    void lookedAtFirst() throws Exception {
        try (var stub = verified(Stub.ok()).ofVersion("26.9.1.1");
                var late = verified(Stub.ok()).ofVersion("26.9.1.1");
                var sink = sink(Bench.settings(Coordinates.NONE), stub.uri(), Stub.nobody());
                var writer = sink.writer(B, late.uri())) {
            described(sink);
            assertThat(sink.lookedAt(A)).isTrue();
            assertThat(sink.lookedAt(B)).isFalse();
            assertThat(sink.recognition(B).windowNanos()).isEqualTo(NanoClock.NEVER);
            assertThat(sink.ceiling(B).why()).contains("has not answered");
            var rows = Lines.chunks(
                    "orders", 3, 1, Lines.VERBATIM, List.of(ARecord.of("{}").at("orders", 3, 1)));
            rows.forEach(chunk -> chunk.planned(new PlannedSegment(1, 2, 0, true, false), true));
            var call = new Call(BatchRows.of(rows), "run/1", Bench.AMPLE);
            assertThat(writer.write(call)).isInstanceOfSatisfying(Unavailable.class, unsent -> {
                assertThat(unsent.failure().code()).isEqualTo("looked-at-first");
                assertThat(unsent.failure().mayHaveStored()).isFalse();
                assertThat(unsent.blame()).isEqualTo(new Blame.Nobody());
            });
            assertThat(inserted(late)).isFalse();
            assertThat(sink.recognition(B).windowNanos())
                    .isEqualTo(Duration.ofSeconds(2250).toNanos());
            assertThat(writer.write(call)).isEqualTo(new Written(1, 0));
        }
    }

    private static Stub typed(String zone) throws Exception {
        return Stub.listen(Stub.answer(
                        "200 OK",
                        Stub.CLICKHOUSE,
                        "format\tRowBinaryWithNamesAndTypesAndDefaults\t\t\nzone\t" + zone
                                + "\t\t\ncount\t1\t\t\ncolumn\tat\tDateTime\t\n"))
                .ofVersion("26.9.1.1");
    }

    private static boolean inserted(Stub stub) {
        return stub.requests().stream().anyMatch(request -> request.target().contains("INSERT"));
    }

    @Test
    @DisplayName("CH-8: rows that were made without a shard are held where they would mean something else to it")
    void rowsMadeWithoutAShard() throws Exception {
        try (var stub = typed("UTC");
                var late = typed("Europe/Berlin");
                var sink = sink(Bench.typed("events"), stub.uri(), Stub.nobody());
                var writer = sink.writer(B, late.uri())) {
            described(sink);
            var rows = Lines.batch(sink.encoder(), 100, List.of("{\"at\":\"2026-01-01 00:00:00\"}"));
            for (var i = 0; i < 2; i++)
                assertThat(writer.write(new Call(rows, "run/1", Bench.AMPLE)))
                        .isInstanceOfSatisfying(Misconfigured.class, held -> {
                            assertThat(held.failure().code()).isEqualTo("table-changed");
                            assertThat(held.failure().mayHaveStored()).isFalse();
                        });
            assertThat(inserted(late)).isFalse();
            try (var seen = sink.writer(A, stub.uri())) {
                assertThat(seen.write(new Call(rows, "run/1", Bench.AMPLE))).isInstanceOf(Written.class);
            }
            assertThat(described(sink).layout()).matches(layout -> !layout.utc(), "not UTC");
        }
    }

    private static void goesAway(Stub stub) throws IOException {
        stub.close();
    }

    @Test
    @DisplayName("CH-8: a look that a shard does not answer makes no other layout")
    void aSilentShardStillCounts() throws Exception {
        var made = new AtomicInteger();
        try (var stub = typed("UTC");
                var other = typed("Europe/Berlin");
                var sink = sink(Bench.typed("events"), stub.uri(), other.uri())) {
            sink.onNewLayout(made::incrementAndGet);
            described(sink);
            goesAway(other);
            assertThat(described(sink).unseen()).containsExactly(B);
            assertThat(made).hasValue(0);
            goesAway(stub);
            assertThat(sink.unusable()).contains("shop.events can't be looked at");
        }
    }

    @Test
    @DisplayName("CH-8: one replica that hangs leaves the others time to answer")
    void aHungReplica() throws Exception {
        try (var hung = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                var stub = Stub.listen(Stub.ok());
                var sink = Bench.sink(
                        Bench.settings(), URI.create("http://localhost:" + hung.getLocalPort()), stub.uri())) {
            assertThat(sink.describe(Bench.in(Duration.ofSeconds(8)))).isInstanceOf(Described.class);
        }
    }

    @Test
    @DisplayName("WRT-11: silence does not make two servers of what was known as one")
    void silenceUnlearnsNothing() throws Exception {
        var known = new KnownShards(Map.of(), 4);
        assertThat(known.oneServer(A, Found.SILENT)).isFalse();
        assertThat(known.oneServer(A, Found.SAME)).isTrue();
        assertThat(known.oneServer(A, Found.SILENT)).isTrue();
        assertThat(known.oneServer(A, Found.OTHER)).isFalse();
        var one = Stub.answer("200 OK", Stub.CLICKHOUSE, "u\th\tt\tp\n");
        try (var client = HttpClient.newHttpClient();
                var stub = Stub.listen(one);
                var same = Stub.listen(one);
                var other = Stub.listen(Stub.answer("200 OK", Stub.CLICKHOUSE, "u\tg\tt\tp\n"))) {
            assertThat(behind(client, stub.uri(), same.uri())).isEqualTo(Found.SAME);
            assertThat(behind(client, stub.uri(), Stub.nobody())).isEqualTo(Found.SILENT);
            assertThat(behind(client, stub.uri(), Stub.nobody(), other.uri())).isEqualTo(Found.OTHER);
        }
    }

    private static Found behind(HttpClient client, URI... endpoints) throws InterruptedException {
        return new OneServer(Bench.settings(), NanoClock.SYSTEM)
                .behind(
                        List.of(endpoints).stream().map(ClickHouseEndpoint::of).toList(),
                        client,
                        Bench.in(Bench.AMPLE));
    }

    @Test
    @DisplayName("INPUT-40: what answers and is not ClickHouse is refused at the start")
    void notClickHouse() throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, 5);
                exchange.getResponseBody().write("hello".getBytes(StandardCharsets.US_ASCII));
            }
        });
        server.start();
        try (var sink = Bench.sink(
                Bench.settings(),
                URI.create("http://localhost:" + server.getAddress().getPort()))) {
            assertThat(sink.describe(Bench.in(Bench.AMPLE)))
                    .isInstanceOfSatisfying(
                            Description.Refused.class,
                            refused -> assertThat(refused.reason()).contains("localhost", "is not ClickHouse"));
        } finally {
            server.stop(0);
        }
    }

    @Test
    @DisplayName("CH-9: a question about what is stored ends before the attempt that asks it")
    void questionsEndBeforeTheAttempt() {
        var second = TimeUnit.SECONDS.toNanos(1);
        assertThat(ClickHouseWriter.endOfQuestion(30 * second, 0)).isEqualTo(27 * second);
        assertThat(ClickHouseWriter.endOfQuestion(second / 2, 0)).isEqualTo(second / 10 * 4);
        assertThat(ClickHouseWriter.endOfQuestion(NanoClock.NEVER, 0)).isEqualTo(NanoClock.NEVER);
    }
}
