package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.clickhouse.Coordinates.Part;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.FrontSettings;
import dev.millrace.lab.clickhouse.LabClickHouse;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Guarantee.Level;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.Recognition;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.TokenLog;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// How long the real engine knows tokens, and what is done where it may not.
@Timeout(300)
@Tag("EO-10")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WindowTest {
    private static final AtomicInteger TABLES = new AtomicInteger();
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Coordinates PLACES = new Coordinates(
            new TreeMap<>(Map.of(Part.TOPIC, "_topic", Part.PARTITION, "_partition", Part.OFFSET, "_offset")));

    private LabClickHouse store;
    private String table = "";

    @BeforeAll
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void launch() {
        assumeTrue(EngineLibrary.available());
        store = LabClickHouse.unshared(1, 2, FrontSettings.open().user("ingest", "s3cret"));
        store.execute("CREATE DATABASE shop");
    }

    @AfterAll
    void end() {
        if (store != null) store.close();
    }

    private void create(String engine) {
        table = "w" + TABLES.incrementAndGet();
        store.execute("CREATE TABLE shop." + table
                + " (id UInt64, _topic String, _partition Int32, _offset Int64) ENGINE = " + engine);
    }

    private void remembering(int tokens) {
        create("MergeTree ORDER BY id SETTINGS non_replicated_deduplication_window = " + tokens);
    }

    private URI[] replicas(int count) {
        var all = new URI[count];
        Arrays.setAll(all, replica -> store.front(0, replica).url());
        return all;
    }

    private ClickHouseSink sink(Coordinates coordinates, int replicas) {
        var sink = Bench.sink(Bench.settings(table, coordinates), replicas(replicas));
        assertThat(sink.describe(Bench.in(Bench.AMPLE))).isInstanceOf(Description.Described.class);
        return sink;
    }

    private static BatchRows rows(int from, int to) {
        var records = new ArrayList<ARecord>();
        for (var offset = from; offset < to; offset++)
            records.add(ARecord.of("{\"id\":" + offset + "}").at("orders", 3, offset));
        return BatchRows.of(Lines.chunks("orders", 3, 1, new CoordinateEncoder(PLACES, Lines.VERBATIM), records));
    }

    private long count() {
        return store.engine(0, 0).count("shop." + table);
    }

    private long distinct() {
        return store.engine(0, 0).queryLong("SELECT uniqExact(_offset) FROM shop." + table);
    }

    /// Six inserts of somebody else's, who says tokens too.
    private void others(SinkWriter writer) throws Exception {
        for (var i = 0; i < 6; i++)
            assertThat(writer.write(new Call(rows(1_000_000 + i, 1_000_001 + i), "other/" + i, Bench.AMPLE)))
                    .isEqualTo(new Written(1, 0));
    }

    @Test
    @DisplayName("EO-10: a token that others pushed out of the window doubles rows, unless what stands is read first")
    void pushedOut() throws Exception {
        remembering(5);
        var rows = rows(0, 100);
        try (var sink = sink(PLACES, 1);
                var writer = sink.writer(Bench.SHARD, replicas(1)[0])) {
            assertThat(writer.write(new Call(rows, "t", Bench.AMPLE))).isEqualTo(new Written(100, 0));
            assertThat(writer.write(Call.again(rows, "t", Bench.AMPLE))).isEqualTo(new Written(100, 0));
            assertThat(count()).as("known still").isEqualTo(100);
            others(writer);
            assertThat(writer.write(Call.expired(rows, "t", Bench.AMPLE))).isEqualTo(new Written(100, 0));
            assertThat(count()).as("read first").isEqualTo(106);
            assertThat(writer.write(Call.again(rows, "t", Bench.AMPLE))).isEqualTo(new Written(100, 0));
            assertThat(count()).as("not read").isEqualTo(206);
        }
    }

    @Test
    @DisplayName("EO-10: of a forgotten batch what is missing is sent, alone, and all of it if nothing stands")
    void missing() throws Exception {
        remembering(5);
        try (var sink = sink(PLACES, 1);
                var writer = sink.writer(Bench.SHARD, replicas(1)[0])) {
            assertThat(writer.write(new Call(rows(20, 50), "t", Bench.AMPLE))).isEqualTo(new Written(30, 0));
            others(writer);
            for (var i = 0; i < 2; i++) {
                assertThat(writer.write(Call.expired(rows(0, 100), "t2", Bench.AMPLE)))
                        .isEqualTo(new Written(100, 0));
                assertThat(count()).isEqualTo(106);
                assertThat(distinct()).isEqualTo(106);
            }
            assertThat(writer.write(Call.expired(rows(100, 200), "t3", Bench.AMPLE)))
                    .isEqualTo(new Written(100, 0));
            assertThat(writer.write(new Call(rows(100, 200), "t3", Bench.AMPLE)))
                    .isEqualTo(new Written(100, 0));
            assertThat(count()).as("all of it went under its own token").isEqualTo(206);
            assertThat(store.front(0, 0).inserts().getLast().token()).isEqualTo("t3");
        }
    }

    /// A row that was set aside when the batch was taken apart is missing whenever the batch replays.
    @Test
    @Tag("POI-1")
    @DisplayName("EO-7: of a batch whose other rows stand, a row that is refused is told as refused, by its number")
    void missingAndRefused() throws Exception {
        remembering(1000);
        store.execute("ALTER TABLE shop." + table + " ADD CONSTRAINT lucky CHECK id != 37");
        try (var sink = sink(PLACES, 1);
                var writer = sink.writer(Bench.SHARD, replicas(1)[0])) {
            var rows = rows(0, 100);
            var good = new BitSet();
            good.set(0, 100);
            good.clear(37);
            assertThat(writer.write(new Call(rows.only(good), "parts", Bench.AMPLE)))
                    .isEqualTo(new Written(99, 0));
            for (var i = 0; i < 2; i++)
                assertThat(writer.write(Call.expired(rows, "t", Bench.AMPLE)))
                        .isInstanceOfSatisfying(WriteOutcome.Refused.class, refused -> {
                            assertThat(refused.failure().code()).isEqualTo("469");
                            assertThat(refused.rowHint()).isEqualTo(37);
                        });
            assertThat(writer.write(Call.expired(rows.part(0, 37), "t", Bench.AMPLE)))
                    .as("a part of it, all of which stands")
                    .isEqualTo(new Written(37, 0));
            assertThat(count()).isEqualTo(99);
        }
    }

    @Test
    @DisplayName("EO-10: where nothing can be read, a forgotten batch is sent as it is")
    void unreadable() throws Exception {
        remembering(5);
        try (var sink = sink(Coordinates.NONE, 1);
                var writer = sink.writer(Bench.SHARD, replicas(1)[0])) {
            assertThat(sink.recognition(Bench.SHARD).readable()).isFalse();
            writer.write(new Call(rows(0, 10), "t", Bench.AMPLE));
            others(writer);
            assertThat(writer.write(Call.expired(rows(0, 10), "t", Bench.AMPLE)))
                    .isEqualTo(new Written(10, 0));
            assertThat(count()).isEqualTo(26);
        }
    }

    @Test
    @DisplayName("EO-10: the window is what the table keeps of tokens, over what everybody makes of them in it")
    void theWindow() {
        remembering(1000);
        for (var i = 0; i < 600; i++)
            store.engine(0, 0).execute("INSERT INTO shop." + table + " SELECT " + i + ", 'other', 0, " + i);
        try (var sink = sink(PLACES, 1)) {
            var busy = sink.recognition(Bench.SHARD);
            assertThat(busy.log()).isEqualTo(TokenLog.SHARED);
            assertThat(busy.byRow()).isFalse();
            assertThat(busy.readable()).isTrue();
            assertThat(busy.windowNanos())
                    .as("600 in a minute are more than our own four a second")
                    .isLessThanOrEqualTo(225 * SECOND)
                    .isGreaterThan(0);
        }
        remembering(1000);
        try (var sink = sink(PLACES, 1)) {
            assertThat(sink.recognition(Bench.SHARD).windowNanos())
                    .as("nobody else writes there")
                    .isEqualTo(225 * SECOND);
        }
    }

    @Test
    @DisplayName("EO-11: a table with a window allows L2, with coordinates L3, without a window L0 with what to run")
    void levels() {
        remembering(1000);
        try (var sink = sink(PLACES, 1)) {
            assertThat(sink.ceiling(Bench.SHARD).level()).isEqualTo(Level.L3);
            assertThat(sink.ceiling(Bench.SHARD).why()).contains("remembers the last 1000 tokens: 4 min");
        }
        try (var sink = sink(Coordinates.NONE, 1)) {
            assertThat(sink.ceiling(Bench.SHARD).level()).isEqualTo(Level.L2);
            assertThat(sink.ceiling(Bench.SHARD).why()).contains("clickhouse.coordinates");
        }
        create("MergeTree ORDER BY id");
        try (var sink = sink(PLACES, 1)) {
            assertThat(sink.recognition(Bench.SHARD)).isEqualTo(new Recognition(TokenLog.NONE, 0, false, true));
            var ceiling = sink.ceiling(Bench.SHARD);
            assertThat(ceiling.level()).isEqualTo(Level.L0);
            var alter = ceiling.why().substring(ceiling.why().indexOf("ALTER TABLE"));
            store.engine(0, 0).execute(alter);
            sink.describe(Bench.in(Bench.AMPLE));
            assertThat(sink.ceiling(Bench.SHARD).level()).as("after " + alter).isEqualTo(Level.L3);
        }
        create("ReplacingMergeTree ORDER BY id SETTINGS non_replicated_deduplication_window = 1000");
        try (var sink = sink(PLACES, 1)) {
            assertThat(sink.ceiling(Bench.SHARD).level())
                    .as("what it merges away is not there to be read")
                    .isEqualTo(Level.L2);
        }
        create("Memory");
        try (var sink = sink(PLACES, 1)) {
            assertThat(sink.ceiling(Bench.SHARD).level()).isEqualTo(Level.L0);
            assertThat(sink.ceiling(Bench.SHARD).why()).contains("engine Memory");
        }
    }

    @Test
    @DisplayName("EO-11: a view whose target forgets makes it L0, with the statement that mends it")
    void views() {
        remembering(1000);
        store.execute("CREATE TABLE shop." + table + "_sums (id UInt64) ENGINE = MergeTree ORDER BY id");
        store.execute("CREATE MATERIALIZED VIEW shop." + table + "_view TO shop." + table
                + "_sums AS SELECT id FROM shop." + table);
        try (var sink = sink(PLACES, 1)) {
            var ceiling = sink.ceiling(Bench.SHARD);
            assertThat(ceiling.level()).isEqualTo(Level.L0);
            assertThat(ceiling.why()).contains("view shop." + table + "_view fills shop." + table + "_sums");
            store.execute(ceiling.why().substring(ceiling.why().indexOf("ALTER TABLE")));
            sink.describe(Bench.in(Bench.AMPLE));
            assertThat(sink.ceiling(Bench.SHARD).level()).isEqualTo(Level.L3);
        }
    }

    @Test
    @DisplayName(
            "EO-11: a table whose views nobody tells of is believed to remember as little as any, until somebody does")
    void untoldViews() throws IOException, InterruptedException {
        var server = new Visit.Server("26.8.4.1", Set.of(), "MergeTree", 1000, Map.of(), null);
        var memory = new TokenMemory(1);
        try (var fake = FakeServer.listen()
                        .says("'own_seconds'", "own_seconds\t\nviews\t1")
                        .refuses("arrayJoin", 497);
                var client = HttpClient.newHttpClient()) {
            var look = new MemoryLook(Bench.settings(), client, NanoClock.SYSTEM);
            var endpoint = ClickHouseEndpoint.of(fake.uri());
            look.at(endpoint, server, memory, Bench.in(Bench.AMPLE));
            assertThat(memory.known()).isFalse();
            assertThat(memory.blank()).as("no bound is known").isFalse();
            assertThat(memory.remembered()).isEqualTo(Remembered.UNTOLD);
            fake.says("arrayJoin", "");
            look.at(endpoint, server, memory, Bench.in(Bench.AMPLE));
            assertThat(memory.remembered().entries()).isEqualTo(1000);
            fake.refuses("arrayJoin", 497);
            look.at(endpoint, server, memory, Bench.in(Bench.AMPLE));
            assertThat(memory.remembered().entries()).as("as it was told").isEqualTo(1000);
        }
    }

    @Test
    @DisplayName("EO-11 WRT-11: replicas that share no tokens are L1, with what to do")
    void unshared() {
        remembering(1000);
        try (var sink = sink(PLACES, 2)) {
            assertThat(sink.ceiling(Bench.SHARD).level()).isEqualTo(Level.L1);
            assertThat(sink.ceiling(Bench.SHARD).why()).contains("use ReplicatedMergeTree with one path");
        }
    }

    @Test
    @DisplayName("EO-11: a window that a replay outlasts at the expected rate is told at the start, with what to set")
    void tooFew() {
        remembering(100);
        try (var sink = Bench.sink(Bench.settings(table, PLACES), replicas(1))) {
            var described = (Description.Described) sink.describe(Bench.in(Bench.AMPLE));
            assertThat(described.hazards())
                    .anyMatch(hazard -> hazard.contains("remembers 100 tokens")
                            && hazard.contains("at 4 a second that is 25 s")
                            && hazard.endsWith("MODIFY SETTING non_replicated_deduplication_window = 15000"));
            assertThat(sink.ceiling(Bench.SHARD).why()).contains("a crash with its replay takes 60 s");
        }
    }

    @Test
    @DisplayName("EO-11: a shard whose level changes while it runs is told, once")
    void changes() {
        remembering(1000);
        try (var log = LogLines.of(Preflight.class);
                var sink = sink(PLACES, 1)) {
            store.execute("ALTER TABLE shop." + table + " MODIFY SETTING non_replicated_deduplication_window = 0");
            for (var i = 0; i < 2; i++) sink.describe(Bench.in(Bench.AMPLE));
            assertThat(sink.ceiling(Bench.SHARD).level()).isEqualTo(Level.L0);
            assertThat(log.lines().stream().filter(line -> line.contains("recognise of repeats changed")))
                    .hasSize(1);
        }
    }

    @Test
    @DisplayName("CH-9: a server that may lose interrupted inserts is L0 without coordinates, and never more silently")
    void mayBeLost() throws Exception {
        try (var stub = Stub.listen(Stub.ok()).ofVersion("26.7.2.1");
                var sink = Bench.sink(Bench.settings(Coordinates.NONE), stub.uri())) {
            assertThat(sink.ceiling(Bench.SHARD).level()).isEqualTo(Level.L0);
            assertThat(sink.ceiling(Bench.SHARD).why()).contains("has not answered");
            sink.describe(Bench.in(Bench.AMPLE));
            assertThat(sink.ceiling(Bench.SHARD).level()).isEqualTo(Level.L0);
            assertThat(sink.ceiling(Bench.SHARD).why())
                    .contains("may lose rows", "upgrade ClickHouse", "clickhouse.coordinates");
            stub.ofVersion("26.9.1.1");
            sink.describe(Bench.in(Bench.AMPLE));
            assertThat(sink.ceiling(Bench.SHARD).level()).isEqualTo(Level.L2);
            assertThat(sink.recognition(Bench.SHARD).windowNanos())
                    .as("at our own four inserts a second")
                    .isEqualTo(2250 * SECOND);
        }
    }
}
