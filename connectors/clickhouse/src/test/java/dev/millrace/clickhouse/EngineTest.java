package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Tls;
import dev.millrace.lab.clickhouse.Answer;
import dev.millrace.lab.clickhouse.ClickHouseEngine;
import dev.millrace.lab.clickhouse.ClickHouseFront;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.Fault;
import dev.millrace.lab.clickhouse.FrontSettings;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import dev.millrace.sinkpool.WriteOutcome.Misconfigured;
import dev.millrace.sinkpool.WriteOutcome.Refused;
import dev.millrace.sinkpool.WriteOutcome.TooLarge;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The writer against the real engine behind a front that plays the server.
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EngineTest {
    private static final AtomicInteger TABLES = new AtomicInteger();
    private static final String WINDOW = " SETTINGS non_replicated_deduplication_window = 1000";

    private ClickHouseEngine engine;
    private ClickHouseFront front;
    private String table = "";

    @BeforeAll
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void launch() {
        assumeTrue(EngineLibrary.available());
        engine = ClickHouseEngine.launch();
        front = ClickHouseFront.launch(engine, FrontSettings.open().user("ingest", "s3cret"));
        engine.execute("CREATE DATABASE shop");
    }

    @AfterEach
    void heal() {
        front.heal();
    }

    @AfterAll
    void end() {
        if (front != null) front.close();
        if (engine != null) engine.close();
    }

    private void create(String columns, String order) {
        table = "t" + TABLES.incrementAndGet();
        engine.execute("CREATE TABLE " + name() + " (" + columns + ") ENGINE = MergeTree " + order + WINDOW);
    }

    private void create() {
        create("id UInt64, s String", "ORDER BY id");
    }

    private String name() {
        return "shop." + table;
    }

    private long count() {
        return engine.count(name());
    }

    private Bench bench(Compression compression) throws InterruptedException {
        return Bench.open(Bench.settings(table, compression, () -> "s3cret", Tls.DEFAULTS, Map.of()), front.url());
    }

    private Bench bench() throws InterruptedException {
        return bench(Compression.NONE);
    }

    private static String[] rows(int from, int to) {
        var rows = new ArrayList<String>();
        for (var id = from; id < to; id++) rows.add("{\"id\":" + id + ",\"s\":\"" + id + "\"}");
        return rows.toArray(String[]::new);
    }

    private static void mayHaveStored(WriteOutcome outcome) {
        assertThat(outcome).isInstanceOf(Unavailable.class);
        assertThat(((Unavailable) outcome).failure().mayHaveStored()).isTrue();
    }

    private static void refused(WriteOutcome outcome, int row) {
        assertThat(outcome).isInstanceOfSatisfying(Refused.class, refused -> {
            assertThat(refused.rowHint()).as(refused.toString()).isEqualTo(row);
            assertThat(refused.failure().mayHaveStored()).isFalse();
        });
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    @DisplayName("CASE-13, CH-1: every row is stored, in one part, and the same batch again adds none")
    void storesOnce(Compression compression) throws Exception {
        create();
        try (var bench = bench(compression)) {
            var rows = Lines.batch(4096, List.of(rows(0, 50_000)));
            for (var i = 0; i < 3; i++)
                assertThat(bench.writer().write(new Call(rows, "run/1", Bench.AMPLE)))
                        .isEqualTo(new Written(50_000, 0));
            assertThat(count()).isEqualTo(50_000);
            assertThat(engine.queryLong("SELECT uniqExact(id) FROM " + name() + " WHERE s = toString(id)"))
                    .isEqualTo(50_000);
            assertThat(engine.queryLong("SELECT count() FROM system.parts WHERE database = 'shop' AND table = '" + table
                            + "' AND active"))
                    .isEqualTo(1);
        }
    }

    @Test
    @DisplayName("CH-2: the engine of today knows every setting that is asked about")
    void knowsEverySetting() throws Exception {
        create();
        try (var bench = bench()) {
            assertThat(bench.sink().describe(Bench.in(Bench.AMPLE)))
                    .isInstanceOfSatisfying(Description.Described.class, described -> {
                        assertThat(described.knownSettings()).isEqualTo(InsertSettings.asked());
                        assertThat(described.version()).isEqualTo(ClickHouseFront.VERSION);
                        assertThat(described.hazards())
                                .as("it is not replicated, and rows do not tell where they came from")
                                .singleElement()
                                .asString()
                                .contains("killed", "clickhouse.coordinates");
                    });
        }
    }

    @Test
    @DisplayName("CH-4: each code of the table has the name that the engine has for it")
    void namesOfCodes() {
        var names = new HashMap<String, String>();
        engine.query("SELECT code, name FROM system.errors SETTINGS system_events_show_zero_values = 1")
                .lines()
                .forEach(line -> names.put(line.split("\t", -1)[0], line.split("\t", -1)[1]));
        assertThat(names).hasSizeGreaterThan(600);
        for (var rule : Codes.TABLE) assertThat(names).containsEntry(Integer.toString(rule.code()), rule.name());
    }

    @Test
    @DisplayName("CH-4: a row that the engine does not read is named, and nothing is stored")
    void badRows() throws Exception {
        create(
                "id UInt64, s String, d Date, e Enum('a' = 1), u UUID, x Decimal(9, 2), c UInt8, CONSTRAINT k CHECK c < 9",
                "ORDER BY id");
        try (var bench = bench()) {
            for (var bad : List.of(
                    "{\"id\":\"m4rker\"}",
                    "{\"id\":-1}",
                    "{\"id\":1.5}",
                    "{\"id\":{}}",
                    "{\"d\":\"m4rker\"}",
                    "{\"e\":\"m4rker\"}",
                    "{\"u\":\"m4rker\"}",
                    "{\"x\":123456789.12}",
                    "{\"id\":1,\"id\":2}",
                    "{\"nobody\":1}",
                    "{\"c\":9}")) {
                var outcome = bench.write("{\"id\":1}", "{\"id\":2}", bad, "{\"id\":4}");
                assertThat(outcome.toString()).doesNotContain("m4rker");
                assertThat(outcome).as(bad).isInstanceOf(Refused.class);
                refused(outcome, 2);
                assertThat(count()).as(bad).isZero();
            }
        }
    }

    @Test
    @DisplayName("CASE-14, CH-5: a view that throws leaves the rows stored: ambiguous, and the same again adds none")
    void viewThrows() throws Exception {
        create();
        engine.execute("CREATE TABLE " + name() + "_sums (id UInt64) ENGINE = MergeTree ORDER BY id" + WINDOW);
        engine.execute("CREATE MATERIALIZED VIEW " + name() + "_view TO " + name()
                + "_sums AS SELECT id + throwIf(s = '1') AS id FROM " + name());
        try (var bench = bench()) {
            mayHaveStored(bench.write(rows(0, 3)));
            assertThat(count()).isEqualTo(3);
            mayHaveStored(bench.write(rows(0, 3)));
            assertThat(count()).isEqualTo(3);
            engine.execute("DROP VIEW " + name() + "_view SYNC");
            assertThat(bench.write(rows(0, 3))).isEqualTo(new Written(3, 0));
            assertThat(count()).isEqualTo(3);
        }
    }

    @Test
    @DisplayName(
            "CASE-16 INPUT-47, CH-4: more partitions than an insert may have are too large; too many parts are an overload")
    void partitionsAndParts() throws Exception {
        create("id UInt64, s String", "PARTITION BY id ORDER BY id");
        try (var bench = bench()) {
            assertThat(bench.write(rows(0, 101))).isInstanceOf(TooLarge.class);
            assertThat(count()).isZero();
            assertThat(bench.write(rows(0, 100))).isEqualTo(new Written(100, 0));
        }
        create();
        engine.execute("SYSTEM STOP MERGES " + name());
        engine.execute(
                "ALTER TABLE " + name() + " MODIFY SETTING parts_to_throw_insert = 2, parts_to_delay_insert = 2");
        try (var bench = bench()) {
            WriteOutcome last = new Written(0, 0);
            for (var i = 0; i < 4 && last instanceof Written; i++)
                last = bench.write(Bench.AMPLE, "run/" + i, rows(i, i + 1));
            mayHaveStored(last);
            assertThat(((Unavailable) last).blame()).isEqualTo(new Blame.Overload(0));
        }
    }

    @Test
    @DisplayName(
            "POI-12: an answer that is lost after the rows were stored: the same again adds none, also after a kill")
    void answerLost() throws Exception {
        create();
        try (var bench = bench()) {
            front.fault(Fault.loseAnswer().onInserts().times(1));
            mayHaveStored(bench.write(rows(0, 10)));
            assertThat(count()).isEqualTo(10);
            engine.kill();
            var away = bench.write(rows(0, 10));
            assertThat(away).isInstanceOf(Unavailable.class);
            engine.start();
            assertThat(bench.ping()).isEqualTo(new Written(0, 0));
            assertThat(bench.write(rows(0, 10))).isEqualTo(new Written(10, 0));
            assertThat(count()).isEqualTo(10);
        }
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    @DisplayName("CASE-3, POI-12: a body that is cut on its way is not stored, packed or not")
    void bodyCut(Compression compression) throws Exception {
        create();
        try (var bench = bench(compression)) {
            front.fault(Fault.cutRequest(1000).onInserts().times(1));
            var rows = Lines.batch(4096, List.of(rows(0, 20_000)));
            mayHaveStored(bench.writer().write(new Call(rows, "run/1", Bench.AMPLE)));
            assertThat(count()).isZero();
            assertThat(bench.writer().write(new Call(rows, "run/1", Bench.AMPLE)))
                    .isEqualTo(new Written(20_000, 0));
            assertThat(count()).isEqualTo(20_000);
        }
    }

    @Test
    @DisplayName(
            "CASE-2 INPUT-39, CH-1: answers that lie after the rows were stored are failures, and the same again adds none")
    void lies() throws Exception {
        create();
        try (var bench = bench()) {
            for (var answer : List.of(
                    Answer.okWithExceptionHeader(209, "SOCKET_TIMEOUT", "Timeout exceeded"),
                    Answer.okWithExceptionInBody(241, "MEMORY_LIMIT_EXCEEDED", "no"),
                    Answer.okWithTaggedException(241, "MEMORY_LIMIT_EXCEEDED", "no"),
                    Answer.of(504, "gateway"),
                    Answer.of(200, "<html>"))) {
                front.fault(Fault.answerAfterwards(answer).onInserts().times(1));
                mayHaveStored(bench.write(rows(0, 10)));
                front.heal();
            }
            assertThat(bench.write(rows(0, 10))).isEqualTo(new Written(10, 0));
            assertThat(count()).isEqualTo(10);
        }
    }

    @Test
    @DisplayName(
            "CASE-10: an insert of which the server does not know what became is ambiguous, and the same again adds"
                    + " none")
    void unknownStatus() throws Exception {
        create();
        try (var bench = bench()) {
            var unknown = Answer.exception(319, "UNKNOWN_STATUS_OF_INSERT", "Unknown status, client must retry");
            front.fault(Fault.answerAfterwards(unknown).onInserts().times(2));
            for (var i = 0; i < 2; i++) mayHaveStored(bench.write(rows(0, 10)));
            assertThat(bench.write(rows(0, 10))).isEqualTo(new Written(10, 0));
            assertThat(count()).isEqualTo(10);
        }
    }

    @Test
    @DisplayName(
            "CASE-11: a batch over several partitions is all there when it is said to be, and once, on a server that"
                    + " would collect inserts by itself")
    void severalPartitions() throws Exception {
        create("id UInt64, s String", "PARTITION BY id % 4 ORDER BY id");
        assertThat(engine.query("SELECT value FROM system.settings WHERE name = 'async_insert'")
                        .strip())
                .isEqualTo("1");
        try (var bench = bench()) {
            for (var from = 0; from < 3; from++)
                for (var i = 0; i < 2; i++) {
                    assertThat(bench.write(Bench.AMPLE, "run/" + from, rows(from * 10, from * 10 + 10)))
                            .isEqualTo(new Written(10, 0));
                    assertThat(count()).isEqualTo(from * 10 + 10);
                }
        }
    }

    @Test
    @DisplayName("CASE-3: the engine's own count of a success says no less than was sent: of a repeat, of rows that"
            + " replace each other, with a view behind")
    void countsOfTheEngine() throws Exception {
        table = "t" + TABLES.incrementAndGet();
        engine.execute(
                "CREATE TABLE " + name() + " (id UInt64, s String) ENGINE = ReplacingMergeTree ORDER BY s" + WINDOW);
        engine.execute("CREATE MATERIALIZED VIEW " + name()
                + "_view ENGINE = MergeTree ORDER BY n AS SELECT count() AS n" + " FROM " + name());
        try (var bench = bench()) {
            for (var i = 0; i < 2; i++)
                assertThat(bench.write("{\"id\":1,\"s\":\"a\"}", "{\"id\":2,\"s\":\"a\"}", "{\"id\":3,\"s\":\"a\"}"))
                        .isEqualTo(new Written(3, 0));
        }
    }

    @Test
    @DisplayName("CH-6: a refusal before the body is read is never a success, however large the body")
    void earlyAnswer() throws Exception {
        create();
        try (var bench = bench()) {
            front.fault(
                    Fault.answerEarly(Answer.of(413, "too large")).onInserts().times(1));
            var rows = Lines.batch(1 << 16, List.of(rows(0, 300_000)));
            var outcome = bench.writer().write(new Call(rows, "run/1", Bench.AMPLE));
            assertThat(outcome).isNotInstanceOfAny(Written.class, Refused.class, Misconfigured.class);
            assertThat(count()).isZero();
        }
    }

    @Test
    @DisplayName("CH-4: a table or column that is not there holds the batch")
    void notThere() throws Exception {
        create();
        try (var bench = bench()) {
            engine.execute("DROP TABLE " + name() + " SYNC");
            assertThat(bench.write(rows(0, 1)))
                    .isInstanceOfSatisfying(
                            Misconfigured.class,
                            outcome -> assertThat(outcome.failure().code()).isEqualTo("60"));
            assertThat(bench.sink().describe(Bench.in(Bench.AMPLE)))
                    .isInstanceOfSatisfying(
                            Description.Refused.class,
                            refused -> assertThat(refused.reason()).contains("has no table shop." + table));
        }
    }

    @Test
    @DisplayName("CH-7: a wrong password holds the batch")
    void wrongPassword() throws Exception {
        create();
        try (var wrong = Bench.sink(
                Bench.settings(table, Compression.NONE, () -> "other", Tls.DEFAULTS, Map.of()), front.url())) {
            assertThat(wrong.describe(Bench.in(Bench.AMPLE))).isInstanceOf(Description.Refused.class);
        }
    }

    @Test
    @DisplayName("CH-2: a table that remembers no tokens is told")
    void hazards() throws Exception {
        table = "t" + TABLES.incrementAndGet();
        engine.execute("CREATE TABLE " + name() + " (id UInt64) ENGINE = MergeTree ORDER BY id");
        assertThat(hazard()).contains("non_replicated_deduplication_window");
        engine.execute("DROP TABLE " + name() + " SYNC");
        engine.execute("CREATE TABLE " + name() + " (id UInt64) ENGINE = Memory");
        assertThat(hazard()).contains("Memory");
    }

    private String hazard() throws InterruptedException {
        try (var bench = bench()) {
            var described = (Description.Described) bench.sink().describe(Bench.in(Bench.AMPLE));
            return described.hazards().getFirst();
        }
    }
}
