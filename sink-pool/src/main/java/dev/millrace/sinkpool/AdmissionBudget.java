package dev.millrace.sinkpool;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The bound on rows and bytes between poll and settle: queued, open, sealed, waiting, retrying
/// and writing all count, once.
///
/// `take` is by chunk and never waits or refuses: the records are in memory already. The source
/// looks at [#full] before it encodes on, so use passes the bound by at most one chunk for each
/// target of each source thread. A source that paused goes on at [#roomy].
///
/// Thread ownership: shared.
public final class AdmissionBudget {
    /// One chunk's claim. `close` gives it back once, whoever calls it how often.
    public static final class Lease implements AutoCloseable {
        private final AdmissionBudget budget;
        private final long rows;
        private final long bytes;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Lease(AdmissionBudget budget, long rows, long bytes) {
            this.budget = budget;
            this.rows = rows;
            this.bytes = bytes;
        }

        /// One more, of the same budget.
        Lease another(long rowCount, long byteCount) {
            return budget.take(rowCount, byteCount);
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) budget.add(-rows, -bytes);
        }
    }

    private final long maxRows;
    private final long maxBytes;
    private final double resumeBelow;
    private final @Nullable AdmissionBudget whole;
    private final AtomicLong rows = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /// `resumeBelow` is the share of both bounds under which a paused source goes on, in (0, 1).
    public AdmissionBudget(long maxRows, long maxBytes, double resumeBelow) {
        this(maxRows, maxBytes, resumeBelow, null);
    }

    private AdmissionBudget(long maxRows, long maxBytes, double resumeBelow, @Nullable AdmissionBudget whole) {
        if (maxRows < 1 || maxBytes < 1)
            throw new IllegalArgumentException(
                    "a budget of " + maxRows + " rows and " + maxBytes + " bytes admits nothing");
        if (!(resumeBelow > 0 && resumeBelow < 1))
            throw new IllegalArgumentException("resumeBelow " + resumeBelow + " not in (0, 1)");
        this.maxRows = maxRows;
        this.maxBytes = maxBytes;
        this.resumeBelow = resumeBelow;
        this.whole = whole;
    }

    /// Half of it, for one shard: what is taken of the half is taken of the whole, which itself
    /// sets nothing aside for it.
    public AdmissionBudget half() {
        return new AdmissionBudget(Math.max(1, maxRows / 2), Math.max(1, maxBytes / 2), resumeBelow, this);
    }

    public Lease take(long rowCount, long byteCount) {
        add(rowCount, byteCount);
        return new Lease(this, rowCount, byteCount);
    }

    private void add(long rowCount, long byteCount) {
        rows.addAndGet(rowCount);
        bytes.addAndGet(byteCount);
        if (whole != null) whole.add(rowCount, byteCount);
    }

    /// At or above a bound. An empty budget is never full, so a record larger than the bound
    /// passes alone.
    public boolean full() {
        return rows.get() >= maxRows || bytes.get() >= maxBytes;
    }

    /// Below the resume mark of both.
    public boolean roomy() {
        return rows.get() < maxRows * resumeBelow && bytes.get() < maxBytes * resumeBelow;
    }

    public long rows() {
        return rows.get();
    }

    public long bytes() {
        return bytes.get();
    }

    public long maxRows() {
        return maxRows;
    }

    public long maxBytes() {
        return maxBytes;
    }
}
