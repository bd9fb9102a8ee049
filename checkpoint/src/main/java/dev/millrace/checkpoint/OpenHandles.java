package dev.millrace.checkpoint;

import java.util.concurrent.atomic.AtomicLong;

/// Counts the acknowledgement handles of one pipeline that nobody has resolved yet, so that a leak is seen: at rest
/// it is zero.
///
/// Thread ownership: shared.
public final class OpenHandles {
    private final AtomicLong open = new AtomicLong();

    void opened() {
        open.incrementAndGet();
    }

    void closed() {
        open.decrementAndGet();
    }

    public long count() {
        return open.get();
    }
}
