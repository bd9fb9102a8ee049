package dev.millrace.kafka;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells that one member's commits fail, and when they are taken again.
///
/// One that fails is no news, nor is a rebalance that refuses some: they are sent again. Told is what lasts, and what
/// comes again and again, at most once a minute.
///
/// Thread ownership: the source thread; [#forNanos] from any.
final class CommitTrouble {
    private static final Logger LOG = LoggerFactory.getLogger(CommitTrouble.class);

    /// Longer than a group takes to settle.
    private static final long WHILE_NANOS = 30_000_000_000L;

    private static final long EVERY_NANOS = 60_000_000_000L;

    /// A broker that restarts costs one or two. More within ten minutes raise an alert, whose reader looks for the
    /// reason here.
    private static final int OFTEN = 4;

    private static final long LATELY_NANOS = 600_000_000_000L;

    private final int member;
    private volatile @Nullable Long sinceNanos;
    private @Nullable Long toldNanos;
    private long latelyNanos;
    private int lately;
    private int attempts;
    private boolean recoveryDue;

    CommitTrouble(int member) {
        this.member = member;
    }

    /// For how long no commit was taken though some were sent, once that is no rebalance any more; 0 otherwise.
    long forNanos(long nowNanos) {
        var since = sinceNanos;
        return since != null && nowNanos - since >= WHILE_NANOS ? nowNanos - since : 0;
    }

    /// `rebalance`: the answer asks to wait until the group has settled.
    void failed(String why, boolean rebalance, long nowNanos) {
        attempts++;
        var since = sinceNanos;
        if (since == null) sinceNanos = since = nowNanos;
        if (!rebalance) count(nowNanos);
        if (nowNanos - since < WHILE_NANOS && lately < OFTEN) return;
        var told = toldNanos;
        if (told != null && nowNanos - told < EVERY_NANOS) return;
        toldNanos = nowNanos;
        recoveryDue = true;
        LOG.atWarn()
                .addKeyValue("event", "commit_failed")
                .log("member={} attempts={} seconds={} why=\"{}\"", member, attempts, seconds(nowNanos - since), why);
    }

    private void count(long nowNanos) {
        if (lately == 0 || nowNanos - latelyNanos >= LATELY_NANOS) {
            lately = 0;
            latelyNanos = nowNanos;
        }
        lately++;
    }

    void taken(long nowNanos) {
        var since = sinceNanos;
        if (since == null) return;
        if (recoveryDue)
            LOG.atInfo()
                    .addKeyValue("event", "commit_recovered")
                    .log("member={} attempts={} seconds={}", member, attempts, seconds(nowNanos - since));
        sinceNanos = null;
        attempts = 0;
        recoveryDue = false;
    }

    /// What was not committed is another member's by now, and nothing of what is left has failed.
    void nothingLeft() {
        sinceNanos = null;
        attempts = 0;
        recoveryDue = false;
    }

    /// The last one that was answered was not taken.
    boolean lasts() {
        return sinceNanos != null;
    }

    private static long seconds(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(nanos);
    }
}
