package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.config.Configuration;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import dev.millrace.pipeline.SizingLoad.Flow;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Finding.Severity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Known answers, worked out by hand.
final class SizingTest {
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    private static final Flow FLOW = new Flow(3_000, 600);

    private static final String POSTGRES = "postgres: { table: t, user: u, password: p, allow_plaintext: true }";
    private static final String CLICKHOUSE = "clickhouse: { database: d, table: t, user: u }";

    private static PipelineConfig config(String sink, int shards, String more) {
        var postgres = sink.startsWith("postgres");
        var text = """
                pipeline: { name: shop }
                source: { kafka: { bootstrap_servers: "k:9092", topics: [a], group_id: g } }
                sinks:
                  s:
                    %s
                    shards: { %s }
                %s
                """.formatted(
                        sink,
                        IntStream.range(0, shards)
                                .mapToObj(i -> "s" + i + ": [\""
                                        + (postgres ? "postgres://db:5432/x" + i : "http://ch" + i + ":8123") + "\"]")
                                .collect(Collectors.joining(", ")),
                        more.indent(0).stripTrailing());
        return switch (Configuration.read("pipeline.yaml", text, _ -> null)) {
            case ReadResult.Loaded(var config, var _) -> config;
            case ReadResult.Refused(var problems) -> throw new AssertionError(problems.toString());
        };
    }

    private static SizingLoad load(@Nullable Flow flow, int partitions, int members) {
        return new SizingLoad(flow, partitions, members, Duration.ofHours(1), 2);
    }

    private static double figure(Sizing sizing, String of, String name) {
        var found = sizing.figures().stream()
                .filter(figure -> figure.of().equals(of) && figure.name().equals(name))
                .toList();
        assertThat(found).as("%s of %s", name, of).hasSize(1);
        return found.getFirst().value();
    }

    private static List<String> told(Sizing sizing, Severity severity) {
        var lines = new ArrayList<String>();
        for (var finding : sizing.findings())
            if (finding.severity() == severity) lines.add(finding.what() + "; " + finding.remedy());
        return lines;
    }

    @Test
    void memoryIsTheSumOfWhatIsBounded() {
        var sizing = Sizing.of(config(POSTGRES, 2, ""), load(null, 12, 1));
        assertThat(figure(sizing, "process", "in_flight")).isEqualTo(GIB);
        assertThat(figure(sizing, "process", "row_index")).isEqualTo(40_000_000);
        assertThat(figure(sizing, "process", "chunks_being_built")).isEqualTo(8 * MIB);
        assertThat(figure(sizing, "process", "slabs_partly_filled")).isEqualTo(2 * MIB);
        assertThat(figure(sizing, "process", "fetch_buffers"))
                .as("fetch.max.bytes in twelve equal parts, read ahead and polled")
                .isEqualTo(24 * (16 * MIB / 12));
        assertThat(figure(sizing, "process", "dead_letters")).isEqualTo((48 + 64) * MIB);
        assertThat(figure(sizing, "process", "attempts")).isEqualTo(4 * MIB);
        assertThat(figure(sizing, "process", "program")).isEqualTo(64 * MIB);
        assertThat(figure(sizing, "process", "heap_live"))
                .isEqualTo(GIB + 40_000_000 + (8 + 2 + 112 + 4 + 64) * MIB + 24 * (16 * MIB / 12));
        assertThat(figure(sizing, "process", "heap"))
                .as("a quarter more, in steps of 64 MiB")
                .isEqualTo(1664 * MIB);
        assertThat(figure(sizing, "process", "container")).as("÷ 0.6").isEqualTo(2816 * MIB);
        assertThat(sizing.fits()).isTrue();
    }

    @Test
    void rowsThatAreKnownToBeLargeNeedFewerPlacesAndAPollHasItsSize() {
        var sizing = Sizing.of(config(POSTGRES, 1, ""), load(new Flow(10, 4096), 12, 1));
        assertThat(figure(sizing, "process", "row_index")).isEqualTo(GIB / 4096 * 8.0);
        assertThat(figure(sizing, "process", "one_poll")).isEqualTo(5_000 * 4096.0);
    }

    @Test
    void fetchBuffersThatAreMostOfTheHeapAreTold() {
        var config = config(POSTGRES, 1, "admission: { max_bytes: 256MiB }");
        assertThat(told(Sizing.of(config, load(null, 2_000, 1)), Severity.HAZARD))
                .containsExactly("fetch buffers may take more than half of the heap; lower max.partition.fetch.bytes");
        assertThat(told(Sizing.of(config, load(null, 12, 1)), Severity.HAZARD)).isEmpty();
    }

