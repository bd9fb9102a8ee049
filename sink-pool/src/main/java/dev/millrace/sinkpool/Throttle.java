package dev.millrace.sinkpool;

/// How many batches of a shard may be on their way, and how long they linger: fewer and longer while its
/// sink says that it is overloaded (BRK-12).
///
/// An overload answer halves the limit and doubles the linger. Each [#ANSWERS_A_STEP] other answers in a row
/// raise the limit by one and halve the linger, until both are as set. Any answer counts: a refusal too is one
/// of a sink that had time for it. What began before the limit was last halved says nothing of it, so attempts
/// that fail together count once. Time alone changes nothing.
///
/// Invariant: 1 ≤ limit ≤ `inflight.max_per_shard`; linger is at least as set, and longer than `retry.max`
/// only if it is set so.
///
/// Thread ownership: the shard machine that created it.
final class Throttle {
    static final int ANSWERS_A_STEP = 4;

    /// Eight times as long.
    private static final int MOST_DOUBLINGS = 3;

    private final int most;
    private final long lingerNanos;
    private final long leastDoubledNanos;
    private final long longestNanos;
    private int limit;
    private int doublings;
    private int answers;
    private long lastBefore;
    private long beganNanos;
    private long overloads;

    Throttle(ShardSettings settings) {
        this.most = settings.maxInFlight();
        this.limit = most;
        this.lingerNanos = settings.batch().lingerNanos();
        this.leastDoubledNanos = Math.max(lingerNanos, settings.retry().initialNanos());
        this.longestNanos = Math.max(lingerNanos, settings.retry().maxNanos());
    }

    int limit() {
        return limit;
    }

    /// A linger that is shorter than the first retry doubles from there.
    long lingerNanos() {
        if (doublings == 0) return lingerNanos;
        return leastDoubledNanos > longestNanos >> doublings ? longestNanos : leastDoubledNanos << doublings;
    }

    boolean slowed() {
        return limit < most || doublings > 0;
    }

    /// The attempt was answered with an overload; `lastAttempt` is the last that began so far. Returns whether
    /// this is news.
    boolean overloaded(long attempt, long lastAttempt, long nowNanos) {
        var news = !slowed() && attempt > lastBefore;
        if (news) {
            beganNanos = nowNanos;
            overloads = 0;
        }
        overloads++;
        answers = 0;
        if (attempt > lastBefore) {
            limit = Math.max(1, limit / 2);
            doublings = Math.min(MOST_DOUBLINGS, doublings + 1);
            lastBefore = lastAttempt;
        }
        return news;
    }

    /// The attempt was answered, with anything else. Returns whether this is news: nothing is held back any more.
    boolean answered(long attempt) {
        if (!slowed() || attempt <= lastBefore) return false;
        answers++;
        if (answers < ANSWERS_A_STEP) return false;
        answers = 0;
        limit = Math.min(most, limit + 1);
        doublings = Math.max(0, doublings - 1);
        return !slowed();
    }

    /// How many overload answers it has had since it last began.
    long overloads() {
        return overloads;
    }

    long lastedNanos(long nowNanos) {
        return nowNanos - beganNanos;
    }
}
