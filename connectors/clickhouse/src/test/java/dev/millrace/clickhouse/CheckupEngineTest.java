package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Tls;
import dev.millrace.lab.clickhouse.ClickHouseEngine;
import dev.millrace.lab.clickhouse.ClickHouseFront;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.FrontSettings;
import dev.millrace.sinkpool.Checkup;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Finding.Severity;
import dev.millrace.sinkpool.Guarantee.Level;
import dev.millrace.sinkpool.NanoClock;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// What a checkup finds at the real engine.
@Tag("CFG-4")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CheckupEngineTest {
    private static final AtomicInteger TABLES = new AtomicInteger();
    private static final String WINDOW = " SETTINGS non_replicated_deduplication_window = 1000";

    private ClickHouseEngine engine;
    private ClickHouseEngine other;
    private ClickHouseFront front;
    private ClickHouseFront otherFront;

    @BeforeAll
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void launch() {
        assumeTrue(EngineLibrary.available());
        engine = ClickHouseEngine.launch();
        other = ClickHouseEngine.launch();
        var login = FrontSettings.open().user("ingest", "s3cret");
        front = ClickHouseFront.launch(engine, login);
        otherFront = ClickHouseFront.launch(other, login);
        engine.execute("CREATE DATABASE shop");
        other.execute("CREATE DATABASE shop");
    }

    @AfterAll
    void end() {
        if (front != null) front.close();
        if (otherFront != null) otherFront.close();
        if (engine != null) engine.close();
        if (other != null) other.close();
    }

    private static String fresh() {
        return "c" + TABLES.incrementAndGet();
    }

    private String table(String columns, String engineText) {
        var name = fresh();
        engine.execute("CREATE TABLE shop." + name + " (" + columns + ") ENGINE = " + engineText);
        return name;
    }

    private Checkup look(String table, String password, URI... replicas) throws InterruptedException {
        var settings = Bench.settings(table, Compression.NONE, () -> password, Tls.DEFAULTS, Map.of());
        try (var sink = ClickHouseSink.open(
                settings, Map.of(Bench.SHARD, List.of(replicas)), () -> Lines.VERBATIM, NanoClock.SYSTEM)) {
            return sink.checkUp(Bench.in(Bench.AMPLE), InstantSource.system());
        }
    }

    private Checkup look(String table) throws InterruptedException {
        return look(table, "s3cret", front.url());
    }

    private static List<Finding> of(Checkup checkup, Severity severity) {
        return checkup.findings().stream()
                .filter(finding -> finding.severity() == severity)
                .toList();
    }

    /// But for what holds of every table here that remembers: none is replicated, and none has coordinates.
    private static List<Finding> hazards(Checkup checkup) {
        return of(checkup, Severity.HAZARD).stream()
                .filter(hazard -> !hazard.what().endsWith(InterruptedInserts.KILLED))
                .toList();
    }

    @Test
    void aTableThatRemembersAllowsL2AndNothingIsChangedByLooking() throws Exception {
        var table = table("id UInt64, d Date", "MergeTree PARTITION BY toYYYYMM(d) ORDER BY id" + WINDOW);
        front.clearRequests();
        var checkup = look(table);

        assertThat(checkup.guarantee().level()).isEqualTo(Level.L2);
        assertThat(checkup.guarantee().why()).startsWith("MergeTree remembers the last 1000 tokens");
        assertThat(of(checkup, Severity.FAULT)).isEmpty();
        assertThat(of(checkup, Severity.HAZARD))
                .singleElement()
                .satisfies(hazard -> assertThat(hazard.what()).endsWith(InterruptedInserts.KILLED));
        assertThat(of(checkup, Severity.NOTE))
                .anyMatch(note -> note.what().contains("more than 100 table partitions (toYYYYMM(d))"))
                .anyMatch(note -> note.what().contains("async_insert is on by default"))
                .noneMatch(note -> note.what().contains("does not tell"));
        assertThat(front.inserts()).isEmpty();
        assertThat(engine.count("shop." + table)).isZero();
    }

    @Test
    void aTableThatForgetsIsL0AndTheRemedyMendsIt() throws Exception {
        var table = table("id UInt64", "MergeTree ORDER BY id");
        var checkup = look(table);
        assertThat(checkup.guarantee().level()).isEqualTo(Level.L0);
        assertThat(of(checkup, Severity.HAZARD)).singleElement().satisfies(hazard -> {
            assertThat(hazard.what()).contains("remembers no tokens");
            engine.execute(hazard.remedy());
        });
        assertThat(look(table).guarantee().level()).isEqualTo(Level.L2);
    }

    @Test
    @DisplayName("CFG-4: a view whose own table forgets is told, however the view and its table are called")
    void aViewWhoseTableForgetsIsAHazardAndTheRemedyMendsIt() throws Exception {
        var table = table("id UInt64, s String", "MergeTree ORDER BY id" + WINDOW);
        var sums = fresh() + ".dotted `sums";
        engine.execute("CREATE TABLE shop." + InsertSettings.quoted(sums)
                + " (s String, c UInt64) ENGINE = SummingMergeTree ORDER BY s");
        engine.execute("CREATE MATERIALIZED VIEW shop.`v " + table + "` TO shop." + InsertSettings.quoted(sums)
                + " AS SELECT s, count() AS c FROM shop." + table + " GROUP BY s");
        engine.execute("CREATE MATERIALIZED VIEW shop.own_" + table + " ENGINE = MergeTree ORDER BY s AS SELECT s FROM"
                + " shop." + table);
        engine.execute("CREATE MATERIALIZED VIEW shop.next_" + table + " ENGINE = MergeTree ORDER BY s AS SELECT s FROM"
                + " shop." + InsertSettings.quoted(sums));

        var hazards = hazards(look(table));
        assertThat(hazards).hasSize(3);
        assertThat(hazards).allSatisfy(hazard -> assertThat(hazard.what()).contains("remembers no tokens"));
        assertThat(hazards).anyMatch(hazard -> hazard.what().contains(sums + " (SummingMergeTree)"));
        for (var hazard : hazards) engine.execute(hazard.remedy());
        assertThat(hazards(look(table))).isEmpty();
    }

    @Test
    void aMissingTableAViewAndATableWithoutTokensAreTold() throws Exception {
        assertThat(of(look("nowhere"), Severity.FAULT))
                .singleElement()
                .satisfies(fault -> assertThat(fault.what()).startsWith("no table shop.nowhere"));
        var view = fresh();
        engine.execute("CREATE VIEW shop." + view + " AS SELECT 1 AS id");
        assertThat(of(look(view), Severity.FAULT))
                .singleElement()
                .satisfies(fault -> assertThat(fault.what()).contains("is a view"));
        var memory = look(table("id UInt64", "Memory"));
        assertThat(of(memory, Severity.HAZARD))
                .singleElement()
                .satisfies(hazard -> assertThat(hazard.what()).contains("has the engine Memory"));
        assertThat(memory.guarantee().level()).isEqualTo(Level.L0);
    }

    @Test
    @DisplayName("INPUT-45: replicas that are none, and whose columns differ, are told")
    @Tag("INPUT-45")
    void replicasThatShareNothingAreHazards() throws Exception {
        var table = table("id UInt64, s String", "MergeTree ORDER BY id" + WINDOW);
        other.execute("CREATE TABLE shop." + table + " (id UInt64, s Int8) ENGINE = MergeTree ORDER BY id" + WINDOW);
        var checkup = look(table, "s3cret", front.url(), otherFront.url());
        assertThat(checkup.guarantee().level()).isEqualTo(Level.L1);
        assertThat(hazards(checkup))
                .hasSize(2)
                .anyMatch(hazard -> hazard.what().contains("is not replicated"))
                .anyMatch(hazard -> hazard.what().contains("it has s Int8, and it lacks s String"));
    }

    @Test
    void typedRowsThatATableCannotTakeAreTold() throws Exception {
        var good = table("id UInt64, s String", "MergeTree ORDER BY id" + WINDOW);
        assertThat(of(typed(good), Severity.FAULT)).isEmpty();
        assertThat(hazards(typed(good))).isEmpty();
        var odd = table("id UInt64, a AggregateFunction(sum, UInt64)", "AggregatingMergeTree ORDER BY id" + WINDOW);
        assertThat(typed(odd).findings())
                .anyMatch(finding ->
                        finding.severity() != Severity.NOTE && finding.what().contains("AggregateFunction"));
    }

    private Checkup typed(String table) throws InterruptedException {
        try (var sink = ClickHouseSink.open(
                Bench.typed(table),
                Map.of(Bench.SHARD, List.of(front.url())),
                () -> Lines.VERBATIM,
                NanoClock.SYSTEM)) {
            return sink.checkUp(Bench.in(Bench.AMPLE), InstantSource.system());
        }
    }

    @Test
    void aWrongPasswordIsAFaultAndNotToldOut() throws Exception {
        var checkup = look("t", "not-the-password", front.url());
        assertThat(of(checkup, Severity.FAULT))
                .singleElement()
                .satisfies(fault -> assertThat(fault.remedy()).contains("clickhouse.password"));
        assertThat(checkup.toString()).doesNotContain("not-the-password");
    }
}