    @Test
    void aLingerThatSealsFewRowsIsTold() {
        // 12 partitions, 2 shards: the linger of 2 s is stretched to 3 for 4 inserts a second; 3,000 ÷ 24 × 3 are 375
        var sizing = Sizing.of(config(CLICKHOUSE, 2, ""), load(FLOW, 12, 1));
        assertThat(figure(sizing, "sinks.s", "batch_rows")).isEqualTo(375);
        assertThat(figure(sizing, "sinks.s", "batches")).isEqualTo(4);
        assertThat(figure(sizing, "sinks.s", "parts")).isEqualTo(4);
        assertThat(told(sizing, Severity.HAZARD))
                .containsExactly(
                        "batch.linger seals batches of 375 rows, 4 a second for each shard; raise batch.linger to"
                                + " 8s, checkpoint.interval above it, for 1000 rows, or have fewer shards, or set delivery:"
                                + " at_least_once, which merges partitions");
        assertThat(sizing.fits()).isFalse();
        assertThat(told(sizing, Severity.NOTE)).hasSize(1).first().asString().contains("is stretched");
    }

    @Test
    void whatTheRemedySaysHelps() {
        var raised = config(CLICKHOUSE + "\n    batch: { linger: 8s }", 2, "checkpoint: { interval: 10s }");
        var sizing = Sizing.of(raised, load(FLOW, 12, 1));
        assertThat(figure(sizing, "sinks.s", "batch_rows")).isEqualTo(1_000);
        assertThat(sizing.fits()).isTrue();
        var merged = Sizing.of(config(CLICKHOUSE, 2, "delivery: at_least_once"), load(FLOW, 12, 1));
        assertThat(figure(merged, "sinks.s", "batch_rows")).isEqualTo(3_000);
        assertThat(figure(merged, "sinks.s", "batches")).isEqualTo(0.5);
        assertThat(merged.fits()).isTrue();
    }

    @Test
    void tokensCoverTheWindowAtTheRateOfParts() {
        var sizing = Sizing.of(config(CLICKHOUSE, 2, ""), load(FLOW, 12, 1));
        assertThat(figure(sizing, "sinks.s", "token_window_covers")).isEqualTo(2_250);
        assertThat(figure(sizing, "sinks.s", "token_window")).isEqualTo(15_000);
    }

    @Test
    void anOutageLongerThanTokensAreKnownIsToldUnlessRowsCanBeReadBack() {
        var long4 = new SizingLoad(new Flow(30_000, 600), 12, 1, Duration.ofHours(4), 2);
        assertThat(told(Sizing.of(config(CLICKHOUSE, 1, ""), long4), Severity.HAZARD))
                .singleElement()
                .asString()
                .contains(
                        "wait 4 h",
                        "older than a replicated table remembers tokens, which is 60 min",
                        "on_expired_token");
        var readable = CLICKHOUSE.replace(" }", ", coordinates: { topic: _t, partition: _p, offset: _o } }");
        assertThat(told(Sizing.of(config(readable, 1, ""), long4), Severity.HAZARD))
                .isEmpty();
        var short1 = new SizingLoad(new Flow(30_000, 600), 12, 1, Duration.ofMinutes(60), 2);
        assertThat(told(Sizing.of(config(CLICKHOUSE, 1, ""), short1), Severity.HAZARD))
                .isEmpty();
    }

    @Test
    void smallBatchesOfALargeLoadAreToldWithAllThatComesOfThem() {
        // 30,000 rows/s in batches of 100 are 300 a second; 9,000 tokens at that rate are 30 s
        var sizing = Sizing.of(
                config(CLICKHOUSE + "\n    batch: { max_rows: 100 }", 1, ""), load(new Flow(30_000, 100), 1, 1));
        assertThat(told(sizing, Severity.HAZARD))
                .containsExactly(
                        "batch.max_rows seals batches of 100 rows, 300 a second for each shard; raise batch.max_rows, or"
                                + " set delivery: at_least_once, which merges partitions",
                        "300 parts a second for each shard are more than batch.max_cuts 4, sealed by batch.max_rows;"
                                + " raise it, or have more shards",
                        "a window of 10000 tokens covers 30 s, and a crash with its replay takes 60 s; let the table"
                                + " remember 1080000, or raise batch.linger");
    }

    @Test
    void anOutageLongerThanAServerKeepsTokensIsTold() {
        assertThat(told(Sizing.of(config("http: { remembers: 30m }", 1, ""), load(FLOW, 12, 1)), Severity.HAZARD))
                .containsExactly(
                        "batches that wait 60 min are older than http.remembers, 30 min: on_expired_token decides"
                                + " then; let the server know tokens for longer, and say so in http.remembers");
        assertThat(told(Sizing.of(config("http: { remembers: 2h }", 1, ""), load(FLOW, 12, 1)), Severity.HAZARD))
                .isEmpty();
    }

