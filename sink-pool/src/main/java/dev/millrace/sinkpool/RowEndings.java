package dev.millrace.sinkpool;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which rows of one batch have ended, and how, while the batch is taken apart.
///
/// A chunk is done with its last row, so that a row that waits holds up its own partition only.
///
/// Thread ownership: the shard machine that created it.
final class RowEndings {
    /// A chunk all of whose rows have ended.
    record Done(EncodedChunk chunk, RowCounts counts) {}

    private final List<Slice> slices;
    private final int[] starts;
    private final boolean[] done;
    private final BitSet ended;
    private final BitSet written;
    private final BitSet deadLettered;
    private final BitSet doubtful;
    private final BitSet out = new BitSet();

    /// `doubtful`: an attempt of the whole batch ended unknown.
    RowEndings(BatchRows batch, boolean doubtful) {
        this.slices = batch.slices();
        this.starts = new int[slices.size() + 1];
        for (var i = 0; i < slices.size(); i++)
            starts[i + 1] = starts[i] + slices.get(i).rows();
        this.done = new boolean[slices.size()];
        this.ended = new BitSet(batch.rows());
        this.written = new BitSet(batch.rows());
        this.deadLettered = new BitSet();
        this.doubtful = new BitSet();
        if (doubtful) this.doubtful.set(0, batch.rows());
    }

    private int slice(int row) {
        var at = java.util.Arrays.binarySearch(starts, row);
        return at >= 0 ? at : -at - 2;
    }

    RowRef ref(int row) {
        var at = slice(row);
        var slice = slices.get(at);
        return new RowRef(slice.chunk(), slice.fromRow() + row - starts[at]);
    }

    private int row(RowRef ref) {
        for (var i = 0; i < slices.size(); i++) {
            var slice = slices.get(i);
            if (slice.chunk() == ref.chunk()) return starts[i] + ref.row() - slice.fromRow();
        }
        throw new IllegalArgumentException(ref + " is not of this batch");
    }

    /// Returns the chunks that are done by it.
    List<Done> written(Isolation.Part part) {
        ended.set(part.from(), part.to());
        written.set(part.from(), part.to());
        return done(part.from(), part.to());
    }

    /// An attempt of these ended unknown.
    void doubtful(Isolation.Part part) {
        doubtful.set(part.from(), part.to());
    }

    boolean anyDoubtful(Isolation.Part part) {
        var first = doubtful.nextSetBit(part.from());
        return first >= 0 && first < part.to();
    }

    /// It is on its way to the dead-letter topic.
    void sent(int row) {
        out.set(row);
    }

    int out() {
        return out.cardinality();
    }

    /// Its dead letter is acknowledged. Null if it is not on its way.
    @Nullable
    List<Done> acknowledged(RowRef ref) {
        var row = row(ref);
        if (!out.get(row)) return null;
        out.clear(row);
        ended.set(row);
        deadLettered.set(row);
        return done(row, row + 1);
    }

    List<Done> skipped(int row) {
        ended.set(row);
        return done(row, row + 1);
    }

    private List<Done> done(int from, int to) {
        var out = new ArrayList<Done>();
        for (var i = slice(from); i < slices.size() && starts[i] < to; i++) {
            if (done[i] || ended.nextClearBit(starts[i]) < starts[i + 1]) continue;
            done[i] = true;
            out.add(new Done(slices.get(i).chunk(), counts(i, null)));
        }
        return out;
    }

    boolean allDone() {
        for (var one : done) if (!one) return false;
        return true;
    }

    /// What is not done, as it ends when it is given up now. `writing` is what an attempt is out for.
    List<Done> giveUp(Isolation.@Nullable Part writing) {
        var left = new ArrayList<Done>();
        for (var i = 0; i < done.length; i++) {
            if (done[i]) continue;
            done[i] = true;
            left.add(new Done(slices.get(i).chunk(), counts(i, writing)));
        }
        return left;
    }

    // A dead letter that is on its way may have arrived: its row may come there twice.
    private RowCounts counts(int at, Isolation.@Nullable Part writing) {
        int inSink = 0, dead = 0, abandoned = 0, inDoubt = 0;
        var leftOut = new ArrayList<Integer>();
        for (var row = starts[at]; row < starts[at + 1]; row++) {
            if (written.get(row)) {
                inSink++;
            } else if (ended.get(row)) {
                leftOut.add(slices.get(at).fromRow() + row - starts[at]);
                if (deadLettered.get(row)) dead++;
            } else if (out.get(row) || doubtful.get(row) || within(writing, row)) {
                inDoubt++;
            } else {
                abandoned++;
            }
        }
        return new RowCounts(inSink, dead, leftOut.size() - dead, abandoned, inDoubt, leftOut);
    }

    private static boolean within(Isolation.@Nullable Part part, int row) {
        return part != null && part.from() <= row && row < part.to();
    }

    List<EncodedChunk> open() {
        var open = new ArrayList<EncodedChunk>();
        for (var i = 0; i < done.length; i++)
            if (!done[i]) open.add(slices.get(i).chunk());
        return open;
    }
}
