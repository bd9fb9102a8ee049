package dev.millrace.pipeline;

import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.NanoClock;
import org.jspecify.annotations.Nullable;

/// A pause that a person asked for: it takes the whole admission budget, so the source takes nothing more, hands over
/// what it has, and goes on living in its group. What is in flight is finished.
///
/// Thread ownership: shared.
final class Pause {
    private record Held(AdmissionBudget.Lease lease, long sinceNanos) {}

    private final AdmissionBudget budget;
    private final NanoClock clock;
    private volatile @Nullable Held held;
    private boolean over;

    Pause(AdmissionBudget budget, NanoClock clock) {
        this.budget = budget;
        this.clock = clock;
    }

    /// Returns whether it is paused from now on, and was not before.
    synchronized boolean begin() {
        if (over || held != null) return false;
        held = new Held(budget.take(budget.maxRows(), 0), clock.nanoTime());
        return true;
    }

    /// Returns whether it was paused before.
    synchronized boolean end() {
        var now = held;
        if (now == null) return false;
        held = null;
        now.lease().close();
        return true;
    }

    /// A drain begins: what was polled needs the room, and nobody pauses it any more.
    synchronized void endForGood() {
        over = true;
        end();
    }

    /// Null for not paused.
    @Nullable
    Long sinceNanos() {
        var now = held;
        return now == null ? null : (Long) now.sinceNanos();
    }

    /// Rows that are in flight, without what the pause takes.
    synchronized long rowsInFlight() {
        return budget.rows() - (held == null ? 0 : budget.maxRows());
    }
}
