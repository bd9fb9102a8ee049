package dev.millrace.checkpoint;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Counts the parts of one range and tells once, with the worst of them, when the last is
/// resolved. Fails by default.
///
/// Life: [PartitionTracker#register] makes it with one part, the source's own; every chunk takes
/// one more with [#part]; [#close] ends the source's own part, so a range without chunks (all rows
/// skipped) is done at `close`. Whoever gives a range up says [#fail] first. It is no
/// `AutoCloseable` on purpose: a block left by an exception would close it, and say done of rows
/// that no chunk has.
///
/// Invariant: [Resolved#resolved] is called exactly once, after `close` and after every part.
///
/// Offsets of rows that count as done though a sink has not got them (dead letters, rows skipped)
/// are kept until the range is told, for those that are to see only what every sink has.
///
/// Thread ownership: `part`, `fail` and `close` belong to the source thread; parts are resolved
/// from any thread.
public final class Ack {
    private volatile Range range;
    private final Resolved sink;
    private final OpenHandles handles;
    private final AtomicInteger pending = new AtomicInteger(1);
    private volatile boolean failed;
    private boolean closed;
    /// Guarded by this.
    private @Nullable Set<Long> leftOut;

    Ack(Range range, Resolved sink, OpenHandles handles) {
        this.range = range;
        this.sink = sink;
        this.handles = handles;
        handles.opened();
    }

    public Range range() {
        return range;
    }

    /// The range ends earlier than was said, and what is behind that is another's. Before `close`,
    /// after which it may already have been told.
    void shortened(Range to) {
        if (closed) throw new IllegalStateException(range + " was closed before it was cut");
        range = to;
    }

    /// One more part. Before `close`; throws after it, since the range may already have been told.
    public Part part() {
        if (closed) throw new IllegalStateException("parts of " + range + " were closed");
        pending.incrementAndGet();
        handles.opened();
        return new Part(this);
    }

    /// The source cannot finish this range (a poison row under `stop`, an error, a revoke): it
    /// fails, whatever its parts say. Before `close`; throws after it, since the range may already
    /// have been told as done.
    public void fail() {
        if (closed) throw new IllegalStateException(range + " was closed before it failed");
        failed = true;
    }

    /// No further part will come. Idempotent.
    public void close() {
        if (closed) return;
        closed = true;
        end(Resolution.DONE);
    }

    private synchronized void leaveOut(long offset) {
        if (leftOut == null) leftOut = new HashSet<>();
        leftOut.add(offset);
    }

    /// Offsets of rows that some sink has not got, also where the range is done. All of them, once
    /// it was told.
    public synchronized Set<Long> leftOut() {
        return leftOut == null ? Set.of() : Set.copyOf(leftOut);
    }

    private void end(Resolution resolution) {
        // Before the decrement: whoever takes the count to zero sees it.
        if (resolution != Resolution.DONE) failed = true;
        handles.closed();
        if (pending.decrementAndGet() == 0) sink.resolved(range, failed ? Resolution.FAILED : Resolution.DONE);
    }

    /// The claim of one chunk on its range. One shot: a second call of anything changes nothing.
    ///
    /// Thread ownership: whoever owns the chunk; safe from any thread.
    public static final class Part implements AutoCloseable {
        private final Ack ack;
        private final AtomicBoolean ended = new AtomicBoolean();

        private Part(Ack ack) {
            this.ack = ack;
        }

        public Range range() {
            return ack.range;
        }

        /// The row of this offset, if it is of this range, has ended and its sink has not got it.
        /// Before `resolve`.
        public void leaveOut(long offset) {
            var range = ack.range;
            if (range.from() <= offset && offset < range.next()) ack.leaveOut(offset);
        }

        /// Its batch is to be taken apart: the plan has to say so first. Before `resolve`.
        public void splitting() {
            ack.sink.splitting(ack.range);
        }

        /// Returns whether this call resolved it.
        public boolean resolve(Resolution resolution) {
            if (!ended.compareAndSet(false, true)) return false;
            ack.end(resolution);
            return true;
        }

        /// Nobody resolved it: it failed.
        @Override
        public void close() {
            resolve(Resolution.FAILED);
        }
    }
}
