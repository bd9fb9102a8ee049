package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.breaker.BreakerSettings;
import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.kafka.AdvisoryAccount;
import dev.millrace.kafka.PartitionView;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.ChunkBuilder;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PoisonSettings;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.RowTally;
import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardEvent;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardMachine;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.ShardView;
import dev.millrace.sinkpool.SlabSource;
import dev.millrace.sinkpool.Target;
import dev.millrace.sinkpool.TokenMint;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class RunEndTest {
    private static final SourcePartition P0 = new SourcePartition("orders", new TopicId("aaaaaaaaaaaaaaaaaaaaaa"), 0);
    private static final long TAKEN = 10;
    private static final long SECOND = 1_000_000_000L;
    private static final ShardId SHARD = new ShardId("warehouse", "s0");
    private static final ShardSettings SETTINGS = new ShardSettings(
            SHARD,
            1,
            1,
            new ShardSettings.BatchSettings(10, 1000, SECOND),
            1,
            SECOND,
            new ShardSettings.RetrySettings(SECOND, SECOND, 1, 0, 0),
            new BreakerSettings(1, 1, 100, SECOND, 100, SECOND, SECOND, 1, SECOND),
            false,
            PoisonSettings.of(PoisonSettings.Action.STOP));

    /// Of a partition that began at 10 and of which `polled` rows were taken.
    private static PartitionView partition(long polled, RowTally tally, @Nullable Long committed, @Nullable Long lag) {
        var sink = new PartitionView.SinkRows("warehouse", tally, new TreeMap<>(), new TreeMap<>(), 0, 0, 0);
        return new PartitionView(
                P0, 0, polled, 0, 0, List.of(sink), TAKEN, TAKEN + polled, committed, 0, 0, null, lag, null);
    }

    private static RunEnd end(boolean membersEnded, PartitionView... partitions) {
        var run = new RunEnd.Run("shop", "0", Instant.EPOCH, Instant.EPOCH, "SIGTERM", 0, 25);
        return new RunEnd(run, List.of(partitions), List.of(), Map.of(), membersEnded, RunEnd.Waited.TO_THE_DEADLINE);
    }

    private static DrainReport report(boolean membersEnded, PartitionView... partitions) {
        return end(membersEnded, partitions).report(ExitCode.DRAINED);
    }

    /// Rows that were encoded and closed before any shard took them.
    private static RowTally closedByTheSource(int rows) {
        var tally = new RowTally();
        build(rows, tally, EncodedChunk::close);
        return tally;
    }

    private static void build(int rows, RowTally tally, Consumer<EncodedChunk> ready) {
        var tracker = new PartitionTracker(P0, 1, TAKEN, -1, 8, new OpenHandles());
        var ack = tracker.register(TAKEN, TAKEN + rows, -1, (_, _) -> {});
        var budget = new AdmissionBudget(100, 1 << 20, 0.5);
        var builder = new ChunkBuilder(P0, 1, new Target(0, 0, 0), new SlabSource(1024), budget, tally, ready);
        builder.begin(ack, 0);
        for (var i = 0; i < rows; i++)
            builder.append(record(TAKEN + i), (_, row) -> {
                row.put((byte) '\n');
                return RowEncoder.Encoded.WRITTEN;
            });
        builder.handOver();
        ack.close();
    }

    private static RecordView record(long offset) {
        return (RecordView) Proxy.newProxyInstance(
                RunEndTest.class.getClassLoader(), new Class<?>[] {RecordView.class}, (_, method, _) -> {
                    assertThat(method.getName()).isEqualTo("offset");
                    return offset;
                });
    }

    @Test
    @Tag("DRN-2")
    void rowsThatNoShardTookInTimeAreAbandoned() {
        var rows = report(true, partition(3, closedByTheSource(3), 10L, 3L)).rows();
        assertThat(rows.abandoned()).isEqualTo(3);
        assertThat(rows.abandoned()).isEqualTo(rows.polled() - rows.delivered() - rows.skipped());
    }

    @Test
    @Tag("DRN-2")
    void aNewPartitionOfWhichNothingWasTakenIsDrained() {
        var report = report(true, partition(0, new RowTally(), null, 0L));
        assertThat(report.drained()).isTrue();
        assertThat(report.caughtUp()).isTrue();
        assertThat(report.exitCode()).isZero();
        assertThat(report.partitions().getFirst().committed()).isNull();
    }

    @Test
    @Tag("DRN-2")
    void rowsTakenAndNothingCommittedIsNotDrained() {
        var report = report(true, partition(3, new RowTally(), null, 3L));
        assertThat(report.drained()).isFalse();
        assertThat(report.caughtUp()).isFalse();
    }

    @Test
    @Tag("DRN-3")
    void anEndThatWasNotReadAtTheEndProvesABacklogAtTheMost() {
        assertThat(report(false, partition(3, new RowTally(), 13L, 3L)).caughtUp())
                .isNull();
        assertThat(report(false, partition(3, new RowTally(), 10L, 3L)).caughtUp())
                .isFalse();
        assertThat(report(true, partition(3, new RowTally(), 13L, 3L)).caughtUp())
                .isTrue();
    }

    @Test
    @Tag("DRN-3")
    void whoOwnsNothingKnowsOfNoBacklog() {
        assertThat(report(true).caughtUp()).isNull();
        assertThat(report(true).drained()).isTrue();
    }

    private static ShardStatus finished(ShardCounts counts) {
        var view = new ShardView(
                SHARD, true, 0, 2, 1, false, List.of(), 0, NanoClock.NEVER, NanoClock.NEVER, 0, List.of());
        return new ShardStatus(SHARD, List.of(), ShardStatus.Worker.FINISHED, view, counts, null);
    }

    /// Rows that a rebalance took away in the morning are not what the evening's stop left.
    @Test
    @Tag("DRN-2")
    void aShardLeavesOnlyWhatItGaveUpSinceTheStop() {
        var counts = new ShardCounts(1);
        var machine = new ShardMachine(SETTINGS, TokenMint.perRun("run"), new SplittableRandom(1), counts, 0);
        machine.on(new ShardEvent.DrainBy(0), 0, _ -> {});
        machine.on(new ShardEvent.ChunksArrived(List.of(chunk(3))), 0, _ -> {});
        var status = finished(counts);
        assertThat(RunEnd.givenUp(status)).isEqualTo(3);
        var run = new RunEnd.Run("shop", "0", Instant.EPOCH, Instant.EPOCH, "SIGTERM", 0, 25);
        var before =
                new RunEnd(run, List.of(), List.of(status), Map.of(SHARD, 3L), true, RunEnd.Waited.TO_THE_DEADLINE);
        var shard = before.report(ExitCode.DRAINED).sinks().getFirst().shards().getFirst();
        assertThat(shard.rowsLeft()).isZero();
        assertThat(shard.state()).isEqualTo(DrainReport.State.FINISHED);
        var since = new RunEnd(run, List.of(), List.of(status), Map.of(), true, RunEnd.Waited.TO_THE_DEADLINE);
        assertThat(since.report(ExitCode.DRAINED)
                        .sinks()
                        .getFirst()
                        .shards()
                        .getFirst()
                        .state())
                .isEqualTo(DrainReport.State.ABANDONED);
    }

    @Test
    @Tag("DRN-2")
    void theRowsOfEachSinkAddUpAndThoseOfTheRunAreTheirSums() {
        var ofOne = new PartitionView.SinkRows(
                "one", closedByTheSource(3), new TreeMap<>(Map.of("empty", 1L)), new TreeMap<>(), 2, 0, 0);
        var ofTwo = new PartitionView.SinkRows("two", closedByTheSource(6), new TreeMap<>(), new TreeMap<>(), 0, 0, 0);
        // Of ten rows four were never encoded: for no sink.
        var both = new PartitionView(
                P0, 0, 10, 3, 1, List.of(ofOne, ofTwo), TAKEN, TAKEN + 10, null, 1, 0, null, 10L, null);
        var alone = new PartitionView(
                new SourcePartition("payments", P0.topicId(), 0),
                0,
                5,
                5,
                0,
                List.of(new PartitionView.SinkRows("two", new RowTally(), new TreeMap<>(), new TreeMap<>(), 0, 0, 0)),
                TAKEN,
                TAKEN + 5,
                null,
                1,
                0,
                null,
                5L,
                null);
        var run = new RunEnd.Run("shop", "0", Instant.EPOCH, Instant.EPOCH, "SIGTERM", 0, 25);
        var shards = List.of(finished("one"), finished("two"));
        var report = new RunEnd(run, List.of(both, alone), shards, Map.of(), true, RunEnd.Waited.TO_THE_DEADLINE)
                .report(ExitCode.DRAINED);
        assertThat(report.sinks().get(0).rows()).isEqualTo(new DrainReport.Rows(10, 0, 0, 1, 2, 7L, 0L));
        assertThat(report.sinks().get(1).rows()).isEqualTo(new DrainReport.Rows(15, 0, 0, 0, 0, 15L, 0L));
        assertThat(report.rows()).isEqualTo(new DrainReport.Rows(15, 0, 0, 1, 2, 22L, 0L));
        assertThat(report.exitCode()).isEqualTo(ExitCode.LEFT_UNDONE.code());
    }

    private static ShardStatus finished(String sink) {
        var shard = new ShardId(sink, "s0");
        var view = new ShardView(
                shard, true, 0, 2, 1, false, List.of(), 0, NanoClock.NEVER, NanoClock.NEVER, 0, List.of());
        return new ShardStatus(shard, List.of(), ShardStatus.Worker.FINISHED, view, new ShardCounts(1), null);
    }

    /// What it did and did not do is in no sum, and changes neither exit code nor what is drained.
    @Test
    @DisplayName("ADV-2: an advisory sink that died or left rows has a section of its own in the report, and no say")
    void anAdvisorySinkHasASectionOfItsOwn() {
        var counts = new ShardCounts(1);
        var view = new ShardView(
                SHARD, false, 0, 2, 1, false, List.of(), 0, NanoClock.NEVER, NanoClock.NEVER, 0, List.of());
        var died = new ShardStatus(SHARD, List.of(), ShardStatus.Worker.DIED, view, counts, null);
        var advisory = new AdvisoryView(
                "shadow", true, new AdvisoryAccount(), new AdmissionBudget(10, 1000, 0.5), List.of(died));
        var run = new RunEnd.Run("shop", "0", Instant.EPOCH, Instant.EPOCH, "SIGTERM", 0, 25);
        var report = new RunEnd(
                        run,
                        List.of(partition(0, new RowTally(), null, 0L)),
                        List.of(finished("warehouse")),
                        Map.of(),
                        true,
                        RunEnd.Waited.TO_THE_DEADLINE,
                        List.of(advisory),
                        Map.of("warehouse", new Guarantee(Guarantee.Level.L3, "it can be read")))
                .report(ExitCode.DRAINED);
        assertThat(report.exitCode()).isZero();
        assertThat(report.drained()).isTrue();
        assertThat(report.sinks()).extracting(DrainReport.SinkEnd::name).containsExactly("warehouse");
        assertThat(report.json()).contains("\"sinks\": [{\"name\": \"warehouse\",\"level\": \"L3\",\"rows\"");
        var end = report.advisory().getFirst();
        assertThat(end.name()).isEqualTo("shadow");
        assertThat(end.outcomes()).containsOnlyKeys(AdvisoryOutcome.values());
        assertThat(report.json())
                .contains("\"advisory\": [{\"name\": \"shadow\",\"reached\": true,\"rows_seen\": 0,"
                        + "\"rows_written\": 0,\"rows_failed\": 0,\"rows_no_room\": 0,");
    }

    private static EncodedChunk chunk(int rows) {
        var out = new ArrayList<EncodedChunk>();
        build(rows, new RowTally(), out::add);
        return out.getFirst();
    }
}
