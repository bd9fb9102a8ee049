package dev.millrace.sinkpool;

import java.util.concurrent.atomic.AtomicLong;

/// The running account of one partition's rows in one sink: encoded = written + abandoned + in doubt + in
/// flight, at rest exactly, and within one chunk at any other time.
///
/// Outlives the epochs of the partition and the workers of the sink. `inFlight` is counted apart, by the chunks that
/// are out.
///
/// Thread ownership: shared; `took` is called by the source thread, `ended` by shard workers.
public final class RowTally {
    private final AtomicLong encoded = new AtomicLong();
    private final AtomicLong inFlight = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong abandoned = new AtomicLong();
    private final AtomicLong inDoubt = new AtomicLong();

    void took(int rows) {
        encoded.addAndGet(rows);
        inFlight.addAndGet(rows);
    }

    void ended(int rows, Ending ending) {
        (switch (ending) {
                    case WRITTEN -> written;
                    case ABANDONED -> abandoned;
                    case IN_DOUBT -> inDoubt;
                })
                .addAndGet(rows);
        inFlight.addAndGet(-rows);
    }

    public long encoded() {
        return encoded.get();
    }

    public long inFlight() {
        return inFlight.get();
    }

    public long written() {
        return written.get();
    }

    public long abandoned() {
        return abandoned.get();
    }

    public long inDoubt() {
        return inDoubt.get();
    }
}