    @Test
    @Tag("WRT-8")
    @DisplayName("WRT-8: a limit over all shards leaves each its part of the writes")
    void aLimitOverAllShardsIsDealtToThem() {
        var free = Sizing.of(config(POSTGRES, 4, ""), load(FLOW, 12, 1));
        var limited = Sizing.of(config(POSTGRES, 4, "    inflight: { max_total: 2 }\n"), load(FLOW, 12, 1));
        assertThat(figure(limited, "sinks.s", "write_at_most"))
                .as("4 shards × 2 at once, or 2 in all")
                .isEqualTo(figure(free, "sinks.s", "write_at_most") / 4);
        assertThat(figure(free, "process", "attempts") / figure(limited, "process", "attempts"))
                .isEqualTo(4);
    }

    @Test
    void connectionsAddUpAtAServer() {
        var one = Sizing.of(config(POSTGRES, 3, ""), load(null, 12, 2));
        assertThat(figure(one, "sinks.s", "connections"))
                .as("3 shards × 2 × 2 processes")
                .isEqualTo(12);
        var most = Sizing.of(config(POSTGRES, 400, "    inflight: { max_per_shard: 64 }\n"), load(null, 1, 100_000));
        assertThat(figure(most, "sinks.s", "connections")).isEqualTo(400 * 64 * 100_000.0);
        var many = Sizing.of(config(POSTGRES, 41, ""), load(null, 12, 1));
        assertThat(told(many, Severity.HAZARD))
                .containsExactly("db:5432 gets up to 82 sessions, and PostgreSQL's usual max_connections is 100; lower"
                        + " inflight.max_per_shard, or raise max_connections there");
        assertThat(Sizing.of(config(POSTGRES, 40, ""), load(null, 12, 1)).fits())
                .isTrue();
    }

    @Test
    void aCrashReplaysWhatIsOpen() {
        var planned = Sizing.of(config(CLICKHOUSE, 2, ""), load(FLOW, 12, 1));
        assertThat(figure(planned, "group", "replayed_usually"))
                .as("3 s to a cut, 5 s to a commit")
                .isEqualTo(24_000);
        // Half of 1 GiB ÷ 600 B for each of two shards
        assertThat(figure(planned, "group", "replayed_at_most")).isEqualTo((double) Math.floorDiv(GIB, 600));
        var few = Sizing.of(config(CLICKHOUSE, 2, "checkpoint: { max_open_segments: 2 }"), load(FLOW, 12, 1));
        // 1 GiB ÷ (4 × 13) ÷ 600 B are 34,414 rows
        assertThat(figure(few, "group", "replayed_at_most")).isEqualTo(12 * 3 * 34_414.0);
        var merged = Sizing.of(config(CLICKHOUSE, 4, "delivery: at_least_once"), load(FLOW, 12, 2));
        assertThat(figure(merged, "group", "replayed_usually")).isEqualTo(21_000);
        assertThat(figure(merged, "group", "replayed_at_most"))
                .as("of two processes, twice their budget each")
                .isEqualTo(2 * (GIB / 600) * 2.0);
        var thin = Sizing.of(
                config(CLICKHOUSE, 2, "delivery: at_least_once\ncheckpoint: { max_pending: 10 }"), load(FLOW, 12, 1));
        assertThat(figure(thin, "group", "replayed_at_most")).isEqualTo(12 * 10 * 5_000.0);
    }

    @Test
    void aPlanTakesCharactersBesideTheOffset() {
        var sizing = Sizing.of(config(CLICKHOUSE, 2, ""), load(null, 12, 1));
        assertThat(figure(sizing, "group", "plan")).isEqualTo(106 + 7 * 44);
        var merged = Sizing.of(config(CLICKHOUSE, 2, "delivery: at_least_once"), load(null, 12, 1));
        assertThat(merged.figures()).noneMatch(figure -> figure.name().equals("plan"));
    }

    @Test
    void plansThatDoNotFitTheirLimitAreTold() {
        var limit = "checkpoint: { metadata_limit: 1024 }";
        assertThat(told(Sizing.of(config(POSTGRES, 20, limit), load(null, 12, 1)), Severity.HAZARD))
                .isEmpty();
        assertThat(told(Sizing.of(config(POSTGRES, 24, limit), load(null, 12, 1)), Severity.HAZARD))
                .containsExactly("plans of 7 segments fill metadata_limit 1024, and max_open_segments is 8; raise"
                        + " metadata_limit, and offset.metadata.max.bytes of the brokers with it");
        assertThat(told(Sizing.of(config(POSTGRES, 45, limit), load(null, 12, 1)), Severity.FAULT))
                .singleElement()
                .asString()
                .startsWith("it does not start: checkpoint.metadata_limit 1024: a plan names the newest token");
    }

