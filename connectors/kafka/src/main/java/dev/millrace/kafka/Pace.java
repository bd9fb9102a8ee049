package dev.millrace.kafka;

import dev.millrace.sinkpool.NanoClock;

/// How many rows may go at once and when the next may follow, so that on no stretch more than so many a second go,
/// beside one round. What was late is not caught up on.
///
/// Thread ownership: one thread.
final class Pace {
    static final int MOST_AT_ONCE = 500;
    private static final int ROUNDS_A_SECOND = 10;
    private static final long SECOND = 1_000_000_000L;

    private final int perSecond;
    private long dueNanos;
    private boolean begun;

    /// 0 is no bound.
    Pace(int perSecond) {
        if (perSecond < 0) throw new IllegalArgumentException("rate " + perSecond + " < 0");
        this.perSecond = perSecond;
    }

    /// Rows of one round.
    int round() {
        if (perSecond == 0) return MOST_AT_ONCE;
        return Math.clamp(perSecond / ROUNDS_A_SECOND, 1, MOST_AT_ONCE);
    }

    /// How long the next round has to wait.
    long waitNanos(long nowNanos) {
        return begun && !NanoClock.reached(dueNanos, nowNanos) ? dueNanos - nowNanos : 0;
    }

    /// So many went now.
    void took(int rows, long nowNanos) {
        if (perSecond == 0) return;
        var from = waitNanos(nowNanos) > 0 ? dueNanos : nowNanos;
        dueNanos = NanoClock.due(from, Math.ceilDiv(rows * SECOND, perSecond));
        begun = true;
    }
}
