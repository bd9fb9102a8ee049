package dev.millrace.checkpoint;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/// How far one partition is done in one epoch.
///
/// Invariant C1: `watermark` is the end of the longest prefix of registered ranges that are all done. It never moves
/// back, never passes a range that is open or failed, and is exactly what is committed.
///
/// Thread ownership: the source thread.
public final class PartitionTracker {
    /// What one resolution changed.
    public sealed interface Moved {
        /// The watermark went from `from` to `to`.
        record Forward(long from, long to) implements Moved {}

        /// An earlier range is still open, or failed before.
        record Held() implements Moved {}

        /// A failed range became the head: the watermark stands at its start for the rest of this epoch. Told
        /// once, by the resolution that did it: that of the range itself, or of the last open one before it.
        /// The stall has its age from then on.
        ///
        /// `from` is where the watermark stood before; where it moved too, that is still to be committed.
        record Stalled(Range head, long from) implements Moved {
            public boolean moved() {
                return head.from() > from;
            }
        }

        /// The range is of another epoch, or was told before: nothing changed.
        record Stale() implements Moved {}
    }

    private static final class Entry {
        Range range;

        @Nullable
        Resolution resolution;

        Entry(Range range) {
            this.range = range;
        }
    }

    private final SourcePartition partition;
    private final long epoch;
    private final int maxPending;
    private final OpenHandles handles;

    /// By start, and in order of it. Keys are boxed once a range, not once a record.
    private final LinkedHashMap<Long, Entry> open = new LinkedHashMap<>();

    private @Nullable Entry head;
    private long watermark;
    private int watermarkLeaderEpoch;
    private long end;

    /// Throws if `position` is negative or `maxPending` is below 1.
    public PartitionTracker(
            SourcePartition partition,
            long epoch,
            long position,
            int leaderEpoch,
            int maxPending,
            OpenHandles handles) {
        if (position < 0) throw new IllegalArgumentException(partition + ": position " + position + " < 0");
        if (maxPending < 1) throw new IllegalArgumentException("maxPending " + maxPending + " < 1");
        this.partition = partition;
        this.epoch = epoch;
        this.maxPending = maxPending;
        this.handles = handles;
        this.watermark = position;
        this.watermarkLeaderEpoch = leaderEpoch;
        this.end = position;
    }

    /// Registers what a poll gave, before any of its rows can be acknowledged. Ranges follow each other without a
    /// hole.
    ///
    /// Throws if `from` is not the end of the last range: an offset is registered once in an epoch (CKP-11).
    public Ack register(long from, long next, int leaderEpoch, Resolved sink) {
        if (from != end)
            throw new IllegalStateException(
                    partition + ": range begins at " + from + ", expected " + end + " (epoch " + epoch + ")");
        var range = new Range(partition, epoch, leaderEpoch, from, next);
        var entry = new Entry(range);
        open.put(from, entry);
        if (head == null) head = entry;
        end = next;
        return new Ack(range, sink, handles);
    }

    /// Divides a range that is not closed yet: `ack` keeps what is before `at`, and the answer is that of the
    /// rest. What was acknowledged before a row that cannot be had is committed up to that row, and not only up
    /// to its poll.
    ///
    /// Throws if `at` is not inside the range, or the range is not open here.
    public Ack cut(Ack ack, long at, Resolved sink) {
        var whole = ack.range();
        var entry = open.get(whole.from());
        if (entry == null || !entry.range.equals(whole)) throw new IllegalStateException(whole + " is not open");
        if (at <= whole.from() || at >= whole.next())
            throw new IllegalArgumentException("no cut of " + whole + " at " + at);
        var before = new Range(partition, epoch, whole.leaderEpoch(), whole.from(), at);
        var rest = new Range(partition, epoch, whole.leaderEpoch(), at, whole.next());
        ack.shortened(before);
        entry.range = before;
        putAfter(entry, new Entry(rest));
        return new Ack(rest, sink, handles);
    }

    // The map keeps the order in which ranges came, so those behind come again. Rare: once in the life of an epoch.
    private void putAfter(Entry before, Entry added) {
        var behind = new ArrayList<Entry>();
        for (var entry : open.values()) if (entry.range.from() > before.range.from()) behind.add(entry);
        for (var entry : behind) open.remove(entry.range.from());
        open.put(added.range.from(), added);
        for (var entry : behind) open.put(entry.range.from(), entry);
    }

    /// The one method that may move the watermark.
    public Moved resolve(Range range, Resolution resolution) {
        var entry = open.get(range.from());
        if (entry == null || !entry.range.equals(range) || entry.resolution != null) return new Moved.Stale();
        entry.resolution = resolution;
        if (entry != head) return new Moved.Held();
        var before = watermark;
        while (head != null && head.resolution == Resolution.DONE) {
            open.remove(head.range.from());
            watermark = head.range.next();
            watermarkLeaderEpoch = head.range.leaderEpoch();
            var next = open.firstEntry();
            head = next == null ? null : next.getValue();
        }
        if (head != null && head.resolution == Resolution.FAILED) return new Moved.Stalled(head.range, before);
        return new Moved.Forward(before, watermark);
    }

    public SourcePartition partition() {
        return partition;
    }

    public long epoch() {
        return epoch;
    }

    /// One past the last offset done contiguously: what to commit.
    public long watermark() {
        return watermark;
    }

    /// The leader epoch at the watermark, −1 where unknown. A range that knows none makes it unknown: a later
    /// offset under an earlier epoch would look to the broker like a truncated log.
    public int watermarkLeaderEpoch() {
        return watermarkLeaderEpoch;
    }

    /// One past the last offset registered.
    public long end() {
        return end;
    }

    /// The range that holds the watermark where it is, or null.
    public @Nullable Range head() {
        return head == null ? null : head.range;
    }

    /// Ranges registered and above the watermark (done or not), not "not yet committed".
    public int pending() {
        return open.size();
    }

    /// At `maxPending` the partition pauses; others go on (CKP-9). Asked before a poll, so what one poll gives
    /// may pass the bound by its own ranges: they are taken already, and are not refused.
    public boolean full() {
        return open.size() >= maxPending;
    }

    /// The head range failed: nothing moves for the rest of this epoch (CKP-4).
    public boolean stalled() {
        return head != null && head.resolution == Resolution.FAILED;
    }

    /// Everything taken was told how it ended. Looks at each range that is not done.
    public boolean settled() {
        for (var entry : open.values()) if (entry.resolution == null) return false;
        return true;
    }

    /// Nothing taken is left undone.
    public boolean idle() {
        return open.isEmpty();
    }
}
