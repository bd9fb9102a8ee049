package dev.millrace.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.checkpoint.PartitionTracker.Moved;
import java.util.ArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PartitionTrackerTest {
    private static final SourcePartition PARTITION = new SourcePartition("orders", TopicId.UNKNOWN, 3);

    private final PartitionTracker tracker = tracker(1, 100, 4);

    private static PartitionTracker tracker(long epoch, long position, int maxPending) {
        return new PartitionTracker(PARTITION, epoch, position, -1, maxPending, new OpenHandles());
    }

    private static Range register(PartitionTracker tracker, long from, long next) {
        return register(tracker, from, next, -1);
    }

    private static Range register(PartitionTracker tracker, long from, long next, int leaderEpoch) {
        var ack = tracker.register(from, next, leaderEpoch, (_, _) -> {});
        ack.close();
        return ack.range();
    }

    @Test
    @Tag("CKP-1")
    void theWatermarkIsTheEndOfTheLongestDonePrefixInWhateverOrder() {
        var first = register(tracker, 100, 110);
        var second = register(tracker, 110, 120);
        var third = register(tracker, 120, 130);
        assertThat(tracker.resolve(third, Resolution.DONE)).isEqualTo(new Moved.Held());
        assertThat(tracker.watermark()).isEqualTo(100);
        assertThat(tracker.resolve(first, Resolution.DONE)).isEqualTo(new Moved.Forward(100, 110));
        assertThat(tracker.head()).isEqualTo(second);
        assertThat(tracker.resolve(second, Resolution.DONE)).isEqualTo(new Moved.Forward(110, 130));
        assertThat(tracker.idle()).isTrue();
        assertThat(tracker.head()).isNull();
    }

    @Test
    @Tag("CKP-1")
    void aRangeToldTwiceChangesNothing() {
        var first = register(tracker, 100, 110);
        var second = register(tracker, 110, 120);
        tracker.resolve(second, Resolution.DONE);
        assertThat(tracker.resolve(second, Resolution.FAILED)).isEqualTo(new Moved.Stale());
        tracker.resolve(first, Resolution.DONE);
        assertThat(tracker.resolve(first, Resolution.FAILED)).isEqualTo(new Moved.Stale());
        assertThat(tracker.watermark()).isEqualTo(120);
    }

    @Test
    @Tag("CKP-2")
    void aRangeOfWhichEveryRowWasSkippedMovesTheWatermarkLikeADeliveredOne() {
        var told = new Resolution[1];
        var ack = tracker.register(100, 110, -1, (_, resolution) -> told[0] = resolution);
        ack.close();
        assertThat(tracker.resolve(ack.range(), told[0])).isEqualTo(new Moved.Forward(100, 110));
    }

    @Test
    @Tag("CKP-4")
    void whatIsBeforeAFailedRangeIsCommittedAndNothingAfterIt() {
        var before = register(tracker, 100, 110);
        var failed = register(tracker, 110, 120);
        var after = register(tracker, 120, 130);
        assertThat(tracker.resolve(before, Resolution.DONE)).isEqualTo(new Moved.Forward(100, 110));
        assertThat(tracker.stalled()).isFalse();
        assertThat(tracker.resolve(failed, Resolution.FAILED)).isEqualTo(new Moved.Stalled(failed, 110));
        assertThat(tracker.stalled()).isTrue();
        assertThat(tracker.resolve(after, Resolution.DONE)).isEqualTo(new Moved.Held());
        var later = register(tracker, 130, 140);
        assertThat(tracker.resolve(later, Resolution.DONE)).isEqualTo(new Moved.Held());
        assertThat(tracker.watermark()).isEqualTo(110);
        assertThat(tracker.head()).isEqualTo(failed);
    }

    @Test
    @Tag("CKP-4")
    void aRangeThatFailsInTheMiddleIsToldAsAStallWhenItBecomesTheHead() {
        var first = register(tracker, 100, 110);
        var second = register(tracker, 110, 120);
        var failed = register(tracker, 120, 130);
        assertThat(tracker.resolve(failed, Resolution.FAILED)).isEqualTo(new Moved.Held());
        assertThat(tracker.stalled()).isFalse();
        assertThat(tracker.resolve(second, Resolution.DONE)).isEqualTo(new Moved.Held());
        var moved = tracker.resolve(first, Resolution.DONE);
        assertThat(moved).isEqualTo(new Moved.Stalled(failed, 100));
        assertThat(((Moved.Stalled) moved).moved()).isTrue();
        assertThat(tracker.watermark()).isEqualTo(120);
        assertThat(tracker.stalled()).isTrue();
    }

    @Test
    @Tag("CKP-4")
    void aStallThatMovedNothingSaysSo() {
        var failed = register(tracker, 100, 110);
        assertThat(((Moved.Stalled) tracker.resolve(failed, Resolution.FAILED)).moved())
                .isFalse();
    }

    @Test
    @Tag("CKP-4")
    void aRangeThatIsCutCommitsUpToTheCutAndStallsThere() {
        var before = register(tracker, 100, 110);
        var told = new ArrayList<Range>();
        var ack = tracker.register(110, 120, 7, (range, _) -> told.add(range));
        var behind = register(tracker, 120, 130);
        var part = ack.part();
        var rest = tracker.cut(ack, 115, (range, _) -> told.add(range));
        ack.close();
        rest.fail();
        rest.close();
        part.resolve(Resolution.DONE);

        assertThat(told).containsExactly(new Range(PARTITION, 1, 7, 115, 120), new Range(PARTITION, 1, 7, 110, 115));
        assertThat(tracker.pending()).isEqualTo(4);
        assertThat(tracker.resolve(behind, Resolution.DONE)).isEqualTo(new Moved.Held());
        assertThat(tracker.resolve(rest.range(), Resolution.FAILED)).isEqualTo(new Moved.Held());
        assertThat(tracker.resolve(before, Resolution.DONE)).isEqualTo(new Moved.Forward(100, 110));
        assertThat(tracker.resolve(ack.range(), Resolution.DONE)).isEqualTo(new Moved.Stalled(rest.range(), 110));
        assertThat(tracker.watermark()).isEqualTo(115);
        assertThat(tracker.watermarkLeaderEpoch()).isEqualTo(7);
    }

    @Test
    @Tag("CKP-4")
    void bothHalvesOfACutRangeMayBeDone() {
        var ack = tracker.register(100, 110, -1, (_, _) -> {});
        var rest = tracker.cut(ack, 101, (_, _) -> {});
        var behind = register(tracker, 110, 120);
        tracker.resolve(behind, Resolution.DONE);
        tracker.resolve(rest.range(), Resolution.DONE);
        assertThat(tracker.resolve(ack.range(), Resolution.DONE)).isEqualTo(new Moved.Forward(100, 120));
        assertThat(tracker.idle()).isTrue();
    }

    @Test
    void aCutIsInsideAnOpenRange() {
        var ack = tracker.register(100, 110, -1, (_, _) -> {});
        assertThatThrownBy(() -> tracker.cut(ack, 100, (_, _) -> {})).hasMessageContaining("at 100");
        assertThatThrownBy(() -> tracker.cut(ack, 110, (_, _) -> {})).hasMessageContaining("at 110");
        ack.close();
        assertThatThrownBy(() -> tracker.cut(ack, 105, (_, _) -> {})).hasMessageContaining("closed");
    }

    @Test
    @Tag("CKP-5")
    void gapsInsideARangeAreCommittedWithItAndNotBeforeIt() {
        // Records at 100 and 107 only, markers up to 112; then a poll that gave no record; then records again.
        var sparse = register(tracker, 100, 113);
        var empty = register(tracker, 113, 150);
        var last = register(tracker, 150, 151);
        assertThat(tracker.resolve(empty, Resolution.DONE)).isEqualTo(new Moved.Held());
        assertThat(tracker.watermark()).isEqualTo(100);
        assertThat(tracker.resolve(sparse, Resolution.DONE)).isEqualTo(new Moved.Forward(100, 150));
        tracker.resolve(last, Resolution.DONE);
        assertThat(tracker.watermark()).isEqualTo(tracker.end()).isEqualTo(151);
    }

    @Test
    @Tag("CKP-5")
    void theLeaderEpochIsThatOfTheRangeThatEndsAtTheWatermark() {
        var known = register(tracker, 100, 110, 7);
        var unknown = register(tracker, 110, 120, -1);
        tracker.resolve(known, Resolution.DONE);
        assertThat(tracker.watermarkLeaderEpoch()).isEqualTo(7);
        tracker.resolve(unknown, Resolution.DONE);
        assertThat(tracker.watermarkLeaderEpoch()).isEqualTo(-1);
    }

    @Test
    @Tag("CKP-6")
    void aRangeOfARevokedEpochIsStaleAlsoWhenThePartitionIsBackAtOnce() {
        var old = register(tracker, 100, 110);
        var back = tracker(2, 100, 4);
        var again = register(back, 100, 110);
        assertThat(back.resolve(old, Resolution.DONE)).isEqualTo(new Moved.Stale());
        assertThat(back.resolve(old, Resolution.FAILED)).isEqualTo(new Moved.Stale());
        assertThat(back.watermark()).isEqualTo(100);
        assertThat(back.stalled()).isFalse();
        assertThat(back.resolve(again, Resolution.DONE)).isEqualTo(new Moved.Forward(100, 110));
    }

    @Test
    @Tag("CKP-6")
    void aRangeOfATopicMadeAnewIsStale() {
        register(tracker, 100, 110);
        var other = new SourcePartition("orders", new TopicId("anew"), 3);
        assertThat(tracker.resolve(new Range(other, 1, -1, 100, 110), Resolution.DONE))
                .isEqualTo(new Moved.Stale());
    }

    @Test
    @Tag("CKP-9")
    void rangesAboveTheWatermarkAreBoundedDoneOrNot() {
        var first = register(tracker, 100, 110);
        for (var from = 110; from < 140; from += 10) {
            assertThat(tracker.full()).isFalse();
            tracker.resolve(register(tracker, from, from + 10), Resolution.DONE);
        }
        assertThat(tracker.pending()).isEqualTo(4);
        assertThat(tracker.full()).isTrue();
        tracker.resolve(first, Resolution.DONE);
        assertThat(tracker.full()).isFalse();
        assertThat(tracker.pending()).isZero();
    }

    @Test
    @Tag("CKP-9")
    void anotherPartitionIsNotFullWithIt() {
        for (var from = 100; from < 140; from += 10) register(tracker, from, from + 10);
        var other =
                new PartitionTracker(new SourcePartition("orders", TopicId.UNKNOWN, 4), 1, 0, -1, 4, new OpenHandles());
        assertThat(tracker.full()).isTrue();
        assertThat(other.full()).isFalse();
    }

    @Test
    @Tag("CKP-11")
    @Tag("CASE-4")
    void aSecondRegistrationIsRefusedLoudly() {
        register(tracker, 100, 110);
        assertThatThrownBy(() -> register(tracker, 100, 110))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("orders-3")
                .hasMessageContaining("100")
                .hasMessageContaining("110");
        assertThatThrownBy(() -> register(tracker, 105, 115)).isInstanceOf(IllegalStateException.class);
        assertThat(tracker.end()).isEqualTo(110);
        assertThat(tracker.pending()).isEqualTo(1);
    }

    @Test
    @Tag("CKP-11")
    void aHoleBetweenRangesIsRefusedLoudly() {
        register(tracker, 100, 110);
        assertThatThrownBy(() -> register(tracker, 111, 120)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> register(tracker, 110, 110)).isInstanceOf(IllegalArgumentException.class);
        assertThat(tracker.end()).isEqualTo(110);
        register(tracker, 110, 120);
    }

    @Test
    void whatCannotBeIsRefusedWithItsValue() {
        assertThatThrownBy(() -> tracker(1, -1, 4)).hasMessageContaining("-1");
        assertThatThrownBy(() -> tracker(1, 0, 0)).hasMessageContaining("0");
        assertThatThrownBy(() -> new Range(PARTITION, 1, -2, 0, 1)).hasMessageContaining("-2");
        assertThatThrownBy(() -> new CommitEntry(-1, -1, "")).hasMessageContaining("-1");
        assertThatThrownBy(() -> new CommitEntry(0, -2, "")).hasMessageContaining("-2");
        assertThatThrownBy(() -> new SourcePartition("", TopicId.UNKNOWN, 0)).hasMessageContaining("name");
        assertThatThrownBy(() -> new SourcePartition("t", TopicId.UNKNOWN, -1)).hasMessageContaining("-1");
    }
}
