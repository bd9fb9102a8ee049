package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitNote;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// One partition that a member owns, and what holds it.
///
/// Thread ownership: the source thread.
final class Owned {
    static final String DRIFT =
            "more of its rows are poison than poison.max_rate: the schema changed? None is set aside"
                    + " any more; it goes on when the table is mended, or after a restart with other settings";

    final PartitionFlow flow;

    /// Its next record goes to a target that takes no more.
    boolean noRoom;

    /// No further segment of it may be open.
    boolean noPlan;

    /// The segment of it that is to be read again has no place in the budget.
    boolean noPlace;

    /// Too many of its dead letters wait to be acknowledged.
    boolean lettersOut;

    /// Too many of its rows are poison to be poison.
    boolean drifting;

    /// It reached the pending bound, and is not yet well below it.
    boolean pendingFull;

    /// Nothing more of it is taken. What is in flight goes on.
    boolean halted;

    /// Nor is anything more of it committed.
    boolean forgotten;

    /// A sink's table changed: no more of it is taken, and it is read again from its watermark as
    /// soon as nothing of it is on its way, or then. Null while that is not so.
    @Nullable
    Long againByNanos;

    /// When its head failed, null while it has not.
    @Nullable
    Long stalledNanos;

    private final String note;
    private long headFrom = -1;
    private long headNanos;

    Owned(PartitionFlow flow, long nowNanos) {
        this.flow = flow;
        this.note = CommitNote.of(flow.partition.topicId());
        this.headNanos = nowNanos;
    }

    CommitEntry toCommit() {
        var segments = flow.segments();
        if (segments != null) return segments.plan.entry();
        return new CommitEntry(flow.tracker.watermark(), flow.tracker.watermarkLeaderEpoch(), note);
    }

    /// Says in its account how it stands.
    void publish(@Nullable PauseReason paused, long nowNanos) {
        var tracker = flow.tracker;
        var head = tracker.head();
        var from = head == null ? -1 : head.from();
        if (from != headFrom) {
            headFrom = from;
            headNanos = nowNanos;
        }
        var since = stalledNanos;
        flow.account.stands(new PartitionAccount.Standing(
                tracker.watermark(),
                tracker.end(),
                tracker.pending(),
                flow.waitingRows(),
                since == null ? headNanos : since,
                blockedBy(paused)));
    }

    /// Says how it stood when it was given up.
    void publishLast(@Nullable PauseReason paused) {
        publish(paused, headNanos);
    }

    /// Nothing of it is on its way, or can be waited for.
    boolean idle() {
        // What is planned need not be waited for: whoever gets the partition next has the plan.
        return flow.segments() != null || flow.tracker.idle() || stalledNanos != null;
    }

    /// It is read on, and nothing that was taken of it is undone.
    boolean atRest() {
        if (halted || forgotten || stalledNanos != null || againByNanos != null) return false;
        return flow.tracker.idle() && !flow.hasWaiting() && !flow.waitsForPlan();
    }

    private @Nullable String blockedBy(@Nullable PauseReason paused) {
        if (forgotten) return "topic changed";
        if (againByNanos != null) return PauseReason.LAYOUT.name().toLowerCase(Locale.ROOT);
        if (stalledNanos != null) return "a range that failed";
        var letter = flow.letterNotTaken();
        if (letter != null) return letter;
        if (drifting) return flow.drift();
        return paused == null ? null : paused.name().toLowerCase(Locale.ROOT);
    }
}
