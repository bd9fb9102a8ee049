package dev.millrace.kafka;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// What other threads tell a member: ranges that are resolved, topics that were looked at.
///
/// Telling never blocks and never waits behind data. Bounded by what is pending: each range is told once.
///
/// Thread ownership: shared; one taker, the member's thread.
final class Inbox<T> {
    private final ConcurrentLinkedQueue<T> told = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Thread waiting;

    void tell(T event) {
        told.add(event);
        var taker = waiting;
        if (taker != null) LockSupport.unpark(taker);
    }

    @Nullable
    T poll() {
        return told.poll();
    }

    boolean isEmpty() {
        return told.isEmpty();
    }

    /// Waits until there is something, `nanos` passed, or for no reason.
    void await(long nanos) {
        waiting = Thread.currentThread();
        if (told.isEmpty()) LockSupport.parkNanos(this, nanos);
        waiting = null;
    }
}
