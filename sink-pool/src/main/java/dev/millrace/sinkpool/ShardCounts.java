package dev.millrace.sinkpool;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/// What one shard has done so far in this run. Owned by the pool, so that it outlives the worker that
/// writes it (OPS-4).
///
/// Thread ownership: written by the shard machine; read from any thread.
public final class ShardCounts {
    /// How an attempt ended.
    public enum Attempt {
        WRITTEN,
        UNAVAILABLE,
        OVERLOADED,
        REFUSED,
        TOO_LARGE,
        MISCONFIGURED,
        /// No outcome by its deadline.
        TIMED_OUT,
        /// No outcome at all.
        LOST,
        /// Given up while it ran, at the end of a drain.
        CANCELLED
    }

    private final AtomicLong rowsWritten = new AtomicLong();
    private final AtomicLong rowsDuplicate = new AtomicLong();
    private final AtomicLong rowsDeadLettered = new AtomicLong();
    private final AtomicLong rowsSkipped = new AtomicLong();
    private final AtomicLong rowsAbandoned = new AtomicLong();
    private final AtomicLong rowsInDoubt = new AtomicLong();
    private final AtomicLong rowsDropped = new AtomicLong();
    private final AtomicLong possibleDuplicates = new AtomicLong();
    private final AtomicLong batchesWritten = new AtomicLong();
    private final AtomicLong lateOutcomes = new AtomicLong();
    private final Map<SealReason, LongAdder> sealed = adders(SealReason.class);
    private final Map<Attempt, LongAdder> attempts = adders(Attempt.class);
    private final AtomicLongArray replicaRows;
    private final AtomicLongArray replicaAttempts;
    private final AtomicLongArray replicaFailures;

    public ShardCounts(int replicas) {
        replicaRows = new AtomicLongArray(replicas);
        replicaAttempts = new AtomicLongArray(replicas);
        replicaFailures = new AtomicLongArray(replicas);
    }

    /// One for each constant; never changed afterwards, so any thread may read the map.
    private static <E extends Enum<E>> Map<E, LongAdder> adders(Class<E> constants) {
        var out = new EnumMap<E, LongAdder>(constants);
        for (var constant : constants.getEnumConstants()) out.put(constant, new LongAdder());
        return Collections.unmodifiableMap(out);
    }

    private static <E extends Enum<E>> LongAdder of(Map<E, LongAdder> adders, E constant) {
        return Objects.requireNonNull(adders.get(constant));
    }

    void sealed(SealReason reason) {
        of(sealed, reason).increment();
    }

    void began(int replica) {
        replicaAttempts.incrementAndGet(replica);
    }

    void ended(int replica, Attempt how) {
        of(attempts, how).increment();
        if (how != Attempt.WRITTEN) replicaFailures.incrementAndGet(replica);
    }

    /// `batches` is 0 for a later part of a batch that is taken apart, which counts once.
    void wrote(int replica, int batches, long rows, long duplicate) {
        batchesWritten.addAndGet(batches);
        rowsDuplicate.addAndGet(duplicate);
        replicaRows.addAndGet(replica, rows);
    }

    /// These are written, and may be stored once more by an ambiguous attempt that this write did
    /// not repeat.
    void perhapsTwice(long rows) {
        possibleDuplicates.addAndGet(rows);
    }

    /// The one write of a batch of so many rows did not succeed, and the shard is advisory.
    void dropped(long rows) {
        rowsDropped.addAndGet(rows);
    }

    void late() {
        lateOutcomes.incrementAndGet();
    }

    void settled(RowCounts counts) {
        rowsWritten.addAndGet(counts.written());
        rowsDeadLettered.addAndGet(counts.deadLettered());
        rowsSkipped.addAndGet(counts.skipped());
        rowsAbandoned.addAndGet(counts.abandoned());
        rowsInDoubt.addAndGet(counts.inDoubt());
    }

    /// Rows that the sink has, repeats of this run counted once; those it said it had before are
    /// among them.
    public long rowsWritten() {
        return rowsWritten.get();
    }

    public long rowsDuplicate() {
        return rowsDuplicate.get();
    }

    public long rowsDeadLettered() {
        return rowsDeadLettered.get();
    }

    public long rowsSkipped() {
        return rowsSkipped.get();
    }

    /// Rows that this run may have stored twice: of a batch that was taken apart after an attempt had
    /// ended unknown (POI-12), or that was sent where no repeat is recognised (WRT-11).
    public long possibleDuplicates() {
        return possibleDuplicates.get();
    }

    /// Of an advisory shard: rows of batches whose one write did not succeed. They count as
    /// abandoned or in doubt too.
    public long rowsDropped() {
        return rowsDropped.get();
    }

    public long rowsAbandoned() {
        return rowsAbandoned.get();
    }

    public long rowsInDoubt() {
        return rowsInDoubt.get();
    }

    public long batchesWritten() {
        return batchesWritten.get();
    }

    public long lateOutcomes() {
        return lateOutcomes.get();
    }

    public long sealedFor(SealReason reason) {
        return of(sealed, reason).sum();
    }

    public long attempts(Attempt how) {
        return of(attempts, how).sum();
    }

    public long rowsWrittenTo(int replica) {
        return replicaRows.get(replica);
    }

    public long attemptsOf(int replica) {
        return replicaAttempts.get(replica);
    }

    public long failuresOf(int replica) {
        return replicaFailures.get(replica);
    }
}
