package dev.millrace.intake;

import java.util.ArrayDeque;

/// How fast a sink is done with rows, over the last seconds: when whoever is refused may come again.
///
/// Thread ownership: shared.
final class Pace {
    static final int SOONEST = 1;
    static final int LATEST = 30;
    private static final long SECOND = 1_000_000_000L;
    private static final long WINDOW = 10 * SECOND;
    /// Before so much time there is no pace to tell.
    private static final long LEAST = SECOND / 10;

    private record Sample(long nanos, long ended) {}

    private final ArrayDeque<Sample> samples = new ArrayDeque<>();

    /// So many rows have ended by now, in all.
    synchronized void look(long nowNanos, long ended) {
        var last = samples.peekLast();
        if (last != null && nowNanos - last.nanos() < SECOND) return;
        samples.addLast(new Sample(nowNanos, ended));
        while (samples.size() > 1 && nowNanos - samples.getFirst().nanos() > WINDOW) samples.removeFirst();
    }

    /// In how many seconds so many rows more will have ended, at the pace of the last ones; [#LATEST] where nothing
    /// ends, and [#SOONEST] where nobody has looked long enough to say.
    synchronized int seconds(long nowNanos, long ended, long rows) {
        var first = samples.peekFirst();
        if (first == null || nowNanos - first.nanos() < LEAST) return SOONEST;
        if (ended <= first.ended()) return LATEST;
        var perSecond = (double) (ended - first.ended()) * SECOND / (nowNanos - first.nanos());
        return Math.clamp((long) Math.ceil(rows / perSecond), SOONEST, LATEST);
    }
}
