package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitFlight.Answer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/// The source's own running account, over all its members: it outlives their threads.
///
/// Thread ownership: shared; counted by members, read by anybody.
public final class SourceCounters {
    /// What became of commits.
    public enum CommitResult {
        ACKNOWLEDGED,
        LATER,
        FENCED,
        UNKNOWN,
        REFUSED
    }

    private final AtomicLong rebalances = new AtomicLong();
    private final AtomicLong flapping = new AtomicLong();
    private final AtomicLong staleAcks = new AtomicLong();
    private final AtomicLong perhapsTwice = new AtomicLong();
    private volatile int planCharacters;
    private volatile long quarantineNanos;
    private final AtomicLong offsetsLost = new AtomicLong();
    private final AtomicLong offsetsSkipped = new AtomicLong();
    private final Map<PauseReason, AtomicLong> pauses = new EnumMap<>(PauseReason.class);
    private final Map<CommitResult, AtomicLong> commits = new EnumMap<>(CommitResult.class);

    public SourceCounters() {
        for (var reason : PauseReason.values()) pauses.put(reason, new AtomicLong());
        for (var result : CommitResult.values()) commits.put(result, new AtomicLong());
    }

    // Both maps are full from the start, and never change.
    private static <K> AtomicLong of(Map<K, AtomicLong> counts, K key) {
        return Objects.requireNonNull(counts.get(key));
    }

    void rebalanced() {
        rebalances.incrementAndGet();
    }

    void paused(PauseReason reason) {
        of(pauses, reason).incrementAndGet();
    }

    void flapped() {
        flapping.incrementAndGet();
    }

    void staleAck() {
        staleAcks.incrementAndGet();
    }

    void lostOffsets(long count) {
        offsetsLost.addAndGet(count);
    }

    void skippedOffsets(long count) {
        offsetsSkipped.addAndGet(count);
    }

    /// The longest plan of a member, and how long plans still wait for a commit that timed out.
    void plans(int characters, long quarantined) {
        planCharacters = characters;
        quarantineNanos = quarantined;
    }

    /// Of the longest plan, in characters; 0 without any. With several members, of one of them.
    public int planCharacters() {
        return planCharacters;
    }

    /// How long plans do not count as written, since a commit that timed out may still be applied;
    /// in nanoseconds.
    public long quarantineNanos() {
        return quarantineNanos;
    }

    /// So many offsets may have been sent before in other batches.
    void perhapsTwice(long count) {
        perhapsTwice.addAndGet(count);
    }

    void committed(Answer answer) {
        var result = switch (answer) {
            case Answer.Acknowledged() -> CommitResult.ACKNOWLEDGED;
            case Answer.Later() -> CommitResult.LATER;
            case Answer.Fenced() -> CommitResult.FENCED;
            case Answer.Unknown() -> CommitResult.UNKNOWN;
            case Answer.Refused _ -> CommitResult.REFUSED;
        };
        of(commits, result).incrementAndGet();
    }

    /// Assignments, revokes and losses that this process's members were told of, each counted once.
    public long rebalances() {
        return rebalances.get();
    }

    public long pauses(PauseReason reason) {
        return of(pauses, reason).get();
    }

    /// Pauses shorter than 1 s.
    public long flapping() {
        return flapping.get();
    }

    /// Acknowledgements of an epoch that had ended.
    public long staleAcks() {
        return staleAcks.get();
    }

    /// Rows, at most, that are sent again in other batches than before, so that no token is
    /// recognised: the plan was lost, or its settings or a table changed.
    public long possibleDuplicates() {
        return perhapsTwice.get();
    }

    /// Offsets that retention took before they were read, under `on_lost_offset: continue`.
    public long offsetsLost() {
        return offsetsLost.get();
    }

    /// Offsets that `source.kafka.skip` left unread.
    public long offsetsSkipped() {
        return offsetsSkipped.get();
    }

    public long commits(CommitResult result) {
        return of(commits, result).get();
    }
}
