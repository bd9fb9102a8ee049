package dev.millrace.sinkpool;

import java.util.concurrent.atomic.AtomicLong;

/// The running account of one partition's rows in one sink: encoded = written + dead-lettered + skipped + abandoned +
/// in doubt + in flight, at rest exactly, and within one chunk at any other time.
///
/// Outlives the epochs of the partition and the workers of the sink. `inFlight` is counted apart, by the chunks that
/// are out.
///
/// Thread ownership: shared; `took` is called by the source thread, `ended` by shard workers.
public sealed class RowTally permits FrontTally {
    private final AtomicLong encoded = new AtomicLong();
    private final AtomicLong inFlight = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong deadLettered = new AtomicLong();
    private final AtomicLong skipped = new AtomicLong();
    private final AtomicLong abandoned = new AtomicLong();
    private final AtomicLong inDoubt = new AtomicLong();

    void took(int rows) {
        encoded.addAndGet(rows);
        inFlight.addAndGet(rows);
    }

    void ended(EncodedChunk chunk, RowCounts counts) {
        add(written, counts.written());
        add(deadLettered, counts.deadLettered());
        add(skipped, counts.skipped());
        add(abandoned, counts.abandoned());
        add(inDoubt, counts.inDoubt());
        inFlight.addAndGet(-counts.rows());
    }

    private static void add(AtomicLong to, int rows) {
        if (rows > 0) to.addAndGet(rows);
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

    public long deadLettered() {
        return deadLettered.get();
    }

    /// Refused by the sink and skipped; what is skipped before it is encoded is not counted here.
    public long skipped() {
        return skipped.get();
    }

    public long abandoned() {
        return abandoned.get();
    }

    public long inDoubt() {
        return inDoubt.get();
    }
}
