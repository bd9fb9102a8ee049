package dev.millrace.sinkpool;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// Slabs of one size that nobody writes or reads any more, kept to be filled again, the last one first: their memory is
/// not cleared again, and a collector that found it old does not move it.
///
/// Invariant: a slab comes here with the last of its users (see [Slab#left]). One that somebody may still read never
/// does, and is left to the collector.
///
/// Thread ownership: shared; guarded by itself.
public final class SlabPool {
    private final int slabBytes;
    private final long most;
    private final ArrayDeque<Slab> free = new ArrayDeque<>();

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
        return free.pollLast();
    }

    /// Nobody uses it.
    synchronized void give(Slab slab) {
        if (free.size() >= most) return;
        slab.at = 0;
        slab.indexAt = 0;
        free.addLast(slab);
    }

    /// Bytes that are kept now.
    synchronized long keptBytes() {
        return (long) free.size() * slabBytes;
    }
}
