package dev.millrace.postgres;

import dev.millrace.sinkpool.NanoClock;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// One call's claim on an endpoint, and its end: what must be cut or woken when it is cancelled.
///
/// Invariant: once cancelled, it never gets a session, and the one it had is cut.
///
/// Thread ownership: shared between the call and who cancels it; guarded by itself.
final class Attempt {
    private final NanoClock clock;
    private final long deadlineNanos;
    private boolean cancelled;
    private @Nullable Thread waiter;
    private boolean woken;
    private @Nullable SQLException loginFailure;
    private @Nullable Wire wire;

    Attempt(NanoClock clock, long deadlineNanos) {
        this.clock = clock;
        this.deadlineNanos = deadlineNanos;
    }

    void cancel() {
        Wire held;
        synchronized (this) {
            cancelled = true;
            wake();
            held = wire;
        }
        if (held != null) held.cut();
    }

    /// A login to its endpoint failed while it waits for a session: it need not wait on.
    synchronized void loginFailed(SQLException failure) {
        if (waiter == null || loginFailure != null) return;
        loginFailure = failure;
        wake();
    }

    private void wake() {
        if (waiter == null || woken) return;
        woken = true;
        waiter.interrupt();
    }

    /// The calling thread waits for a session from here. Throws if it may not.
    synchronized void beginWaiting() throws SQLException {
        if (over()) throw new AttemptOver();
        waiter = Thread.currentThread();
    }

    /// No longer. Returns the failed login that woke it, or null.
    synchronized @Nullable SQLException endWaiting() {
        // Ours alone: the caller's own interrupt stays where it was.
        if (woken) Thread.interrupted();
        woken = false;
        waiter = null;
        return loginFailure;
    }

    /// Ties the call to a session. Cuts it and throws if the call was cancelled.
    void holds(Wire taken) throws SQLException {
        synchronized (this) {
            if (!over()) {
                wire = taken;
                return;
            }
        }
        taken.cut();
        throw new AttemptOver();
    }

    /// The session is given back: a later cancel is none of its business. False where one came
    /// before: then its wire is cut, or about to be.
    synchronized boolean released() {
        wire = null;
        return !cancelled;
    }

    /// Throws if the call was cancelled or its deadline has passed.
    void mustGoOn() throws SQLException {
        if (over()) throw new AttemptOver();
    }

    synchronized boolean cancelled() {
        return cancelled;
    }

    /// At least 1.
    int remainingMillis() {
        if (deadlineNanos == NanoClock.NEVER) return Integer.MAX_VALUE;
        return Math.clamp((deadlineNanos - clock.nanoTime()) / 1_000_000, 1, Integer.MAX_VALUE);
    }

    /// The shorter of this and the time that is left.
    Duration atMost(Duration limit) {
        var left = Duration.ofMillis(remainingMillis());
        return left.compareTo(limit) < 0 ? left : limit;
    }

    private synchronized boolean over() {
        return cancelled || NanoClock.reached(deadlineNanos, clock.nanoTime());
    }

    /// The call has no time left. Nothing was sent that could be stored.
    static final class AttemptOver extends SQLException {
        private static final long serialVersionUID = 1;

        AttemptOver() {
            super("past its deadline", (String) null);
        }
    }
}
