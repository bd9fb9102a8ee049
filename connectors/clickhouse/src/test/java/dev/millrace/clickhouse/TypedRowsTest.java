package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.clickhouse.ClickHouseSettings.UnknownFields;
import dev.millrace.httpclient.Compression;
import dev.millrace.lab.clickhouse.ClickHouseEngine;
import dev.millrace.lab.clickhouse.ClickHouseFront;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.Fault;
import dev.millrace.lab.clickhouse.FrontSettings;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Misconfigured;
import dev.millrace.sinkpool.WriteOutcome.Refused;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.util.ArrayList;
import java.util.List;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Rows typed by a table's columns, in a real engine.
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TypedRowsTest {
    private static final AtomicInteger TABLES = new AtomicInteger();

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

    private void create(String columns) {
        table = "t" + TABLES.incrementAndGet();
        engine.execute("CREATE TABLE " + name() + " (" + columns
                + ") ENGINE = MergeTree ORDER BY tuple() SETTINGS non_replicated_deduplication_window = 1000");
    }

    private String name() {
        return "shop." + table;
    }

    private String rows() {
        return engine.query("SELECT * FROM " + name() + " ORDER BY ALL");
    }

    private Bench bench() throws InterruptedException {
        return Bench.open(Bench.typed(table), front.url());
    }

    private static String poison(RowEncoder encoder, String value) {
        return ((Encoded.Poison) Lines.encode(encoder, value)).reason();
    }

    private static void misconfigured(WriteOutcome outcome, String code) {
        assertThat(outcome).isInstanceOfSatisfying(Misconfigured.class, held -> {
            assertThat(held.failure().code()).isEqualTo(code);
            assertThat(held.failure().mayHaveStored()).isFalse();
        });
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    @DisplayName("CH-3: many rows behind one header are one part, packed or not, and the same again adds none")
    void storesOnce(Compression compression) throws Exception {
        create("id UInt64, s String, at DateTime64(3, 'UTC')");
        var values = new ArrayList<String>();
        for (var id = 0; id < 50_000; id++)
            values.add("{\"at\":\"2026-01-01T00:00:00.5Z\",\"s\":\"" + id + "\",\"id\":" + id + "}");
        try (var bench = Bench.open(Bench.typed(table, UnknownFields.REFUSE, compression), front.url())) {
            var rows = Lines.batch(bench.sink().encoder(), 4096, values);
            for (var i = 0; i < 2; i++)
                assertThat(bench.writer().write(new Call(rows, "run/1", Bench.AMPLE)))
                        .isEqualTo(new Written(50_000, 0));
        }
        assertThat(engine.queryLong("SELECT uniqExact(id) FROM " + name()
                        + " WHERE s = toString(id) AND toUnixTimestamp64Milli(at) = 1767225600500"))
                .isEqualTo(50_000);
        assertThat(engine.count(name())).isEqualTo(50_000);
        assertThat(engine.queryLong("SELECT count() FROM system.parts WHERE database = 'shop' AND table = '" + table
                        + "' AND active"))
                .isEqualTo(1);
    }

    @Test
    @DisplayName("POI-12: a body that is cut on its way is not stored")
    void bodyCut() throws Exception {
        create("id UInt64");
        var values = new ArrayList<String>();
        for (var id = 0; id < 20_000; id++) values.add("{\"id\":" + id + "}");
        try (var bench = bench()) {
            var rows = Lines.batch(bench.sink().encoder(), 4096, values);
            front.fault(Fault.cutRequest(1000).onInserts().times(1));
            assertThat(bench.writer().write(new Call(rows, "run/1", Bench.AMPLE)))
                    .isInstanceOf(Unavailable.class);
            assertThat(engine.count(name())).isZero();
            assertThat(bench.writer().write(new Call(rows, "run/1", Bench.AMPLE)))
                    .isEqualTo(new Written(20_000, 0));
        }
    }

    @Test
    @DisplayName("FMT-3 CASE-44 INPUT-15: a missing field is a default, null or poison; null is never a default")
    void missingAndNull() throws Exception {
        create("a UInt8, b Nullable(UInt8), c UInt32 DEFAULT a + 7, d Nullable(UInt8) DEFAULT 5, e UInt8 EPHEMERAL 3,"
                + " f UInt8 DEFAULT e + 1, m UInt8 MATERIALIZED a, al UInt8 ALIAS a");
        try (var bench = bench()) {
            assertThat(bench.encodeAndWrite(
                            "run/1",
                            "{\"a\":1}",
                            "{\"a\":2,\"b\":2,\"c\":2,\"d\":2,\"e\":2}",
                            "{\"a\":3,\"b\":null,\"d\":null,\"f\":9}"))
                    .isEqualTo(new Written(3, 0));
            assertThat(rows()).isEqualTo("1\t\\N\t8\t5\t4\n2\t2\t2\t2\t3\n3\t\\N\t10\t\\N\t9");
            var encoder = bench.sink().encoder();
            assertThat(poison(encoder, "{}")).isEqualTo("missing");
            assertThat(poison(encoder, "{\"a\":null}")).isEqualTo("null");
            assertThat(poison(encoder, "{\"a\":1,\"c\":null}")).isEqualTo("null");
            assertThat(poison(encoder, "{\"a\":1,\"m\":1}")).isEqualTo("unknown_field");
            assertThat(poison(encoder, "{\"a\":1,\"al\":1}")).isEqualTo("unknown_field");
        }
    }

    @Test
    @DisplayName("CASE-45 INPUT-14: a field without a column is poison, or left out and counted")
    void unknownFields() throws Exception {
        create("a UInt8, t Tuple(x UInt8)");
        var value = "{\"a\":1,\"b\":{\"c\":[1]},\"t\":{\"x\":1,\"y\":2}}";
        try (var bench = bench()) {
            assertThat(poison(bench.sink().encoder(), value)).isEqualTo("unknown_field");
        }
        try (var bench = Bench.open(Bench.typed(table, UnknownFields.IGNORE, Compression.NONE), front.url())) {
            assertThat(bench.encodeAndWrite("run/1", value, value)).isEqualTo(new Written(2, 0));
            assertThat(bench.sink().ignoredFields())
                    .containsEntry("b", 2L)
                    .containsEntry("y", 2L)
                    .hasSize(2);
            assertThat(rows()).isEqualTo("1\t(1)\n1\t(1)");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    DROP COLUMN b                      | 16
                    RENAME COLUMN b TO c               | 16
                    MODIFY COLUMN b UInt16             | 117
                    MODIFY COLUMN b Int32              | 117
                    MODIFY COLUMN b Nullable(UInt32)   | 117
                    MODIFY COLUMN b String             | 117
                    MODIFY COLUMN e Enum8('x' = 1, 'y' = 2) | 117
                    """)
    @DisplayName("CH-8 CASE-49: a table that changed under way refuses the whole batch by its header, and holds it")
    void changedUnderWay(String change, String code) throws Exception {
        create("a UInt8, b UInt32, e Enum8('x' = 1)");
        try (var bench = bench()) {
            var rows = Lines.batch(bench.sink().encoder(), 100, List.of("{\"a\":1,\"b\":70000,\"e\":\"x\"}"));
            engine.execute("ALTER TABLE " + name() + " " + change);
            misconfigured(bench.writer().write(new Call(rows, "run/1", Bench.AMPLE)), code);
            assertThat(engine.count(name())).isZero();
        }
    }

    @Test
    @DisplayName("CH-8: a column that was added under way is what the table fills in")
    void addedUnderWay() throws Exception {
        create("a UInt8");
        try (var bench = bench()) {
            engine.execute("ALTER TABLE " + name() + " ADD COLUMN b UInt8 DEFAULT a + 1 FIRST");
            assertThat(bench.encodeAndWrite("run/1", "{\"a\":1}")).isEqualTo(new Written(1, 0));
            assertThat(rows()).isEqualTo("2\t1");
            assertThat(poison(bench.sink().encoder(), "{\"a\":1,\"b\":1}")).isEqualTo("unknown_field");
        }
    }

    @Test
    @DisplayName("CH-8: a column of an enum or a default that has all kinds of signs in its name and words")
    void oddNames() throws Exception {
        create(
                "`a b``c\\\\d\\te` UInt8, `é` Enum8('\\t' = 1, '\\\\' = 2, '`\\'' = 3), `n.x` Array(UInt8), `n.y` Array(String)");
        try (var bench = bench()) {
            assertThat(bench.encodeAndWrite(
                            "run/1",
                            "{\"a b`c\\\\d\\te\":1,\"é\":\"\\t\",\"n.x\":[1],\"n.y\":[\"a\"]}",
                            "{\"a b`c\\\\d\\te\":2,\"é\":\"\\\\\",\"n.x\":[],\"n.y\":[]}",
                            "{\"a b`c\\\\d\\te\":3,\"é\":\"`'\",\"n.x\":[],\"n.y\":[]}"))
                    .isEqualTo(new Written(3, 0));
            assertThat(engine.query("SELECT toInt8(`é`) FROM " + name() + " ORDER BY 1"))
                    .isEqualTo("1\n2\n3");
        }
    }

    @Test
    @DisplayName(
            "CH-4: what only the server can tell of a row is still the row's: constraints, unlike lengths of Nested")
    void serverRefusesRows() throws Exception {
        create("a UInt8, n Nested(x UInt8, y UInt8), CONSTRAINT k CHECK a < 9");
        try (var bench = bench()) {
            for (var bad : List.of("{\"a\":9,\"n.x\":[],\"n.y\":[]}", "{\"a\":1,\"n.x\":[1],\"n.y\":[]}"))
                assertThat(bench.encodeAndWrite("run/1", "{\"a\":1,\"n.x\":[],\"n.y\":[]}", bad))
                        .as(bad)
                        .isInstanceOf(Refused.class);
            assertThat(engine.count(name())).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Variant(String, UInt8)",
                "Dynamic",
                "AggregateFunction(sum, UInt64)",
                "Point",
                "Time",
                "BFloat16",
                "JSON(a UInt8)",
                "IntervalDay",
                "Array(Variant(String, UInt8))"
            })
    @DisplayName("FMT-3: a type that no rows are made for is refused at the start, or left to its default")
    void unsupportedTypes(String type) throws Exception {
        create("a UInt8, v " + type);
        try (var sink = Bench.sink(Bench.typed(table), front.url())) {
            assertThat(sink.describe(Bench.in(Bench.AMPLE)))
                    .isInstanceOfSatisfying(
                            Description.Refused.class,
                            refused -> assertThat(refused.reason())
                                    .contains("column v", type.substring(0, 4), "format: json_each_row"));
            assertThatThrownBy(sink::encoder).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    @DisplayName("FMT-3: a column of an unknown type that has a default is left out, and that is told")
    void unsupportedWithDefault() throws Exception {
        create("a UInt8, v Variant(String, UInt8) DEFAULT 'x'");
        try (var bench = bench()) {
            assertThat(bench.encodeAndWrite("run/1", "{\"a\":1}")).isEqualTo(new Written(1, 0));
            assertThat(engine.query("SELECT * FROM " + name())).isEqualTo("1\tx");
            assertThat(poison(bench.sink().encoder(), "{\"a\":1,\"v\":\"y\"}")).isEqualTo("unknown_field");
            assertThat(bench.sink().describe(Bench.in(Bench.AMPLE)))
                    .isInstanceOfSatisfying(
                            Description.Described.class,
                            described -> assertThat(described.hazards())
                                    .anyMatch(hazard ->
                                            hazard.contains("column v") && hazard.contains("left to its default")));
        }
    }

    @Test
    @DisplayName("FMT-2 INPUT-1 INPUT-3 INPUT-4 INPUT-5 INPUT-6 INPUT-7 INPUT-8 INPUT-9")
    void whatIsNoObject() throws Exception {
        create("a UInt8");
        try (var bench = bench()) {
            var encoder = bench.sink().encoder();
            assertThat(((Encoded.Poison) Lines.encode(encoder, (byte[]) null)).reason())
                    .isEqualTo("null_value");
            assertThat(poison(encoder, "")).isEqualTo("empty");
            assertThat(poison(encoder, " \n")).isEqualTo("empty");
            assertThat(poison(encoder, "{\"a\":1")).isEqualTo("truncated");
            assertThat(poison(encoder, "{\"a\":1}{\"a\":2}")).isEqualTo("trailing");
            assertThat(poison(encoder, "{\"a\":1,\"a\":1}")).isEqualTo("duplicate_key");
            assertThat(poison(encoder, "{\"a\":" + "[".repeat(100_000))).isEqualTo("too_deep");
            assertThat(poison(encoder, "{\"a\":" + "1".repeat(1 << 20) + "}")).isEqualTo("number_too_long");
            assertThat(poison(encoder, "{\"a\":NaN}")).isEqualTo("not_a_number");
            assertThat(poison(encoder, "[1]")).isEqualTo("not_an_object");
            assertThat(((Encoded.Poison) Lines.encode(encoder, new byte[] {'{', (byte) 0xC0, '}'})).reason())
                    .isEqualTo("bad_utf8");
        }
    }
}
