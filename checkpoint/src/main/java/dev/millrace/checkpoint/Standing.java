package dev.millrace.checkpoint;

import org.jspecify.annotations.Nullable;

/// How one partition stands with the broker in one stretch of owning it. Its identity is that
/// stretch: the same partition owned again has another, so an answer to a commit sent before finds
/// nobody.
///
/// Thread ownership: the [CommitFlight] that made it.
final class Standing {
    /// The first wait of a partition that was refused alone; it doubles up to [#LONGEST_HOLD_NANOS].
    static final long FIRST_HOLD_NANOS = 30_000_000_000L;

    static final long LONGEST_HOLD_NANOS = 600_000_000_000L;

    /// With whom it may go into one commit.
    sealed interface Company {
        /// With everybody.
        record Together() implements Company {}

        /// A commit it was in was refused and nobody named: with its own topic only, until
        /// somebody is found.
        record WithTopic() implements Company {}

        /// Refused: alone, not before `untilNanos`.
        record Alone(String reason, long untilNanos, long nextHoldNanos) implements Company {}
    }

    private static final Company TOGETHER = new Company.Together();
    private static final Company WITH_TOPIC = new Company.WithTopic();

    final SourcePartition partition;
    private @Nullable CommitEntry target;
    private @Nullable CommitEntry committed;
    private boolean doubtful;
    private @Nullable Long lateUntilNanos;
    private Company company = TOGETHER;

    Standing(SourcePartition partition, @Nullable CommitEntry committed) {
        this.partition = partition;
        this.committed = committed;
        this.target = committed;
    }

    boolean sharesTopicWith(Standing other) {
        return partition.topic().equals(other.partition.topic());
    }

    boolean move(CommitEntry entry) {
        var before = target;
        if (before != null) {
            if (entry.offset() < before.offset())
                throw new IllegalArgumentException(
                        partition + ": offset " + entry.offset() + " is below " + before.offset());
            if (entry.offset() == before.offset() && entry.metadata().equals(before.metadata())) return false;
        }
        target = entry;
        return true;
    }

    /// What the next commit would carry, or null where the broker is known to have it.
    @Nullable
    CommitEntry due() {
        return target == null || (!doubtful && target.equals(committed)) ? null : target;
    }

    /// A commit of it was sent and may have been applied: also an entry equal to what was known
    /// before is news now.
    void doubt() {
        doubtful = true;
    }

    /// It timed out, so it may still be applied until then, even after a newer one: what is
    /// acknowledged of those sent meanwhile is not sure to last.
    void doubtUntil(long nanos) {
        doubtful = true;
        lateUntilNanos = nanos;
    }

    /// The broker is known to have what was last acknowledged, and nothing is on its way that could
    /// change that.
    boolean sure() {
        return committed != null && !doubtful;
    }

    /// The clock went on by so much, and nobody knows whether that is true.
    void leapt(long nanos) {
        var late = lateUntilNanos;
        if (late != null) lateUntilNanos = late + nanos;
    }

    long lateNanos(long nowNanos) {
        var late = lateUntilNanos;
        return late == null ? 0 : Math.max(0, late - nowNanos);
    }

    boolean dirty() {
        return due() != null;
    }

    /// The broker has said that it has what is due, and only time tells whether that lasts: what
    /// is sent again before makes it no surer.
    boolean onlyTimeTells(long nowNanos) {
        var late = lateUntilNanos;
        return late != null && nowNanos - late < 0 && target != null && target.equals(committed);
    }

    @Nullable
    CommitEntry committed() {
        return committed;
    }

    Company company() {
        return company;
    }

    void acknowledge(CommitEntry entry, long sentNanos) {
        committed = entry;
        var late = lateUntilNanos;
        doubtful = late != null && sentNanos - late < 0;
        if (!doubtful) lateUntilNanos = null;
        company = TOGETHER;
    }

    /// Nobody was named: suspected, unless it is known to be refused already.
    void suspect() {
        if (company instanceof Company.Together) company = WITH_TOPIC;
    }

    void clear() {
        if (company instanceof Company.WithTopic) company = TOGETHER;
    }

    /// Its topic was refused: it is tried alone as soon as may be, which tells whether it is the one.
    void holdWithTopic(String reason, long nowNanos) {
        if (!(company instanceof Company.Alone)) company = new Company.Alone(reason, nowNanos, FIRST_HOLD_NANOS);
    }

    /// It is the one that was refused.
    void hold(String reason, long nowNanos) {
        var wait = company instanceof Company.Alone alone ? alone.nextHoldNanos() : FIRST_HOLD_NANOS;
        company = new Company.Alone(reason, nowNanos + wait, Math.min(2 * wait, LONGEST_HOLD_NANOS));
    }
}
