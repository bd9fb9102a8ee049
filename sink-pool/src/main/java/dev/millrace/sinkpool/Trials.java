package dev.millrace.sinkpool;

import dev.millrace.sinkpool.PoisonSettings.Action;
import org.jspecify.annotations.Nullable;

/// Takes batches apart that their sink refuses, and sets aside the rows that turn out to be poison.
///
/// What is refused waits without a permit wherever nothing speaks against its rows, so that a shard which
/// is well goes on beside it.
///
/// Thread ownership: the shard machine that created it.
final class Trials {
    /// What was decided lately does not change faster.
    private static final long SHORTEST_DRIFT_NANOS = 1_000_000_000L;

    private final Deliveries deliveries;
    private final RetryLadder ladder;
    private final ShardCounts counts;
    private final LateCommands late;
    private final Judge judge;

    Trials(ShardSettings settings, Deliveries deliveries, RetryLadder ladder, ShardCounts counts, LateCommands late) {
        this.deliveries = deliveries;
        this.ladder = ladder;
        this.counts = counts;
        this.late = late;
        this.judge = new Judge(settings.poison(), settings.ordered());
    }

    /// The sink took none of these rows, for what they are.
    void refused(Delivery delivery, Failure failure, int rowNamed, long nowNanos) {
        isolation(delivery, failure).refused(failure, rowNamed);
        next(delivery, failure, nowNanos);
    }

    /// The sink took none of these rows, for how much they are.
    void tooLarge(Delivery delivery, Failure failure, long nowNanos) {
        isolation(delivery, failure).tooLarge(failure);
        next(delivery, failure, nowNanos);
    }

    private Isolation isolation(Delivery delivery, Failure failure) {
        if (delivery.apart() == null && !delivery.knownOutage())
            late.tell(new ShardNote.TakenApart(delivery.batch().id(), failure));
        return delivery.isolation(judge.settings().attempts(), judge.inOrder());
    }

    /// The sink took the whole batch.
    void accepted(long rows, long nowNanos) {
        judge.accepted(rows, nowNanos);
        deliveries.evidence(nowNanos);
    }

    /// The sink took the current part of it, of which so many rows may be stored twice. What comes next
    /// is asked for by [#goOn], if anybody waits for the rest.
    void accepted(Delivery delivery, Isolation isolation, long perhapsTwice, long nowNanos) {
        var part = isolation.taken();
        delivery.ready();
        var endings = delivery.endings();
        counts.perhapsTwice(Math.max(perhapsTwice, endings.anyDoubtful(part) ? part.rows() : 0));
        judge.accepted(part.rows(), nowNanos);
        late.settle(endings.written(part));
        deliveries.evidence(nowNanos);
    }

    /// The next part of a batch of which one was taken, or its end.
    void goOn(Delivery delivery, Isolation isolation, long nowNanos) {
        var suspects = isolation.suspects();
        next(delivery, suspects.isEmpty() ? null : suspects.getLast().failure(), nowNanos);
    }

    /// Suspects that waited for the share of poison to fall are tried again, and judged by what comes of
    /// it. While it has not fallen one of them is, to see whether somebody mended the cause.
    void tick(long nowNanos) {
        for (var delivery : deliveries.drifting(nowNanos)) {
            var isolation = delivery.apart();
            if (isolation == null) throw new IllegalStateException("a whole batch drifts");
            var suspects = isolation.suspects().size() + deliveries.suspectsElsewhere(delivery);
            isolation.again(!judge.drift(suspects, nowNanos));
            delivery.ready();
            deliveries.unpark(delivery);
        }
    }

    private void next(Delivery delivery, @Nullable Failure last, long nowNanos) {
        var isolation = delivery.apart();
        if (isolation == null)
            throw new IllegalStateException("batch " + delivery.batch().id() + " is whole");
        var single = delivery.batch().rows().rows() == 1;
        switch (judge.next(
                isolation, delivery.triedWhole(), single, deliveries.suspectsElsewhere(delivery), nowNanos)) {
            case PART -> {
                delivery.ready();
                deliveries.unpark(delivery);
            }
            case OUTAGE -> outage(delivery, need(last), nowNanos);
            case DRIFT -> drift(delivery, isolation.suspects().size(), need(last), nowNanos);
            case POISON -> condemn(delivery, isolation, nowNanos);
        }
    }

    private static Failure need(@Nullable Failure last) {
        if (last == null) throw new IllegalStateException("nothing was refused");
        return last;
    }

    private void outage(Delivery delivery, Failure failure, long nowNanos) {
        if (delivery.outage(failure))
            late.tell(new ShardNote.Blocked(delivery.batch().id(), failure));
        delivery.sleep(nowNanos, ladder.sleepNanos(delivery.failures()), Delivery.ANY);
        deliveries.park(delivery);
    }

    private void drift(Delivery delivery, int suspects, Failure failure, long nowNanos) {
        if (delivery.drift(failure, NanoClock.due(nowNanos, Math.max(SHORTEST_DRIFT_NANOS, ladder.longestNanos()))))
            late.tell(new ShardNote.Drift(delivery.batch().id(), suspects, failure));
        deliveries.park(delivery);
    }

    private void condemn(Delivery delivery, Isolation isolation, long nowNanos) {
        var endings = delivery.endings();
        var action = judge.settings().action();
        for (var suspect : isolation.suspects()) {
            var row = endings.ref(suspect.row());
            judge.condemned(nowNanos);
            if (endings.anyDoubtful(new Isolation.Part(suspect.row(), suspect.row() + 1))) counts.perhapsTwice(1);
            late.tell(new ShardNote.Poison(row, suspect.failure(), action == Action.SKIP));
            switch (action) {
                case DEAD_LETTER -> {
                    endings.sent(suspect.row());
                    late.add(new ShardCommand.DeadLetter(delivery.batch(), row, suspect.failure(), suspect.attempts()));
                }
                case SKIP -> late.settle(endings.skipped(suspect.row()));
                case STOP -> late.add(new ShardCommand.StopFor(row, suspect.failure()));
            }
        }
        isolation.setAside();
        if (endings.allDone()) {
            deliveries.remove(delivery);
            return;
        }
        if (action == Action.STOP) {
            // Nobody but the next start can do anything for it.
            deliveries.remove(delivery);
            late.settle(delivery.givenUp());
            deliveries.close(delivery);
            return;
        }
        if (!isolation.done()) {
            delivery.ready();
            deliveries.unpark(delivery);
            return;
        }
        delivery.settling(need(isolation.lastSetAside()));
        deliveries.park(delivery);
    }

    /// A dead letter is acknowledged: its row has ended.
    void deadLettered(long batch, RowRef row) {
        var delivery = deliveries.find(batch);
        if (delivery == null) return;
        var done = delivery.endings().acknowledged(row);
        if (done == null) return;
        late.settle(done);
        if (delivery.endings().allDone()) deliveries.remove(delivery);
    }

    /// A dead letter is not taken for now.
    void deadLetterFailed(long batch, Failure failure) {
        var delivery = deliveries.find(batch);
        if (delivery != null && delivery.letterNotTaken(failure)) late.tell(new ShardNote.Blocked(batch, failure));
    }
}
