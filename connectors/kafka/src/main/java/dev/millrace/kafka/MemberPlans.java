package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight;
import dev.millrace.checkpoint.Plan;
import dev.millrace.checkpoint.Range;
import dev.millrace.checkpoint.SegmentPlan;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.Intake;
import dev.millrace.sinkpool.NanoClock;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// Runs the plans of what one group member owns: when their segments are cut, rebuilt and released,
/// when they are committed. Does nothing where nothing is planned.
///
/// Thread ownership: the source thread.
final class MemberPlans {
    private final @Nullable Planning planning;
    private final CommitFlight flight;
    private final Intake intake;
    private final Feeds feeds;
    private final SourceCounters counters;
    private final Collection<Owned> owned;
    private final int members;

    /// `owned` is the machine's own, and changes with it. `members` of this process share the
    /// budget, each with about as many partitions.
    MemberPlans(
            @Nullable Planning planning,
            CommitFlight flight,
            Intake intake,
            Feeds feeds,
            SourceCounters counters,
            Collection<Owned> owned,
            int members) {
        this.planning = planning;
        this.flight = flight;
        this.intake = intake;
        this.feeds = feeds;
        this.counters = counters;
        this.owned = owned;
        this.members = members;
    }

    /// Of a partition that begins at `start`, with what a plan that was found there has open.
    @Nullable
    SegmentPlan begin(SourcePartition partition, CommitEntry start, @Nullable Plan found) {
        return planning == null ? null : new SegmentPlan(planning.plans(), partition, start, found);
    }

    /// Of one epoch of it. What one partition collects is a part of the budget, so that all of
    /// them together leave room for what is written.
    @Nullable
    Segments segments(@Nullable SegmentPlan plan, long nowNanos) {
        if (planning == null || plan == null) return null;
        return new Segments(
                plan,
                feeds,
                intake.budget(),
                () -> SegmentShare.of(intake.budget().maxRows(), intake.budget().maxBytes(), owned.size() * members),
                nowNanos,
                planning::nowSeconds);
    }

    /// One segment is rebuilt always, whatever the budget says: what is planned has to end some
    /// time. Until it is done others wait for room: all plans that a group left may be many times
    /// the budget.
    void admit(Owned one) {
        one.noPlace = false;
        var segments = one.flow.segments();
        if (segments == null || !one.flow.rebuilds() || one.flow.admitted()) return;
        var another = false;
        for (var other : owned) {
            var its = other.flow.segments();
            another |= (other != one && other.flow.admitted()) || (its != null && its.rebuiltIsOpen());
        }
        one.noPlace = !segments.admit(!another);
    }

    /// Cuts what is old enough, and has what is new in plans committed at once: writes wait for
    /// that.
    void cutDue(long nowNanos) {
        if (planning == null) return;
        var longest = 0;
        for (var one : owned) {
            if (mayCut(one)) one.flow.cutDue(nowNanos);
            commit(one);
            var segments = one.flow.segments();
            if (segments != null) longest = Math.max(longest, segments.plan.characters());
        }
        counters.plans(longest, flight.quarantineNanos(nowNanos));
    }

    /// Nothing more would come of waiting.
    void cutAll(long nowNanos) {
        for (var one : owned) cut(one, nowNanos);
    }

    void cut(Owned one, long nowNanos) {
        if (mayCut(one)) one.flow.cut(nowNanos);
        commit(one);
    }

    /// While nobody knows whether this member still is one, nothing is cut (EO-4).
    private boolean mayCut(Owned one) {
        return one.againByNanos == null && !flight.unexplained();
    }

    /// When something of it is to be cut for its age.
    long cutAtNanos(Owned one) {
        return mayCut(one) ? one.flow.cutAtNanos() : NanoClock.NEVER;
    }

    /// What is new in its plan does not wait for the interval.
    void commit(Owned one) {
        var segments = one.flow.segments();
        if (segments == null || !segments.changed() || one.forgotten) return;
        flight.moved(one.flow.partition, segments.plan.entry());
        flight.hurry();
    }

    /// The watermark moved. Returns whether there is something new to commit for it.
    boolean reached(Owned one) {
        var segments = one.flow.segments();
        if (planning == null || segments == null) return true;
        planning.newestTokens().apply(one.flow.partition).forEach(segments.plan::acknowledged);
        var tracker = one.flow.tracker;
        return segments.plan.reached(tracker.watermark(), tracker.watermarkLeaderEpoch());
    }

    /// A commit of this entry was acknowledged: what it plans goes out, if nothing can undo it.
    void acknowledged(Owned one, CommitEntry entry) {
        var segments = one.flow.segments();
        if (segments == null || !flight.sure(one.flow.partition)) return;
        for (var from : segments.committed(entry)) intake.splitMarked(one.flow.partition, one.flow.epoch, from);
    }

    /// A batch with rows of this range is to be taken apart: its plan has to say so first.
    void split(Owned one, Range range) {
        var segments = one.flow.segments();
        if (segments == null || one.flow.epoch != range.epoch()) return;
        var marked = segments.split(range.from());
        if (marked >= 0) intake.splitMarked(range.partition(), range.epoch(), marked);
        commit(one);
    }

    /// Nothing more is polled, so a segment that is half rebuilt stays so.
    void giveUpHalves() {
        for (var one : owned) {
            var segments = one.flow.segments();
            if (segments == null || !one.flow.rebuilds() || one.flow.hasWaiting()) continue;
            one.flow.handOver();
            segments.discardCollected();
        }
    }

    /// It is read again for another table: a row that is poison there, and was none before, or the
    /// other way round, makes another batch of its segment than the one that may be stored.
    void readAgain(@Nullable Segments segments) {
        if (segments == null) return;
        for (var segment : segments.plan.segments())
            if (segments.plan.writtenAhead(segment.from())) counters.perhapsTwice(segment.to() - segment.from());
    }

    /// Retention took these offsets: what is left of a segment is another batch than the one that
    /// may be stored.
    void lost(Owned one, long from, long to) {
        var segments = one.flow.segments();
        if (segments != null) counters.perhapsTwice(segments.planned(from, to));
    }

    /// A commit is out that writes wait for.
    boolean waits() {
        return planning != null && flight.outstanding();
    }
}
