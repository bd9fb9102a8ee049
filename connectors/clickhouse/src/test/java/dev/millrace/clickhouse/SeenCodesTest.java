package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.clickhouse.Codes.Says;
import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Tls;
import dev.millrace.lab.clickhouse.ClickHouseEngine;
import dev.millrace.lab.clickhouse.ClickHouseFront;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.FrontSettings;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.Collections;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Each line of the table of codes that says the engine was provoked to it: here it is.
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class SeenCodesTest {
    private static final String COLUMNS =
            "id UInt64, s String, d Date, t DateTime, e Enum('a' = 1), u UUID, x Decimal(9, 2),"
                    + " b Bool, ip IPv4, ip6 IPv6, a Array(UInt8), f FixedString(3), n Nested(p UInt8, q UInt8), c UInt8,"
                    + " boom UInt8 DEFAULT throwIf(id = 77), CONSTRAINT k CHECK c < 9";

    private static final Map<Integer, String> BAD_ROWS = Map.ofEntries(
            Map.entry(25, "{\"s\":\"\\ud800\"}"),
            Map.entry(26, "{\"s\":\"abc}"),
            Map.entry(27, "{\"id\":\"abc\"}"),
            Map.entry(32, "{\"a\":[1,"),
            Map.entry(33, "{\"id\":1"),
            Map.entry(38, "{\"d\":\"x\"}"),
            Map.entry(41, "{\"t\":\"x\"}"),
            Map.entry(69, "{\"x\":123456789.12}"),
            Map.entry(72, "{\"id\":-1}"),
            Map.entry(117, "{\"nobody\":1}"),
            Map.entry(130, "{\"a\":5}"),
            Map.entry(131, "{\"f\":\"abcd\"}"),
            Map.entry(190, "{\"n.p\":[1],\"n.q\":[1,2]}"),
            Map.entry(376, "{\"u\":\"x\"}"),
            Map.entry(467, "{\"b\":\"maybe\"}"),
            Map.entry(469, "{\"c\":9}"),
            Map.entry(675, "{\"ip\":\"x\"}"),
            Map.entry(676, "{\"ip6\":\"x\"}"),
            Map.entry(691, "{\"e\":\"b\"}"));

    private final TreeSet<Integer> seen = new TreeSet<>();

    @Test
    @DisplayName(
            "CH-4: the engine answers with each code that the table says it was provoked to, and stores nothing with"
                    + " those that blame rows")
    void provoked() throws Exception {
        assumeTrue(EngineLibrary.available());
        try (var engine = ClickHouseEngine.launch();
                var front = ClickHouseFront.launch(engine, FrontSettings.open().user("ingest", "s3cret"))) {
            engine.execute("CREATE DATABASE shop");
            engine.execute("CREATE TABLE shop.t (" + COLUMNS + ") ENGINE = MergeTree ORDER BY id");
            engine.execute("CREATE TABLE shop.p (id UInt64) ENGINE = MergeTree PARTITION BY id ORDER BY id SETTINGS"
                    + " parts_to_throw_insert = 2, parts_to_delay_insert = 2");
            engine.execute("SYSTEM STOP MERGES shop.p");
            badRows(engine, front);
            limits(front);
            things(engine, front);
        }
        var said = new TreeSet<Integer>();
        for (var rule : Codes.TABLE) if (rule.source().equals(Codes.PROVOKED)) said.add(rule.code());
        assertThat(seen).isEqualTo(said);
    }

    private static Bench bench(ClickHouseFront front, String table, Map<String, String> extra) throws Exception {
        return Bench.open(Bench.settings(table, Compression.NONE, () -> "s3cret", Tls.DEFAULTS, extra), front.url());
    }

    private void badRows(ClickHouseEngine engine, ClickHouseFront front) throws Exception {
        try (var bench = bench(front, "t", Map.of())) {
            for (var bad : BAD_ROWS.entrySet()) {
                says(bad.getKey(), "", bench.write(bad.getValue()));
                assertThat(Codes.of(bad.getKey(), "").says()).isEqualTo(Says.ROWS);
                assertThat(engine.count("shop.t")).as(bad.getValue()).isZero();
            }
            says(395, "", bench.write("{\"id\":77}"));
        }
    }

    private void limits(ClickHouseFront front) throws Exception {
        try (var bench = bench(front, "t", Map.of("max_memory_usage", "1000000"))) {
            var large = Lines.batch(1 << 16, Collections.nCopies(200_000, "{\"id\":1,\"s\":\"abcdefghijklmnop\"}"));
            says(241, "", bench.writer().write(new Call(large, "run/1", Bench.AMPLE)));
        }
        try (var bench = bench(front, "p", Map.of("max_partitions_per_insert_block", "1"))) {
            says(252, "Too many partitions", bench.write("{\"id\":1}", "{\"id\":2}"));
        }
        try (var bench = bench(front, "p", Map.of("max_partitions_per_insert_block", "0"))) {
            WriteOutcome last = new WriteOutcome.Written(0, 0);
            for (var i = 0; i < 4 && last instanceof WriteOutcome.Written; i++)
                last = bench.write(Bench.AMPLE, "run/" + i, "{\"id\":1}");
            says(252, "Too many parts", last);
        }
        try (var bench = bench(front, "t", Map.of("insert_quorums", "1"))) {
            says(115, "", bench.write("{}"));
        }
    }

    private void things(ClickHouseEngine engine, ClickHouseFront front) throws Exception {
        try (var bench = bench(front, "t", Map.of())) {
            engine.execute("DROP TABLE shop.t SYNC");
            says(60, "", bench.write("{}"));
            engine.execute("CREATE VIEW shop.t AS SELECT 1 AS id");
            says(48, "", bench.write("{}"));
            engine.execute("DROP DATABASE shop SYNC");
            says(81, "", bench.write("{}"));
        }
    }

    private void says(int code, String text, WriteOutcome outcome) {
        var failure = switch (outcome) {
            case WriteOutcome.Refused(var why, var _) -> why;
            case WriteOutcome.TooLarge(var why) -> why;
            case WriteOutcome.Misconfigured(var why) -> why;
            case WriteOutcome.Unavailable(var why, var _) -> why;
            case WriteOutcome.Written _ -> throw new AssertionError(code + " was not provoked");
        };
        assertThat(failure.code()).as(failure.message()).isEqualTo(Integer.toString(code));
        assertThat(failure.message()).startsWith(Codes.of(code, text).words());
        seen.add(code);
    }
}
