package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.clickhouse.ClickHouseSettings.Format;
import dev.millrace.clickhouse.ClickHouseSettings.Limits;
import dev.millrace.clickhouse.ClickHouseSettings.Login;
import dev.millrace.clickhouse.ClickHouseSettings.Rows;
import dev.millrace.clickhouse.ClickHouseSettings.UnknownFields;
import dev.millrace.clickhouse.Coordinates.Part;
import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Tls;
import dev.millrace.lab.clickhouse.ClickHouseEngine;
import dev.millrace.lab.clickhouse.ClickHouseFront;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.FrontSettings;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import dev.millrace.sinkpool.WriteOutcome.Refused;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Columns of coordinates on the real engine.
@Timeout(300)
@Tag("CH-9")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CoordinatesOnEngineTest {
    private static final AtomicInteger TABLES = new AtomicInteger();
    private static final String COLUMNS = "_topic LowCardinality(String), _partition Int32, _offset Int64,"
            + " _timestamp DateTime64(3, 'Asia/Tokyo'), _key Nullable(String),"
            + " _headers Array(Tuple(String, Nullable(String)))";

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

    @AfterAll
    void end() {
        if (front != null) front.close();
        if (engine != null) engine.close();
    }

    private void create(String columns) {
        table = "c" + TABLES.incrementAndGet();
        engine.execute("CREATE TABLE shop." + table + " (" + columns + ") ENGINE = MergeTree ORDER BY tuple()"
                + " SETTINGS non_replicated_deduplication_window = 1000");
    }

    private ClickHouseSettings settings(Coordinates coordinates, UnknownFields unknown) {
        return settings(Format.JSON_EACH_ROW, coordinates, unknown);
    }

    private ClickHouseSettings settings(Format format, Coordinates coordinates, UnknownFields unknown) {
        return new ClickHouseSettings(
                "shop",
                table,
                new Login("ingest", () -> "s3cret", Tls.DEFAULTS),
                new Rows(format, unknown, coordinates),
                Compression.NONE,
                new Limits(Duration.ofSeconds(20)),
                Map.of());
    }

    private Bench bench(Format format) throws InterruptedException {
        return Bench.open(settings(format, CoordinateEncoderTest.all(), UnknownFields.REFUSE), front.url());
    }

    @ParameterizedTest
    @EnumSource(Format.class)
    @DisplayName("CH-9: each coordinate arrives exactly, whatever bytes key and headers are")
    void exact(Format format) throws Exception {
        create("id UInt8, " + COLUMNS);
        var bytes = new byte[256];
        for (var i = 0; i < bytes.length; i++) bytes[i] = (byte) i;
        var records = List.of(
                ARecord.of(" {\"id\":1}").at("orders", 3, 5).key(bytes).header("a\"ü", bytes),
                ARecord.of("{\"id\":2}").at("a.b-c", 0, Long.MAX_VALUE).timestamp(-1),
                ARecord.of("{\"id\":0}")
                        .at("orders", Integer.MAX_VALUE, 6)
                        .key(new byte[0])
                        .timestamp(32_503_680_000_000L)
                        .header("h", null)
                        .header("h", new byte[0]));
        try (var bench = bench(format)) {
            var rows = Lines.encoded(bench.sink().encoder(), records);
            assertThat(bench.writer().write(new Call(rows, "run/1", Bench.AMPLE)))
                    .isEqualTo(new Written(3, 0));
        }
        var all = HexFormat.of().withUpperCase().formatHex(bytes);
        assertThat(engine.query("SELECT id, _topic, _partition, _offset, toUnixTimestamp64Milli(_timestamp), hex(_key),"
                        + " arrayMap(h -> (h.1, hex(h.2)), _headers) FROM shop." + table + " ORDER BY _topic, _offset"))
                .isEqualTo("2\ta.b-c\t0\t9223372036854775807\t-1\t\\N\t[]\n"
                        + "1\torders\t3\t5\t1700000000123\t" + all + "\t[('a\"ü','" + all + "')]\n"
                        + "0\torders\t2147483647\t6\t32503680000000\t\t[('h',NULL),('h','')]");
    }

    @Test
    @DisplayName(
            "CH-9: a table that is not replicated may know a token and lack its rows: they are read, and sent again")
    void rememberedWithoutItsRows() throws Exception {
        create("id UInt8, " + COLUMNS);
        try (var bench = bench(Format.JSON_EACH_ROW)) {
            var rows = Lines.encoded(
                    bench.sink().encoder(), List.of(ARecord.of("{\"id\":1}").at("orders", 0, 5)));
            var first = new Call(rows, "run/1", Bench.AMPLE);
            assertThat(bench.writer().write(first)).isEqualTo(new Written(1, 0));
            engine.execute("DELETE FROM shop." + table + " WHERE 1");

            assertThat(bench.writer().write(first)).as("what the server says").isEqualTo(new Written(1, 0));
            assertThat(engine.count("shop." + table)).isZero();

            assertThat(bench.writer().write(Call.again(rows, "run/1", Bench.AMPLE)))
                    .isEqualTo(new Written(1, 0));
            assertThat(engine.count("shop." + table)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(UnknownFields.class)
    @DisplayName("CH-9: the engine lets no member stand for a coordinate either, in whatever case and place")
    void twiceOnTheEngine(UnknownFields unknown) throws Exception {
        create("id UInt8, _offset Int64");
        var offset = new Coordinates(new TreeMap<>(Map.of(Part.OFFSET, "_offset")));
        try (var bench = Bench.open(settings(offset, unknown), front.url())) {
            for (var row : List.of(
                    "{\"_offset\":1,\"id\":1,\"_offset\":2}",
                    "{\"_offset\":1,\"id\":1,\"\\u005foffset\":2}",
                    "{\"_offset\":1,\"_offset\":2}"))
                assertThat(bench.write(row)).as(row).isInstanceOf(Refused.class);
            var other = bench.write("{\"_offset\":1,\"id\":1,\"_OFFSET\":2}");
            if (unknown == UnknownFields.REFUSE) assertThat(other).isInstanceOf(Refused.class);
            else assertThat(other).isEqualTo(new Written(1, 0));
            assertThat(engine.query("SELECT DISTINCT _offset FROM shop." + table))
                    .isEqualTo(unknown == UnknownFields.REFUSE ? "" : "1");
        }
    }

    @ParameterizedTest
    @EnumSource(UnknownFields.class)
    @DisplayName("CH-9 INPUT-6: in typed rows no member stands for a coordinate")
    void twiceInTypedRows(UnknownFields unknown) throws Exception {
        create("id UInt8, _offset Int64");
        var offset = new Coordinates(new TreeMap<>(Map.of(Part.OFFSET, "_offset")));
        try (var bench = Bench.open(settings(Format.ROW_BINARY, offset, unknown), front.url())) {
            for (var value : List.of("{\"id\":1,\"_offset\":2}", "{\"id\":1,\"\\u005foffset\":2}"))
                assertThat(Lines.encode(bench.sink().encoder(), value))
                        .isEqualTo(new Encoded.Poison("duplicate_key", "in the value for column _offset"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            id UInt8                                                | TOPIC     | no column _topic: add it
            _topic UInt8                                            | TOPIC     | the column _topic is UInt8: make it String
            _partition UInt16                                       | PARTITION | is UInt16: make it Int32
            _offset Int32                                           | OFFSET    | is Int32: make it Int64 or UInt64
            _offset String                                          | OFFSET    | is String: make it Int64 or UInt64
            _timestamp DateTime64(6)                                | TIMESTAMP | is DateTime64(6): make it DateTime64(3)
            _timestamp DateTime                                     | TIMESTAMP | is DateTime: make it DateTime64(3)
            _key String                                             | KEY       | is String: make it Nullable(String)
            _headers Map(String, String)                            | HEADERS   | make it Array(Tuple(String, Nullable(String)))
            _headers Array(Tuple(n String, v Nullable(String)))     | HEADERS   | make it Array(Tuple(String, Nullable(String)))
            id UInt8, _offset Int64 MATERIALIZED 5                  | OFFSET    | is MATERIALIZED, so no insert stores into it
            id UInt8, _offset Int64 ALIAS id                        | OFFSET    | is ALIAS, so no insert stores into it
            id UInt8, _offset Int64 EPHEMERAL                       | OFFSET    | is EPHEMERAL, so no insert stores into it
            """)
    @DisplayName("CH-9: a column that is not there or does not fit is refused, with its type and the remedy")
    void unfit(String columns, Part part, String reason) throws Exception {
        create(columns);
        try (var sink = Bench.sink(
                settings(new Coordinates(new TreeMap<>(Map.of(part, "_" + part))), UnknownFields.REFUSE),
                front.url())) {
            assertThat(sink.describe(Bench.in(Bench.AMPLE)))
                    .isInstanceOfSatisfying(
                            Description.Refused.class,
                            refused -> assertThat(refused.reason()).contains("clickhouse.coordinates." + part, reason));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            _topic String                                 | TOPIC
            _topic Nullable(String)                       | TOPIC
            _topic LowCardinality(String)                 | TOPIC
            _topic LowCardinality(Nullable(String))       | TOPIC
            _partition UInt32                             | PARTITION
            _partition UInt64 DEFAULT 7                   | PARTITION
            _offset UInt64                                | OFFSET
            _timestamp Int64                              | TIMESTAMP
            _timestamp DateTime64(3)                      | TIMESTAMP
            _key LowCardinality(Nullable(String))         | KEY
            """)
    @DisplayName("CH-9: a column that fits is taken")
    void fit(String column, Part part) throws Exception {
        for (var format : Format.values()) fit(format, column, part);
    }

    private void fit(Format format, String column, Part part) throws Exception {
        create(column);
        var coordinates = new Coordinates(new TreeMap<>(Map.of(part, "_" + part)));
        try (var bench = Bench.open(settings(format, coordinates, UnknownFields.REFUSE), front.url())) {
            var rows = Lines.encoded(
                    bench.sink().encoder(),
                    List.of(ARecord.of("{}").at("1", 1, 1).timestamp(1).key(new byte[] {'1'})));
            assertThat(bench.writer().write(new Call(rows, "run/1", Bench.AMPLE)))
                    .isEqualTo(new Written(1, 0));
            assertThat(engine.query("SELECT "
                            + (column.contains("DateTime64") ? "toUnixTimestamp64Milli(_timestamp)" : "_" + part)
                            + " FROM shop." + table))
                    .isEqualTo("1");
        }
    }
}
