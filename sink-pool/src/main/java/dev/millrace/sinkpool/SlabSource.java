package dev.millrace.sinkpool;

import java.util.ArrayDeque;

/// Gives slabs to the chunk builders of one target of one source thread, and takes back what they did not fill,
/// so that many small chunks share one. A stuck shard pins its own slabs only.
///
/// Thread ownership: the source thread.
public final class SlabSource {
    /// Partly filled slabs that a target of a source thread keeps.
    public static final int SPARES = 8;

    private static final int LEAST_BYTES = 1024;
    private static final int LEAST_ROWS = 16;

    private final SlabPool pool;
    private final int most;
    private final ArrayDeque<Slab> spares = new ArrayDeque<>();

    /// As many as the slab before took room for: the next one's rows are most likely as long.
    private int rows;

    public SlabSource(SlabPool pool) {
        this(pool, SPARES);
    }

    /// One that keeps so many. Where no more than these are being filled at once, each is filled before it is given up.
    SlabSource(SlabPool pool, int most) {
        this.pool = pool;
        this.most = most;
    }

    /// One whose slabs are filled once.
    public SlabSource(int targetBytes) {
        this(new SlabPool(targetBytes, 0));
    }

    Slab lease(int leastBytes) {
        var spare = spares.peekLast();
        if (spare != null && spare.remaining() >= leastBytes) return spares.removeLast();
        return fresh(leastBytes);
    }

    Slab fresh(int leastBytes) {
        var slab = pool.take(leastBytes, rows);
        slab.used();
        return slab;
    }

    /// A slab that grew for one large row is not kept: small chunks would pin it.
    void giveBack(Slab slab) {
        rows = slab.index.length / 2;
        if (slab.bytes.length > targetBytes() || slab.remaining() < LEAST_BYTES || slab.rowsRemaining() < LEAST_ROWS) {
            slab.left();
            return;
        }
        if (spares.size() == most) spares.removeFirst().left();
        spares.addLast(slab);
    }

    int targetBytes() {
        return pool.slabBytes();
    }
}
