package dev.millrace.sinkpool;

import dev.millrace.checkpoint.Ack;
import dev.millrace.checkpoint.SourcePartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Encoded rows of one partition in one epoch for one target: the unit handed to a shard.
/// Immutable, but for its segment, which is told before it is handed over, and its one ending.
///
/// Row `i` is `bytes[start(i), end(i))` and came from offset `offset(i)`; offsets grow with `i`. A
/// chunk may span ranges; it holds one part of each range's acknowledgement and one lease of the
/// budget.
/// `settle` ends them, once; `close` settles as abandoned.
///
/// Thread ownership: who holds it; it passes from the source thread through a mailbox to a shard
/// worker.
public final class EncodedChunk implements AutoCloseable {
    private final SourcePartition partition;
    private final long epoch;
    private final Target target;
    private final int layout;
    private final byte[] bytes;
    private final int[] index;
    private final int from;
    private final int to;
    private final int indexFrom;
    private final int rows;
    private final long baseOffset;
    private final long polledNanos;
    private final List<Ack.Part> parts;
    private final AdmissionBudget.Lease lease;
    private final RowTally tally;
    private @Nullable PlannedSegment segment;
    private boolean endsSegment;
    private boolean settled;

    /// Whoever may read it: those who hold it until it is written, and each attempt that was given it. Null for one
    /// whose slab is not filled again.
    private final @Nullable Slab slab;

    private final AtomicInteger readers = new AtomicInteger(1);

    EncodedChunk(
            SourcePartition partition,
            long epoch,
            Target target,
            int layout,
            Slab slab,
            int from,
            int indexFrom,
            int rows,
            long baseOffset,
            long polledNanos,
            List<Ack.Part> parts,
            AdmissionBudget.Lease lease,
            RowTally tally) {
        this.partition = partition;
        this.epoch = epoch;
        this.target = target;
        this.layout = layout;
        this.slab = slab;
        this.bytes = slab.bytes;
        this.index = slab.index;
        this.from = from;
        this.indexFrom = indexFrom;
        this.rows = rows;
        this.to = index[indexFrom + 2 * (rows - 1)];
        this.baseOffset = baseOffset;
        this.polledNanos = polledNanos;
        this.parts = parts;
        this.lease = lease;
        this.tally = tally;
    }

    /// Rows of one that nobody waits for, under a lease of their own.
    private EncodedChunk(EncodedChunk whole, int fromRow, int toRow, long lingersFromNanos) {
        this.partition = whole.partition;
        this.epoch = whole.epoch;
        this.target = whole.target;
        this.layout = whole.layout;
        this.slab = null;
        this.bytes = whole.bytes;
        this.index = whole.index;
        this.from = whole.start(fromRow);
        this.to = whole.end(toRow - 1);
        this.indexFrom = whole.indexFrom + 2 * fromRow;
        this.rows = toRow - fromRow;
        this.baseOffset = whole.baseOffset;
        this.polledNanos = lingersFromNanos;
        this.parts = List.of();
        this.lease = whole.lease.another(rows, to - from);
        this.tally = whole.tally;
    }

    public SourcePartition partition() {
        return partition;
    }

    public long epoch() {
        return epoch;
    }

    public Target target() {
        return target;
    }

    /// See [RowEncoder#layout].
    public int layout() {
        return layout;
    }

    /// Says of which segment it is, and whether it is the last of it for its target. Before it is
    /// handed over.
    public void planned(PlannedSegment of, boolean last) {
        if (segment != null) throw new IllegalStateException(this + " is of a segment already");
        segment = of;
        endsSegment = last;
    }

    /// Null for one that is of no segment.
    public @Nullable PlannedSegment segment() {
        return segment;
    }

    public boolean endsSegment() {
        return endsSegment;
    }

    /// The leader epoch of its records; −1 where unknown. Of one of a segment: others may span two.
    public int leaderEpoch() {
        return parts.isEmpty() ? -1 : parts.getFirst().range().leaderEpoch();
    }

    /// Before parts of its batch are sent: asks for that to be written into the plan.
    public void splitting() {
        parts.getFirst().splitting();
    }

    public int rows() {
        return rows;
    }

    public int byteCount() {
        return to - from;
    }

    /// The array that holds the rows, and other chunks' rows besides.
    public byte[] array() {
        return bytes;
    }

    public int start(int row) {
        return row == 0 ? from : end(row - 1);
    }

    public int end(int row) {
        return index[indexFrom + 2 * row];
    }

    public long offset(int row) {
        return baseOffset + index[indexFrom + 2 * row + 1];
    }

    /// When the poll that gave its first row returned, or when it was handed on: linger counts
    /// from here.
    public long polledNanos() {
        return polledNanos;
    }

    /// Ends the parts and the lease: what a shell does for a `Settle` command. Returns whether
    /// this call did: the second of anything changes nothing.
    public boolean settle(RowCounts counts) {
        if (settled) return false;
        if (counts.rows() != rows) throw new IllegalArgumentException(counts + " of " + rows + " rows");
        end(counts);
        for (var row : counts.leftOut()) for (var part : parts) part.leaveOut(offset(row));
        for (var part : parts) part.resolve(counts.resolution());
        // A row that was set aside, or given up, may still be on its way to somewhere.
        if (counts.written() == rows) readNoMore();
        return true;
    }

    /// For a chunk that nobody waits for: its rows without those of these offsets, as chunks that
    /// linger from now on. They take its place; the rows without one have ended as skipped.
    public List<EncodedChunk> handOn(Set<Long> without, long nowNanos) {
        if (!parts.isEmpty()) throw new IllegalStateException(this + " is waited for");
        if (settled) throw new IllegalStateException(this + " has ended");
        var on = without.isEmpty() ? List.of(new EncodedChunk(this, 0, rows, nowNanos)) : pieces(without, nowNanos);
        var left = rows;
        for (var piece : on) left -= piece.rows;
        end(RowCounts.all(left, Ending.SKIPPED));
        return on;
    }

    private void end(RowCounts counts) {
        settled = true;
        tally.ended(this, counts);
        lease.close();
    }

    /// An attempt is given its bytes. It tells with [#readNoMore], if ever.
    void reading() {
        readers.incrementAndGet();
    }

    void readNoMore() {
        if (readers.decrementAndGet() == 0 && slab != null) slab.left();
    }

    private List<EncodedChunk> pieces(Set<Long> without, long nowNanos) {
        var pieces = new ArrayList<EncodedChunk>();
        for (var row = 0; row < rows; row++) {
            var first = row;
            while (row < rows && !without.contains(offset(row))) row++;
            if (row > first) pieces.add(new EncodedChunk(this, first, row, nowNanos));
        }
        return pieces;
    }

    /// All its rows end alike.
    public boolean settle(Ending ending) {
        return settle(RowCounts.all(rows, ending));
    }

    /// Nobody settled it: it is abandoned, and its ranges replay.
    @Override
    public void close() {
        settle(Ending.ABANDONED);
    }

    @Override
    public String toString() {
        return partition + "@[" + offset(0) + ".." + offset(rows - 1) + "]";
    }
}
