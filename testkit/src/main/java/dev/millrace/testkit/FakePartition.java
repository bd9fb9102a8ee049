package dev.millrace.testkit;

import dev.millrace.checkpoint.SourcePartition;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// One life of a partition: from the making of its topic, or from a truncation of its log, to the next. Records before
/// `cutAt` are those of the life before, which it shares; the others are its own.
///
/// Knows of each record what became of it.
///
/// Thread ownership: the run.
final class FakePartition {
    /// Among all lives of all partitions.
    final int index;

    /// Among the partitions that are there now, by name.
    final int slot;

    final SourcePartition id;
    final @Nullable FakePartition before;
    final int cutAt;
    final long[] offsets;
    final long end;

    /// Where a reader that knows nothing begins.
    long logStart;

    /// The first record that retention left.
    int first;

    /// Retention takes all of it when the load has ended.
    boolean takenAtEnd;

    /// Its topic was deleted and made again: whoever reads it goes on where the one before was, until that is seen.
    boolean anew;

    /// It was added when the group ran already.
    boolean grownLater;

    /// So many records are in the log.
    int visible;

    /// No reader gets a record from this one on: a transaction before it is open.
    int stable = Integer.MAX_VALUE;

    /// Nothing is fetched before then.
    long slowUntilNanos;

    final boolean[] poison;
    final boolean[] tombstone;
    final boolean[] large;
    private final int[] landed;
    private final boolean[] skipped;
    private final boolean[] lost;
    private final int stepsOfEpoch;
    private final int epochsBefore;
    private int doneBefore;

    /// What was told as taken by retention reaches to here, whoever had some of it then.
    private long toldBefore = Long.MIN_VALUE;

    FakePartition(
            int index,
            int slot,
            SourcePartition id,
            @Nullable FakePartition before,
            int cutAt,
            long[] offsets,
            long end,
            int stepsOfEpoch) {
        this.index = index;
        this.slot = slot;
        this.id = id;
        this.before = before;
        this.cutAt = cutAt;
        this.offsets = offsets;
        this.end = end;
        this.stepsOfEpoch = stepsOfEpoch;
        var count = offsets.length;
        epochsBefore = before == null || cutAt == 0 ? 0 : before.lastEpoch() + 1;
        poison = new boolean[count];
        tombstone = new boolean[count];
        large = new boolean[count];
        landed = new int[count];
        skipped = new boolean[count];
        lost = new boolean[count];
    }

    private int lastEpoch() {
        return Math.max(0, leaderEpoch(offsets.length - 1));
    }

    int size() {
        return offsets.length;
    }

    /// The life that holds this record.
    FakePartition holder(int record) {
        var life = this;
        for (var older = life.before; record < life.cutAt && older != null; older = life.before) life = older;
        return life;
    }

    /// Under which leader a record was written, −1 where nobody knows.
    int leaderEpoch(int record) {
        if (record < 0 || stepsOfEpoch == 0) return -1;
        var life = holder(record);
        return record / stepsOfEpoch + life.epochsBefore;
    }

    /// The first record at or after this offset.
    int at(long offset) {
        var found = Arrays.binarySearch(offsets, offset);
        return found >= 0 ? found : -found - 1;
    }

    boolean exists(long offset) {
        return Arrays.binarySearch(offsets, offset) >= 0;
    }

    /// Where the log ends for a reader.
    long logEnd() {
        return visible == offsets.length ? end : offsets[visible];
    }

    /// Its log was cut back below this position since that was read, under `leaderEpoch`: where the two differ, or −1.
    long differsAt(long position, int leaderEpoch) {
        var older = before;
        if (older == null || !older.id.equals(id) || leaderEpoch < 0) return -1;
        return position > offsets[cutAt] && leaderEpoch < leaderEpoch(cutAt) ? offsets[cutAt] : -1;
    }

    // --- what became of its records

    void landed(int record) {
        holder(record).landed[record]++;
    }

    void takenBack(int record) {
        holder(record).landed[record]--;
    }

    /// A record of `of` may be missing again. One that retention took before, of which that was told, is lost for ever:
    /// a sink had it then, without having said so, and nobody reads it again.
    void lookAgain(FakePartition of, int record) {
        doneBefore = Math.min(doneBefore, record);
        if (record < offsets.length && holder(record) == of && of.landed[record] == 0 && offsets[record] < toldBefore)
            of.lost[record] = true;
    }

    boolean hasLanded(int record) {
        return holder(record).landed[record] > 0;
    }

    void skipped(int record) {
        holder(record).skipped[record] = true;
    }

    /// Retention took the records before `offset`, and that was told, or is what `on_no_offset` says. Returns how many
    /// of them nobody has.
    int takenBefore(long offset) {
        toldBefore = Math.max(toldBefore, offset);
        var count = 0;
        for (var i = 0; i < offsets.length && offsets[i] < offset; i++) {
            var life = holder(i);
            if (life.landed[i] > 0 || life.skipped[i] || life.lost[i]) continue;
            life.lost[i] = true;
            count++;
        }
        return count;
    }

    /// The first offset of a record that neither landed, nor was left out by policy, nor was told as lost;
    /// `Long.MAX_VALUE` if none.
    long firstMissing() {
        while (doneBefore < offsets.length) {
            var life = holder(doneBefore);
            if (life.landed[doneBefore] == 0 && !life.skipped[doneBefore] && !life.lost[doneBefore])
                return offsets[doneBefore];
            doneBefore++;
        }
        return Long.MAX_VALUE;
    }

    /// Rows stored more than once: replayed.
    long repeats() {
        var out = 0L;
        for (var times : landed) out += Math.max(0, times - 1);
        return out;
    }
}