    @Test
    void cutsThatTheStartRefusesAreAFault() {
        assertThat(told(Sizing.of(config(POSTGRES, 1, ""), load(null, 121, 1)), Severity.FAULT))
                .singleElement()
                .asString()
                .startsWith("it does not start: 121 partitions, each cut for itself");
    }

    @Test
    void anOutageWaitsInKafkaAndIsCaughtUpWithWhatIsLeftOver() {
        var sizing = Sizing.of(config(CLICKHOUSE, 1, ""), new SizingLoad(FLOW, 12, 1, Duration.ofHours(1), 3));
        assertThat(figure(sizing, "outage", "memory_holds")).isCloseTo(GIB / 1.8e6, within(1e-9));
        assertThat(figure(sizing, "outage", "backlog")).isEqualTo(10_800_000);
        assertThat(figure(sizing, "outage", "catch_up")).isEqualTo(1_800);
        assertThat(figure(sizing, "outage", "retention_time")).isEqualTo(5_400);
        assertThat(figure(sizing, "outage", "retention_bytes")).isEqualTo(1.8e6 / 12 * 5_400);
    }

    @Test
    void memoryThatIsFullBeforeTheLingerIsTold() {
        var small = config(
                CLICKHOUSE + "\n    batch: { max_bytes: 6MiB }",
                1,
                "delivery: at_least_once\nadmission: { max_bytes: 8MiB }");
        assertThat(told(Sizing.of(small, load(new Flow(5_000, 600), 12, 1)), Severity.HAZARD))
                .containsExactly(
                        "it is full after 2.80 s, and batches wait 2 s for batch.linger: polling pauses while all"
                                + " is well; raise admission.max_bytes and max_rows, lower batch.linger, or run more processes");
    }

    @Test
    void processorsComeFromWhatWasMeasuredTimesTheLoad() {
        var costs = SuiteCosts.of("""
                group,program,value_bytes,codec,poison_every,twist,records,cpu_nanos,source_nanos
                1k,row_binary_blackhole,1000,none,0,none,1000,2000000,1000000
                """, " on one machine, load 1, commit 1a");
        var sheet = new SizingSheet();
        var load = load(new Flow(1e6, 1000), 12, 2);
        new ProcessorNeed(config(CLICKHOUSE, 1, ""), load, new Flow(1e6, 1000), costs, sheet).tell();
        var sizing = sheet.whole();
        assertThat(figure(sizing, "sinks.s", "processor_time")).isEqualTo(2);
        assertThat(figure(sizing, "process", "cores"))
                .as("1 GB/s × 2 × a headroom of 2 × 1.5 ÷ 2 processes")
                .isEqualTo(3);
        assertThat(figure(sizing, "group", "polling_threads_busy")).isEqualTo(2);
        assertThat(told(sizing, Severity.HAZARD))
                .containsExactly("catching up keeps 2.0 polling threads busy, and the group has 2; run 3 members: raise"
                        + " consumers, or run more processes");
        assertThat(sizing.figures().getFirst().from())
                .isEqualTo(
                        "row_binary_blackhole of docs/benchmarks/suite.csv, on one machine, commit 1a; sending to such a"
                                + " store is not in it");
    }

    @Test
    void membersWithoutAPartitionAreTold() {
        assertThat(told(Sizing.of(config(CLICKHOUSE, 1, ""), load(new Flow(30_000, 100), 2, 3)), Severity.HAZARD))
                .contains(
                        "3 members share 2 partitions: some have nothing to do; run at most as many members as there are"
                                + " partitions, or give the topics more");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 12, 1, 2, rows a second",
        "100, 0, 1, 2, partitions",
        "100, 12, 0, 2, members",
        "100, 12, 1, 1, never catches up"
    })
    void aLoadThatIsNoneIsRefused(double rows, int partitions, int members, double headroom, String why) {
        assertThatThrownBy(
                        () -> new SizingLoad(new Flow(rows, 100), partitions, members, Duration.ofHours(1), headroom))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aFindingSaysWhereItIs() {
        assertThat(Sizing.of(config(CLICKHOUSE, 2, ""), load(FLOW, 12, 1)).findings())
                .extracting(Finding::where)
                .contains("sinks.s");
    }
}
