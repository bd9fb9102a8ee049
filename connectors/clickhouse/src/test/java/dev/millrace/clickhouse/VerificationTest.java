package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.clickhouse.Coordinates.Part;
import dev.millrace.httpclient.Clients;
import dev.millrace.lab.clickhouse.ClickHouseFront;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.Fault;
import dev.millrace.lab.clickhouse.FrontSettings;
import dev.millrace.lab.clickhouse.LabClickHouse;
import dev.millrace.lab.clickhouse.LoggedRequest;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Layouts;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// Batches of which an attempt ended unknown, on two replicas that share nothing: each knows what it was
/// sent itself. A row that is deleted is one that the server lost: its token is still remembered.
@Timeout(300)
@Tag("CH-9")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VerificationTest {
    private static final AtomicInteger TABLES = new AtomicInteger();
    private static final Coordinates PLACES = new Coordinates(
            new TreeMap<>(Map.of(Part.TOPIC, "_topic", Part.PARTITION, "_partition", Part.OFFSET, "_offset")));

    private final Clients clients = Bench.settings(PLACES).clients();
    private final Dialects dialects = new Dialects(NanoClock.SYSTEM);
    private LabClickHouse store;
    private String table = "";

    @BeforeAll
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void launch() {
        assumeTrue(EngineLibrary.available());
        store = LabClickHouse.unshared(1, 2, FrontSettings.open().user("ingest", "s3cret"));
        store.execute("CREATE DATABASE shop");
    }

    @AfterEach
    void heal() {
        for (var front : store.fronts()) {
            front.heal();
            front.clearRequests();
        }
    }

    @AfterAll
    void end() {
        clients.close();
        if (store != null) store.close();
    }

    private void create(String engine) {
        table = "v" + TABLES.incrementAndGet();
        store.execute("CREATE TABLE shop." + table
                + " (id UInt64, _topic String, _partition Int32, _offset Int64) ENGINE = " + engine);
    }

    private void create() {
        create("MergeTree ORDER BY id PARTITION BY id % 2 SETTINGS non_replicated_deduplication_window = 1000");
    }

    private ClickHouseFront front(int replica) {
        return store.front(0, replica);
    }

    /// To this replica, of a shard of both.
    private ClickHouseWriter writer(int replica) {
        var endpoints = store.fronts().stream()
                .map(front -> ClickHouseEndpoint.of(front.url()))
                .toList();
        return writer(endpoints.get(replica), endpoints);
    }

    private ClickHouseWriter writer(ClickHouseEndpoint endpoint, List<ClickHouseEndpoint> endpoints) {
        var settings = Bench.settings(table, PLACES);
        var shards = Map.of(Bench.SHARD, endpoints);
        var layouts = new Layouts<Form>((_, _) -> true);
        layouts.found(new Form(new InsertSettings(settings, InsertSettings.asked(), null), null));
        return new ClickHouseWriter(
                Bench.SHARD,
                endpoint,
                new ClickHouseWriter.Shared(
                        settings,
                        shards,
                        clients,
                        dialects,
                        new Preflight(settings, shards, clients::fresh, dialects, NanoClock.SYSTEM),
                        layouts,
                        () -> {},
                        _ -> true,
                        NanoClock.SYSTEM));
    }

    /// Rows whose ids and offsets are alike, of every second offset.
    private static BatchRows rows(int count) {
        var records = new ArrayList<ARecord>();
        for (var i = 0; i < count; i++) {
            var offset = 100 + 2L * i + i % 2;
            records.add(ARecord.of("{\"id\":" + offset + "}").at("orders", 3, offset));
        }
        return BatchRows.of(Lines.chunks("orders", 3, 1, new CoordinateEncoder(PLACES, Lines.VERBATIM), records));
    }

    private WriteOutcome first(int replica, BatchRows rows) throws InterruptedException {
        return writer(replica).write(new Call(rows, "run/1", Bench.AMPLE));
    }

    private WriteOutcome again(int replica, BatchRows rows) throws InterruptedException {
        return writer(replica).write(Call.again(rows, "run/1", Bench.AMPLE));
    }

    private void lose(int replica, String which) {
        store.engine(0, replica).execute("DELETE FROM shop." + table + " WHERE " + which);
    }

    private long count(int replica) {
        return store.engine(0, replica).count("shop." + table);
    }

    private void holds(int replica, long rows) {
        assertThat(count(replica)).isEqualTo(rows);
        assertThat(store.engine(0, replica).queryLong("SELECT uniqExact(_offset) FROM shop." + table))
                .isEqualTo(rows);
    }

    /// How many requests it took, but for those that ask what server it is. Each writer here is the first of its
    /// sink, and asks by three whether it can read.
    private long asked(int replica) {
        return front(replica).requests().stream()
                .filter(request -> !request.asked().sql().contains("version()"))
                .filter(request -> !request.asked().sql().startsWith("SELECT '"))
                .filter(request -> !request.asked().sql().contains("serverUUID()"))
                .count();
    }

    /// Not whether it could.
    private static boolean reads(String question) {
        return question.startsWith("SELECT count()") && question.contains("processes") && !question.contains("= '-'");
    }

    private List<String> tokens(int replica) {
        return front(replica).inserts().stream().map(LoggedRequest::token).toList();
    }

    private static void undecided(WriteOutcome outcome, String code) {
        assertThat(outcome).isInstanceOfSatisfying(Unavailable.class, unavailable -> {
            assertThat(unavailable.failure().code()).startsWith(code);
            assertThat(unavailable.failure().mayHaveStored()).isTrue();
            assertThat(unavailable.blame()).isEqualTo(new Blame.Nobody());
        });
    }

    @Test
    @DisplayName("CH-9: rows that were stored are read and stay as they are; a first attempt is not read")
    void stored() throws Exception {
        create();
        var rows = rows(1000);
        assertThat(first(0, rows)).isEqualTo(new Written(1000, 0));
        front(0).clearRequests();
        assertThat(first(0, rows)).isEqualTo(new Written(1000, 0));
        assertThat(asked(0)).isEqualTo(3 + 1);
        front(0).clearRequests();
        assertThat(again(0, rows)).isEqualTo(new Written(1000, 0));
        assertThat(asked(0)).isEqualTo(3 + 4);
        assertThat(asked(1)).isZero();
        holds(0, 1000);
    }

    @Test
    @DisplayName(
            "CH-9: an answer that is lost and rows that the server loses: sent again under a token of their own, once")
    void gone() throws Exception {
        create();
        var rows = rows(1000);
        front(0).fault(Fault.loseAnswer().onInserts().times(1));
        assertThat(first(0, rows)).isInstanceOf(Unavailable.class);
        lose(0, "1");
        assertThat(first(0, rows)).as("what the server says").isEqualTo(new Written(1000, 0));
        assertThat(count(0)).isZero();
        assertThat(again(0, rows)).isEqualTo(new Written(1000, 0));
        holds(0, 1000);
        assertThat(again(0, rows)).isEqualTo(new Written(1000, 0));
        holds(0, 1000);
        assertThat(tokens(0)).containsExactly("run/1", "run/1", "run/1", "run/1#again1", "run/1");
    }

    @Test
    @DisplayName("CH-9: what was sent again and is lost too goes under the next token")
    void goneAgain() throws Exception {
        create();
        var rows = rows(10);
        first(0, rows);
        lose(0, "1");
        front(0).fault(Fault.loseAnswer()
                .onInserts()
                .when(asked -> asked.token().endsWith("again1"))
                .times(1));
        undecided(again(0, rows), "send-again-");
        lose(0, "1");
        assertThat(again(0, rows)).isEqualTo(new Written(10, 0));
        holds(0, 10);
        assertThat(tokens(0)).endsWith("run/1", "run/1#again1", "run/1#again2");
    }

    @Test
    @DisplayName("CH-9: of a batch that is lost in part only what is gone is sent again, under a token of these rows")
    void goneInPart() throws Exception {
        create();
        var rows = rows(1000);
        first(0, rows);
        lose(0, "id % 2 = 1");
        assertThat(count(0)).isEqualTo(500);
        assertThat(again(0, rows)).isEqualTo(new Written(1000, 0));
        holds(0, 1000);
        assertThat(tokens(0).getLast()).matches("run/1#again1-[0-9a-f]{16}");
        lose(0, "id % 2 = 1");
        assertThat(again(0, rows)).isEqualTo(new Written(1000, 0));
        holds(0, 1000);
        assertThat(tokens(0).getLast()).startsWith("run/1#again2-");
    }

    @Test
    @DisplayName("CH-9: a replica that lags is no loss: another has all rows, or each has some of them")
    void elsewhere() throws Exception {
        create();
        var rows = rows(1000);
        first(0, rows);
        first(1, rows);
        lose(0, "1");
        assertThat(again(0, rows)).isEqualTo(new Written(1000, 0));
        assertThat(count(0)).isZero();
        holds(1, 1000);
        lose(1, "id % 2 = 1");
        store.engine(0, 0)
                .execute("INSERT INTO shop." + table + " SELECT number * 4 + 103, 'orders', 3, number * 4 + 103"
                        + " FROM numbers(500)");
        assertThat(again(0, rows)).isEqualTo(new Written(1000, 0));
        assertThat(count(0) + count(1)).isEqualTo(1000);
    }

    @Test
    @DisplayName("CH-9: while a replica that may have the rows does not answer, nothing is decided and nothing sent")
    void silent() throws Exception {
        create();
        var rows = rows(10);
        first(0, rows);
        first(1, rows);
        lose(0, "1");
        front(1).kill();
        undecided(again(0, rows), "unverified-connect");
        front(1).start();
        front(1).fault(Fault.cutAnswer(40));
        undecided(again(0, rows), "unverified-");
        front(1).heal();
        assertThat(count(0)).isZero();
        assertThat(again(0, rows)).isEqualTo(new Written(10, 0));
        assertThat(count(0)).isZero();
        assertThat(tokens(0)).containsOnly("run/1");
    }

    @Test
    @DisplayName("CH-9: while a replica still runs an insert of the batch, nothing is decided and nothing sent")
    void underWay() throws Exception {
        create();
        var rows = rows(10);
        first(0, rows);
        lose(0, "1");
        var slow = new Thread(() -> store.engine(0, 1)
                .query(
                        "INSERT INTO shop." + table
                                + " SELECT 1, 'other', 0, number + sleepEachRow(0.5) FROM numbers(120)",
                        Map.of("insert_deduplication_token", "run/1#0-10", "max_block_size", "1")));
        slow.setUncaughtExceptionHandler((_, _) -> {});
        slow.start();
        var running =
                "SELECT count() FROM system.processes WHERE Settings['insert_deduplication_token'] = 'run/1#0-10'";
        while (store.engine(0, 1).queryLong(running) == 0) Thread.onSpinWait();
        undecided(again(0, rows), "still-running");
        assertThat(count(0)).isZero();
        store.engine(0, 1).execute("KILL QUERY WHERE Settings['insert_deduplication_token'] = 'run/1#0-10' SYNC");
        slow.join();
        assertThat(again(0, rows)).isEqualTo(new Written(10, 0));
        holds(0, 10);
    }

    @Test
    @DisplayName("CH-9: while a replica checks parts, which it may yet take back, nothing is decided and nothing sent")
    void inCheck() throws Exception {
        try (var stub = Stub.listen(
                        Stub.ok(),
                        Stub.answer("200 OK", Stub.CLICKHOUSE, "0\n"),
                        Stub.answer("200 OK", Stub.CLICKHOUSE, "1\n"))
                .ofVersion("26.9.1.1")) {
            table = "events";
            var endpoint = ClickHouseEndpoint.of(stub.uri());
            undecided(writer(endpoint, List.of(endpoint)).write(Call.again(rows(2), "run/1", Bench.AMPLE)), "in-check");
            assertThat(stub.requests()).hasSize(3);
        }
    }

    @Test
    @DisplayName("CH-9: a reading that hangs ends at the deadline and when it is cancelled, and decides nothing")
    void hangs() throws Exception {
        create();
        var rows = rows(10);
        first(0, rows);
        front(0).fault(Fault.hang().when(asked -> reads(asked.sql())));
        var limited = Call.again(rows, "run/1", Duration.ofSeconds(5));
        undecided(writer(0).write(limited), "unverified-timeout");
        assertThat(limited.deadlineNanos() - NanoClock.SYSTEM.nanoTime())
                .as("told before the attempt ends, so that nobody is blamed")
                .isPositive();
        front(0).clearRequests();
        var call = Call.again(rows, "run/1", Bench.AMPLE);
        var outcome = new CompletableFuture<WriteOutcome>();
        var writer = writer(0);
        Thread.ofVirtual().start(() -> {
            try {
                outcome.complete(writer.write(call));
            } catch (Throwable thrown) {
                outcome.completeExceptionally(thrown);
            }
        });
        assertThat(front(0).await(
                                all -> all.stream()
                                        .anyMatch(one -> reads(one.asked().sql())),
                                Bench.AMPLE))
                .isTrue();
        call.cancel();
        undecided(outcome.get(60, TimeUnit.SECONDS), "unverified-cancelled");
        holds(0, 10);
    }

    @Test
    @DisplayName("CH-9: rows that are gone whenever they were sent hold the batch, with what may hide them")
    void vanish() throws Exception {
        create("Null");
        var rows = rows(10);
        undecided(again(0, rows), "rows-vanish");
        assertThat(tokens(0)).containsExactly("run/1", "run/1#again1", "run/1#again2", "run/1#again3");
    }

    @Test
    @DisplayName("CH-9: rows of several topics, partitions and epochs are each looked for where they came from")
    void severalPlaces() throws Exception {
        create();
        var encoder = new CoordinateEncoder(PLACES, Lines.VERBATIM);
        var chunks = new ArrayList<>(Lines.chunks("orders", 0, 1, encoder, records("orders", 0, 0, 50)));
        chunks.addAll(Lines.chunks("orders", 0, 2, encoder, records("orders", 0, 40, 60)));
        chunks.addAll(Lines.chunks("orders", 1, 1, encoder, records("orders", 1, 0, 50)));
        chunks.addAll(Lines.chunks("refunds", 0, 1, encoder, records("refunds", 0, 0, 50)));
        var rows = BatchRows.of(chunks);
        first(0, rows);
        assertThat(count(0)).isEqualTo(170);
        assertThat(again(0, rows)).isEqualTo(new Written(170, 0));
        assertThat(count(0)).isEqualTo(170);
        lose(0, "_topic = 'orders' AND _partition = 1 OR _topic = 'refunds' AND _offset = 7");
        assertThat(again(0, rows)).isEqualTo(new Written(170, 0));
        assertThat(count(0)).isEqualTo(170);
        assertThat(store.engine(0, 0).queryLong("SELECT uniqExact(_topic, _partition, _offset) FROM shop." + table))
                .isEqualTo(160);
    }

    private static List<ARecord> records(String topic, int partition, int from, int to) {
        var out = new ArrayList<ARecord>();
        for (var i = from; i < to; i++) out.add(ARecord.of("{\"id\":" + i + "}").at(topic, partition, i));
        return out;
    }
}
