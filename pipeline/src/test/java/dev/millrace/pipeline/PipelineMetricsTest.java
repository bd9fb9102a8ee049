package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.breaker.ReplicaView;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.kafka.AdvisoryAccount;
import dev.millrace.kafka.PartitionView;
import dev.millrace.kafka.SourceCounters;
import dev.millrace.kafka.SourceView;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.RowTally;
import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.ShardView;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PipelineMetricsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final ShardId SHARD = new ShardId("warehouse", "s0");

    private final List<PartitionView> partitions = new ArrayList<>();
    private final SourceCounters counters = new SourceCounters();
    private final ShardCounts counts = new ShardCounts(1);
    private final Map<String, Long> unknownFields = new TreeMap<>();
    private final Scrape scrape = new Scrape();
    private List<ShardView.Held> held = List.of();
    private long lastAnswer = NanoClock.NEVER;
    private long now = 100 * SECOND;
    private final PipelineMetrics metrics = new PipelineMetrics(
            scrape.registry("test"),
            new PipelineMetrics.Sources(
                    () -> now,
                    () -> new Snapshot.InFlight(7, 700, 10, 1_000),
                    this::source,
                    () -> List.of(shard()),
                    () -> Map.of("warehouse", new Guarantee(Guarantee.Level.L2, "it remembers")),
                    () -> RunningFile.none(Instant.EPOCH),
                    () -> Map.of("warehouse", unknownFields),
                    List.of(this::shadow)));

    private SourceView source() {
        return new SourceView(true, 0, 300 * SECOND, List.of(), partitions, counters);
    }

    private AdvisoryView shadow() {
        return new AdvisoryView(
                "shadow", true, new AdvisoryAccount(), new AdmissionBudget(10, 1_000, 0.5), List.of(shard()));
    }

    private ShardStatus shard() {
        var replica = new ShardView.Replica(
                new ReplicaView(0, ReplicaView.Phase.CLOSED, 0, Long.MAX_VALUE, 0, 0, 0, false, 1), null);
        var view =
                new ShardView(SHARD, true, 0, 2, 1, false, held, 0, NanoClock.NEVER, lastAnswer, 0, List.of(replica));
        return new ShardStatus(SHARD, List.of(URI.create("blackhole")), ShardStatus.Worker.RUNNING, view, counts, null);
    }

    private static PartitionView partition(int number, int member, @Nullable Long lag) {
        return new PartitionView(
                new SourcePartition("orders", TopicId.UNKNOWN, number),
                member,
                7,
                0,
                0,
                List.of(),
                40L,
                47L,
                40L,
                1,
                2 * SECOND,
                null,
                lag,
                null);
    }

    private static PartitionView poisoned(int number, Map<String, Long> poison) {
        var sink = new PartitionView.SinkRows(
                "warehouse", new RowTally(), new TreeMap<>(), new TreeMap<>(poison), 0, 0, 0);
        return new PartitionView(
                new SourcePartition("orders", TopicId.UNKNOWN, number),
                0,
                7,
                0,
                0,
                List.of(sink),
                40L,
                47L,
                40L,
                1,
                0,
                null,
                null,
                null);
    }

    @Test
    @Tag("FMT-3")
    @Tag("OPS-4")
    void poisonIsCountedByReasonOverAllPartitions() {
        partitions.add(poisoned(0, Map.of("fraction", 2L)));
        partitions.add(poisoned(1, Map.of("fraction", 3L, "unknown_field", 1L)));
        assertThat(series("millrace_rows_poison_total"))
                .hasSize(2)
                .anySatisfy(
                        line -> assertThat(line).contains("reason=\"fraction\"").endsWith(" 5.0"))
                .anySatisfy(line ->
                        assertThat(line).contains("reason=\"unknown_field\"").endsWith(" 1.0"));
        partitions.set(0, poisoned(0, Map.of("fraction", 4L)));
        assertThat(series("millrace_rows_poison_total"))
                .anySatisfy(
                        line -> assertThat(line).contains("reason=\"fraction\"").endsWith(" 7.0"));
    }

    @Test
    @Tag("FMT-3")
    @Tag("OPS-10")
    @DisplayName("CASE-45: fields that are left out are counted, and their names are in no label")
    void fieldsThatAreLeftOutAreCountedAndNotNamed() {
        assertThat(series("millrace_unknown_fields_total"))
                .singleElement()
                .asString()
                .contains("sink=\"warehouse\"")
                .endsWith(" 0.0");
        unknownFields.putAll(Map.of("colour", 2L, "size", 3L));
        assertThat(series("millrace_unknown_fields_total"))
                .singleElement()
                .asString()
                .doesNotContain("colour")
                .endsWith(" 5.0");
        var moment = new Moment();
        moment.partitions.add(poisoned(0, Map.of("fraction", 2L)));
        moment.unknownFields.put("warehouse", unknownFields);
        moment.guarantees.put("warehouse", new Guarantee(Guarantee.Level.L2, "it remembers"));
        assertThat(moment.status())
                .contains("\"sinks\":[{\"name\":\"warehouse\",\"level\":\"L2\",\"why\":\"it remembers\"}]")
                .contains("\"unknown_fields\":{\"warehouse\":{\"colour\":2,\"size\":3}}")
                .contains("\"poison\":{\"fraction\":2}");
    }

    private List<String> series(String name) {
        return scrape.answer(metrics)
                .body()
                .lines()
                .filter(line -> line.startsWith(name + "{"))
                .toList();
    }

    @Test
    @Tag("OPS-2")
    void whatTheProcessTakesIsTold() {
        for (var name : List.of(
                "jvm_memory_used_bytes",
                "jvm_buffer_memory_used_bytes",
                "jvm_threads_live_threads",
                "process_files_open_files",
                "process_cpu_time_ns_total",
                "process_uptime_seconds"))
            assertThat(series(name))
                    .as(name)
                    .isNotEmpty()
                    .allSatisfy(line ->
                            assertThat(line).contains("pipeline=\"test\"").doesNotEndWith("NaN"));
        assertThat(series("jvm_buffer_memory_used_bytes")).anyMatch(line -> line.contains("id=\"direct\""));
    }

    @Test
    @Tag("OPS-11")
    void anUnknownLagIsNoSeriesAndAKnownOneComesBack() {
        partitions.add(partition(0, 0, null));
        assertThat(series("millrace_lag")).isEmpty();
        assertThat(series("millrace_watermark")).hasSize(1);
        partitions.set(0, partition(0, 0, 5L));
        assertThat(series("millrace_lag")).singleElement().asString().endsWith(" 5.0");
        partitions.set(0, partition(0, 0, null));
        assertThat(series("millrace_lag")).isEmpty();
    }

    @Test
    @Tag("OPS-11")
    void aPartitionThatLeftHasNoGaugeAndKeepsItsCounters() {
        partitions.add(partition(0, 0, 5L));
        partitions.add(partition(1, 0, 5L));
        assertThat(series("millrace_lag")).hasSize(2);
        partitions.set(1, partition(1, -1, null));
        for (var gauge : List.of("millrace_lag", "millrace_watermark", "millrace_frontier_blocked_seconds"))
            assertThat(series(gauge)).as(gauge).singleElement().asString().contains("partition=\"0\"");
        assertThat(series("millrace_rows_polled_total")).hasSize(2);
    }

    @Test
    @Tag("OPS-13")
    @Tag("OPS-3")
    void aSinkThatNeverAnsweredIsNotOneThatAnsweredJustNow() {
        assertThat(series("millrace_sink_silent_seconds"))
                .singleElement()
                .asString()
                .endsWith(" NaN");
        lastAnswer = 98 * SECOND;
        assertThat(series("millrace_sink_silent_seconds"))
                .singleElement()
                .asString()
                .endsWith(" 2.0");
        now += 3 * SECOND;
        assertThat(series("millrace_sink_silent_seconds"))
                .singleElement()
                .asString()
                .endsWith(" 5.0");
    }

    @Test
    @Tag("POI-4")
    void aRefusedBatchThatWaitsForEvidenceIsSeenWithItsAge() {
        var refused = new Failure("23514", "violates a check", false);
        held = List.of(
                new ShardView.Held(
                        1, 0, 1, 3, false, true, ShardView.Place.PARKED, null, 40 * SECOND, refused, Set.of()),
                new ShardView.Held(
                        2, 0, 9, 1, false, true, ShardView.Place.PARKED, null, 70 * SECOND, refused, Set.of()),
                new ShardView.Held(3, 0, 9, 1, true, false, ShardView.Place.PERMIT, null, 10 * SECOND, null, Set.of()),
                new ShardView.Held(4, 1, 9, 1, false, false, ShardView.Place.RESTING, null, 0, refused, Set.of()));
        assertThat(series("millrace_parked_batches")).singleElement().asString().endsWith(" 2.0");
        assertThat(series("millrace_parked_seconds")).singleElement().asString().endsWith(" 60.0");
        held = List.of();
        assertThat(series("millrace_parked_seconds")).singleElement().asString().endsWith(" 0.0");
    }

    @Test
    @Tag("WRT-11")
    void aBatchThatWaitsForOneReplicaIsSeenWithItsAgeAndIsNotCalledRefused() {
        var lost = new Failure("reset", "connection reset", true);
        var pin = new ShardView.Pin(0, 60 * SECOND, false);
        held = List.of(
                new ShardView.Held(1, 0, 1, 3, false, false, ShardView.Place.PARKED, pin, 40 * SECOND, lost, Set.of()));
        assertThat(series("millrace_pinned_batches")).singleElement().asString().endsWith(" 1.0");
        assertThat(series("millrace_pinned_seconds")).singleElement().asString().endsWith(" 40.0");
        assertThat(series("millrace_parked_batches")).singleElement().asString().endsWith(" 0.0");
    }

    @Test
    @Tag("OPS-2")
    void everySeriesOfAShardIsThereBeforeItsFirstRow() {
        for (var name : List.of(
                "millrace_rows_written_total",
                "millrace_rows_duplicate_total",
                "millrace_rows_abandoned_total",
                "millrace_rows_in_doubt_total",
                "millrace_batches_written_total",
                "millrace_possible_duplicates_total",
                "millrace_batches_sealed_total",
                "millrace_attempts_total",
                "millrace_late_outcomes_total",
                "millrace_breaker_state",
                "millrace_inflight_limit",
                "millrace_linger_seconds",
                "millrace_backoff_seconds",
                "millrace_write_seconds_count",
                "millrace_permit_wait_seconds_count",
                "millrace_seal_to_settle_seconds_count")) {
            assertThat(series(name))
                    .as(name)
                    .isNotEmpty()
                    .allSatisfy(line ->
                            assertThat(line).contains("pipeline=\"test\"", "sink=\"warehouse\"", "shard=\"s0\""));
        }
    }

    @Test
    @Tag("OPS-2")
    @DisplayName("ADV-2: an advisory sink counts under names of its own, all there before its first row")
    void anAdvisorySinkCountsUnderNamesOfItsOwn() {
        for (var name : List.of(
                "millrace_advisory_rows_seen_total",
                "millrace_advisory_inflight_rows",
                "millrace_advisory_inflight_bytes",
                "millrace_advisory_reached",
                "millrace_advisory_usable",
                "millrace_advisory_attempts_total"))
            assertThat(series(name))
                    .as(name)
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(line).contains("pipeline=\"test\"", "sink=\"shadow\""));
        assertThat(series("millrace_advisory_rows_total")).hasSize(AdvisoryOutcome.values().length);
        assertThat(series("millrace_rows_written_total")).as("of the others").hasSize(1);
    }
}
