package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitFlight.Answer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

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
    private final AtomicLong offsetsLost = new AtomicLong();
    private final AtomicLongArray pauses = new AtomicLongArray(PauseReason.values().length);
    private final AtomicLongArray commits = new AtomicLongArray(CommitResult.values().length);

    void rebalanced() {
        rebalances.incrementAndGet();
    }

    void paused(PauseReason reason) {
        pauses.incrementAndGet(reason.ordinal());
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

    void committed(Answer answer) {
        var result =
                switch (answer) {
                    case Answer.Acknowledged() -> CommitResult.ACKNOWLEDGED;
                    case Answer.Later() -> CommitResult.LATER;
                    case Answer.Fenced() -> CommitResult.FENCED;
                    case Answer.Unknown() -> CommitResult.UNKNOWN;
                    case Answer.Refused _ -> CommitResult.REFUSED;
                };
        commits.incrementAndGet(result.ordinal());
    }

    /// Assignments, revokes and losses that this process's members were told of, each counted once.
    public long rebalances() {
        return rebalances.get();
    }

    public long pauses(PauseReason reason) {
        return pauses.get(reason.ordinal());
    }

    /// Pauses shorter than 1 s.
    public long flapping() {
        return flapping.get();
    }

    /// Acknowledgements of an epoch that had ended.
    public long staleAcks() {
        return staleAcks.get();
    }

    /// Offsets that retention took before they were read, under `on_lost_offset: continue`.
    public long offsetsLost() {
        return offsetsLost.get();
    }

    public long commits(CommitResult result) {
        return commits.get(result.ordinal());
    }
}
