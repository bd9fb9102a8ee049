package dev.millrace.sinkpool;

import java.util.ArrayDeque;

/// How much of what was decided lately was poison: so much that it is not the rows that are wrong, but the schema
/// (POI-13).
///
/// Lately are the last 10,000 rows, or the last 60 s, whichever is more. Under 100 poison rows are never too many.
///
/// Thread ownership: who made it.
public final class PoisonShare {
    private static final int LEAST_OF_A_DRIFT = 100;
    private static final long LEAST_WINDOW_ROWS = 10_000;
    private static final long LEAST_WINDOW_NANOS = 60_000_000_000L;
    private static final long SLOT_NANOS = 1_000_000_000L;

    /// What was decided within one second.
    private static final class Slot {
        final long fromNanos;
        long rows;
        long poison;

        Slot(long fromNanos) {
            this.fromNanos = fromNanos;
        }
    }

    private final double most;
    private final ArrayDeque<Slot> window = new ArrayDeque<>();
    private long rows;
    private long poison;

    /// `most` is `poison.max_rate`; 1 for any.
    public PoisonShare(double most) {
        this.most = most;
    }

    /// So many rows were decided, of which so many are poison.
    public void decided(long count, long poisonCount, long nowNanos) {
        var slot = window.peekLast();
        if (slot == null || nowNanos - slot.fromNanos >= SLOT_NANOS) {
            slot = new Slot(nowNanos);
            window.addLast(slot);
        }
        slot.rows += count;
        slot.poison += poisonCount;
        rows += count;
        poison += poisonCount;
        forget(nowNanos);
    }

    private void forget(long nowNanos) {
        for (var oldest = window.peekFirst(); oldest != null; oldest = window.peekFirst()) {
            if (nowNanos - oldest.fromNanos < LEAST_WINDOW_NANOS + SLOT_NANOS || rows - oldest.rows < LEAST_WINDOW_ROWS)
                return;
            window.removeFirst();
            rows -= oldest.rows;
            poison -= oldest.poison;
        }
    }

    /// With `more` poison rows it would be too many.
    public boolean tooMany(int more, long nowNanos) {
        forget(nowNanos);
        var would = poison + more;
        return would >= LEAST_OF_A_DRIFT && would > most * (rows + more);
    }
}
