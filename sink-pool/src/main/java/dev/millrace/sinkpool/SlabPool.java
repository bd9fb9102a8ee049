package dev.millrace.sinkpool;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// Slabs of one size that nobody writes or reads any more, kept to be filled again, the last one first: their memory is
/// not cleared again, and a collector that found it old does not move it.
///
/// Each time as many came back as are kept at most, those that lay here all the while are given up: so a peak's memory
/// goes as rows move on.
///
/// Invariant: a slab comes here with the last of its users (see [Slab#left]). One that somebody may still read never
/// does, and is left to the collector.
///
/// Thread ownership: shared; guarded by itself.
public final class SlabPool {
    private final int slabBytes;
    private final long most;
    private final ArrayDeque<Slab> free = new ArrayDeque<>();

    /// The fewest that were free, and how many came back, since some were given up.
    private int leastFree;

    private long given;

    /// Keeps at most `keptBytes`; of 0 nothing. `slabBytes` is `chunk.target_bytes`, the size of a slab but for rows
    /// larger than that, which get one of their own.
    public SlabPool(int slabBytes, long keptBytes) {
        if (slabBytes < 1) throw new IllegalArgumentException("chunk.target_bytes " + slabBytes + " < 1");
        this.slabBytes = slabBytes;
        this.most = keptBytes / slabBytes;
    }

    public int slabBytes() {
        return slabBytes;
    }

    /// An empty one with room for `leastBytes`, and at first for `rows` in its index.
    Slab take(int leastBytes, int rows) {
        if (leastBytes > slabBytes) return new Slab(leastBytes, rows, null);
        var kept = kept();
        return kept == null ? new Slab(slabBytes, rows, this) : kept;
    }

    private synchronized @Nullable Slab kept() {
        var last = free.pollLast();
        leastFree = Math.min(leastFree, free.size());
        return last;
    }

    /// Nobody uses it.
    synchronized void give(Slab slab) {
        if (++given >= most) giveUpUnused();
        if (free.size() >= most) return;
        slab.at = 0;
        slab.indexAt = 0;
        free.addLast(slab);
    }

    private void giveUpUnused() {
        for (var i = 0; i < leastFree; i++) free.removeFirst();
        leastFree = free.size();
        given = 0;
    }

    /// Bytes that are kept now.
    synchronized long keptBytes() {
        return (long) free.size() * slabBytes;
    }
}
