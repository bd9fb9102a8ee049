package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the budget counts, and that every path gives it back once.
final class AdmissionTest {
    @Test
    @Tag("ADM-1")
    void queuedOpenWaitingRetryingAndWritingRowsCountOnceUntilTheyAreSettled() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 2;
        });
        var budget = shard.source.budget;
        var retrying = shard.fullBatch(0).start();
        var writing = shard.fullBatch(1).start();
        shard.fullBatch(2);
        shard.arrive(shard.rows(30, 5));
        var queued = shard.rows(35, 5);
        assertThat(budget.rows()).isEqualTo(40);
        assertThat(budget.bytes()).isEqualTo(40 * 20);
        shard.sick(retrying);
        var again = shard.tickWhenDue().start();
        assertThat(budget.rows()).as("a retried batch counts once").isEqualTo(40);
        var third = shard.written(writing).start();
        assertThat(budget.rows()).isEqualTo(30);
        shard.drainBy(1000);
        shard.arrive(queued);
        shard.written(again);
        shard.written(third);
        shard.tickAt(1000);
        shard.assertAtRest();
    }

    @Test
    @Tag("ADM-1")
    void aDeathReleasesWhatWasHeldAndASettleAfterItChangesNothing() {
        var shard = new Shard(s -> s.maxRows = 10);
        shard.fullBatch(0);
        shard.arrive(shard.rows(10, 3));
        var held = shard.machine.held();
        held.forEach(EncodedChunk::close);
        shard.source.assertNothingLeaks();
        held.forEach(chunk -> assertThat(chunk.settle(Ending.WRITTEN)).isFalse());
        shard.source.assertNothingLeaks();
    }

    @Test
    @Tag("ADM-6")
    void whatIsTakenOfAHalfIsTakenOfTheWholeAndGivenBackOnce() {
        var whole = new AdmissionBudget(100, 1_000, 0.5);
        var one = whole.half();
        var other = whole.half();
        var lease = one.take(50, 10);
        assertThat(one.full()).isTrue();
        assertThat(other.full()).isFalse();
        assertThat(whole.rows()).isEqualTo(50);
        var bytes = other.take(1, 500);
        assertThat(other.full()).isTrue();
        assertThat(whole.bytes()).isEqualTo(510);
        for (var i = 0; i < 2; i++) {
            lease.close();
            bytes.close();
        }
        for (var budget : List.of(whole, one, other)) {
            assertThat(budget.rows()).isZero();
            assertThat(budget.bytes()).isZero();
        }
    }

    @Test
    @Tag("ADM-1")
    void useMayPassTheBoundByAtMostAChunkForEachTarget() {
        var budget = new AdmissionBudget(1_000_000, 1000, 0.5);
        var handles = new OpenHandles();
        var partition = Source.partition("orders", 0);
        var tracker = new PartitionTracker(partition, 1, 0, -1, 1000, handles);
        var chunks = new ArrayList<EncodedChunk>();
        var builders = new ArrayList<ChunkBuilder>();
        var range = tracker.register(0, 100_000, -1, (told, how) -> {});
        for (var target = 0; target < 5; target++) {
            var builder = new ChunkBuilder(
                    partition, 1, new Target(0, target, 0), new SlabSource(256), budget, new RowTally(), chunks::add);
            builder.begin(range, 0);
            builders.add(builder);
        }
        var offset = 0;
        while (!budget.full()) {
            builders.get(offset % 5).append(new FakeRecord("orders", 0, offset, new byte[16]), FakeRecord.AS_IS);
            offset++;
        }
        builders.forEach(ChunkBuilder::handOver);
        range.close();
        assertThat(budget.bytes()).isBetween(1000L, 1000L + 5 * 256);
        chunks.forEach(EncodedChunk::close);
        assertThat(budget.bytes()).isZero();
        assertThat(handles.count()).isZero();
    }

    @Test
    @Tag("ADM-1")
    void aChunkLargerThanTheBudgetPassesAlone() {
        var budget = new AdmissionBudget(10, 100, 0.5);
        assertThat(budget.full()).isFalse();
        try (var lease = budget.take(1, 5000)) {
            assertThat(lease).isNotNull();
            assertThat(budget.full()).isTrue();
            assertThat(budget.roomy()).isFalse();
        }
        assertThat(budget.full()).isFalse();
        assertThat(budget.roomy()).isTrue();
    }

    @Test
    @Tag("ADM-1")
    void aSourceGoesOnOnlyBelowTheResumeMarkOfBoth() {
        var budget = new AdmissionBudget(10, 100, 0.5);
        var rows = budget.take(5, 1);
        assertThat(budget.full()).isFalse();
        assertThat(budget.roomy()).as("half of the rows is not below half").isFalse();
        rows.close();
        var bytes = budget.take(1, 50);
        assertThat(budget.roomy()).isFalse();
        bytes.close();
        bytes.close();
        assertThat(budget.roomy()).isTrue();
        assertThat(budget.bytes()).as("given back once").isZero();
    }

    @Test
    @Tag("ADM-1")
    void aBudgetThatAdmitsNothingIsRefused() {
        for (var wrong : List.<Runnable>of(
                () -> new AdmissionBudget(0, 1, 0.5),
                () -> new AdmissionBudget(1, 0, 0.5),
                () -> new AdmissionBudget(1, 1, 0),
                () -> new AdmissionBudget(1, 1, 1),
                () -> new AdmissionBudget(1, 1, Double.NaN))) {
            assertThatThrownBy(wrong::run).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
