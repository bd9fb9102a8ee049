package dev.millrace.breaker;

/// Which of its turns a closed replica takes: every one, or, after it closed again, one in sixteen, then in
/// eight, in four, in two (BRK-13).
///
/// A step ends with the first write that succeeds once the step has lasted as long as the replica stays open
/// the first time, at least 5 s and at most 30 s: so a replica that is well has its full part again after four
/// of these, and one that fails every few seconds never gets beyond the first. A failure begins the steps anew.
///
/// Thread ownership: the [Replica] it belongs to.
final class Turns {
    /// With one sibling that is well, a replica that flaps gets one write in seventeen.
    static final int FIRST = 16;

    private static final long SHORTEST_STEP_NANOS = 5_000_000_000L;
    private static final long LONGEST_STEP_NANOS = 30_000_000_000L;

    private final long stepNanos;
    private int oneIn = 1;
    private long beganNanos;
    private int passed;

    Turns(long openNanos) {
        stepNanos = Math.clamp(openNanos, SHORTEST_STEP_NANOS, LONGEST_STEP_NANOS);
    }

    /// It takes one turn in so many.
    int oneIn() {
        return oneIn;
    }

    /// The replica closed again.
    void comeBack(long nowNanos) {
        step(FIRST, nowNanos);
    }

    void succeeded(long nowNanos) {
        if (oneIn > 1 && nowNanos - beganNanos >= stepNanos) step(oneIn / 2, nowNanos);
    }

    void failed(long nowNanos) {
        if (oneIn > 1) comeBack(nowNanos);
    }

    private void step(int to, long nowNanos) {
        oneIn = to;
        beganNanos = nowNanos;
        passed = 0;
    }

    /// It is its turn. Returns whether it takes it.
    boolean take() {
        passed++;
        if (passed < oneIn) return false;
        passed = 0;
        return true;
    }
}
