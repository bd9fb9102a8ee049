package dev.millrace.clickhouse;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Tls;
import dev.millrace.lab.clickhouse.ClickHouseEngine;
import dev.millrace.lab.clickhouse.ClickHouseFront;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.FrontSettings;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Refused;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// The page `fits.txt`: type, JSON value, and what becomes of it. For a value that is sent: what the real
/// engine has then, or its own refusal. For one that is refused: the reason. Where the engine, left to
/// read the JSON itself, makes something else of it, that stands behind.
@Tag("FMT-3")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FitTest {
    private static final String PAGE = "fits.txt";
    private static final String BETWEEN = " | ";

    private ClickHouseEngine engine;
    private ClickHouseFront front;

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

    private static Map<String, List<String>> valuesByType() throws IOException {
        var values = new LinkedHashMap<String, List<String>>();
        for (var line : Golden.read(PAGE)) {
            var parts = line.split(" \\| ", 3);
            values.computeIfAbsent(parts[0], _ -> new ArrayList<>()).add(parts[1]);
        }
        return values;
    }

    @Test
    @DisplayName("CASE-41 CASE-42 CASE-43 INPUT-8 INPUT-9 INPUT-11 INPUT-12 INPUT-13 INPUT-16")
    void eachValueIsKeptAsItIsOrRefusedWithItsReason() throws Exception {
        var lines = new ArrayList<String>();
        for (var entry : valuesByType().entrySet()) {
            var type = entry.getKey();
            engine.execute("DROP TABLE IF EXISTS shop.t SYNC");
            engine.query(
                    "CREATE TABLE shop.t (c " + type + ") ENGINE = MergeTree ORDER BY tuple()",
                    Map.of("allow_suspicious_low_cardinality_types", "1"));
            try (var typed = Bench.open(Bench.typed("t"), front.url());
                    var untyped = Bench.open(
                            Bench.settings("t", Compression.NONE, () -> "s3cret", Tls.DEFAULTS, Map.of()),
                            front.url())) {
                for (var json : entry.getValue())
                    lines.add(type + BETWEEN + json + BETWEEN + fate(typed, untyped, "{ \"c\" : " + json + " }"));
            }
        }
        Golden.check(PAGE, lines);
    }

    private String fate(Bench typed, Bench untyped, String document) throws Exception {
        var left = stored(untyped.write(document));
        if (Lines.encode(typed.sink().encoder(), document) instanceof Encoded.Poison(var reason, var _))
            return "poison " + reason + BETWEEN + "left to the server: " + left;
        var here = stored(typed.encodeAndWrite("run/1", document));
        return "sent" + BETWEEN + here + (here.equals(left) ? "" : BETWEEN + "left to the server: " + left);
    }

    private String stored(WriteOutcome outcome) {
        try {
            return switch (outcome) {
                case Written _ -> {
                    var text = engine.query("SELECT * FROM shop.t");
                    yield text.length() > 100 ? text.length() + " characters" : "«" + text + "»";
                }
                case Refused refused -> "code " + refused.failure().code();
                default -> throw new AssertionError(outcome.toString());
            };
        } finally {
            engine.execute("TRUNCATE TABLE shop.t");
        }
    }
}
