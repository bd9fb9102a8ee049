package dev.millrace.clickhouse;

import java.util.ArrayDeque;

/// How many entries everybody made in a table's deduplication log of late, and so for how long the
/// last so many of them reach back (EO-10).
///
/// A look tells the rate at its moment; between two looks the higher of the two counts, before the
/// first its own. From the last look on, and wherever nothing is known, at least our own share counts.
///
/// Thread ownership: guarded by its owner.
final class EntryHistory {
    /// Longer ago than any time for which tokens are kept by default.
    private static final long SPAN_NANOS = 3_600_000_000_000L;

    private static final double NANOS_PER_SECOND = 1e9;

    private record Look(long nanos, double perSecond) {}

    private final double ownPerSecond;

    /// The newest first.
    private final ArrayDeque<Look> looks = new ArrayDeque<>();

    /// `ownPerSecond` is what this process makes at most, in one shard.
    EntryHistory(double ownPerSecond) {
        if (!(ownPerSecond > 0)) throw new IllegalArgumentException("own entries per second " + ownPerSecond);
        this.ownPerSecond = ownPerSecond;
    }

    void saw(long nowNanos, double perSecond) {
        looks.addFirst(new Look(nowNanos, perSecond));
        while (nowNanos - looks.getLast().nanos > SPAN_NANOS) looks.removeLast();
    }

    /// Entries that come in a second from now on.
    double perSecond() {
        var last = looks.peekFirst();
        return last == null ? ownPerSecond : Math.max(last.perSecond, ownPerSecond);
    }

    /// How long ago an entry was made that is the oldest of the last `entries`.
    long windowNanos(long nowNanos, double entries) {
        var left = entries;
        var until = nowNanos;
        var after = perSecond();
        for (var look : looks) {
            var perSecond = Math.max(after, look.perSecond);
            var seconds = Math.max(0, until - look.nanos) / NANOS_PER_SECOND;
            if (perSecond * seconds >= left) return nowNanos - until + nanos(left / perSecond);
            left -= perSecond * seconds;
            until = look.nanos;
            after = look.perSecond;
        }
        return nowNanos - until + nanos(left / Math.max(after, ownPerSecond));
    }

    private static long nanos(double seconds) {
        return (long) (seconds * NANOS_PER_SECOND);
    }
}
