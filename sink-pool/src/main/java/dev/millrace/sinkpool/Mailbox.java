package dev.millrace.sinkpool;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/// The one place where a shard worker waits: a data lane bounded in rows and bytes, and a control lane that is never
/// refused.
///
/// One lock and one condition, taken once for each hand-over and event, never for each row. Control goes first, so an
/// outcome or a deadline is never behind data. The control lane is bounded by what can be in flight.
///
/// Thread ownership: shared; one taker.
final class Mailbox {
    /// How much one take gives at most: what one batch holds.
    record Bounds(long rows, long bytes, long takeRows, long takeBytes) {}

    private final Bounds bounds;
    private final NanoClock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition something = lock.newCondition();
    private final ArrayDeque<ShardEvent> control = new ArrayDeque<>();
    private final ArrayDeque<EncodedChunk> data = new ArrayDeque<>();
    private long rows;
    private long bytes;
    private boolean inputClosed;
    private boolean inputClosedTold;

    Mailbox(Bounds bounds, NanoClock clock) {
        this.bounds = bounds;
        this.clock = clock;
    }

    /// Takes all of them, or none: false when full or closed. Passes its bounds by one hand-over at most.
    boolean offer(List<EncodedChunk> chunks) {
        lock.lock();
        try {
            if (inputClosed || full()) return false;
            for (var chunk : chunks) {
                data.addLast(chunk);
                rows += chunk.rows();
                bytes += chunk.byteCount();
            }
            something.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean full() {
        return rows >= bounds.rows() || bytes >= bounds.bytes();
    }

    boolean hasRoom() {
        lock.lock();
        try {
            return !inputClosed && !full();
        } finally {
            lock.unlock();
        }
    }

    void tell(ShardEvent event) {
        lock.lock();
        try {
            control.addLast(event);
            something.signal();
        } finally {
            lock.unlock();
        }
    }

    /// No chunk is taken in any more. When those that are in have been taken, the taker is told so once.
    void closeInput() {
        lock.lock();
        try {
            inputClosed = true;
            something.signal();
        } finally {
            lock.unlock();
        }
    }

    /// The next event: control first, then chunks if `chunks`; a `Tick` at `untilNanos`.
    ShardEvent take(boolean chunks, long untilNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                var event = control.pollFirst();
                if (event != null) return event;
                if (chunks && !data.isEmpty()) return new ShardEvent.ChunksArrived(takeSome());
                if (inputClosed && !inputClosedTold && data.isEmpty()) {
                    inputClosedTold = true;
                    return new ShardEvent.InputClosed();
                }
                if (untilNanos == NanoClock.NEVER) {
                    something.await();
                    continue;
                }
                var left = untilNanos - clock.nanoTime();
                if (left <= 0) return new ShardEvent.Tick();
                something.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private List<EncodedChunk> takeSome() {
        var out = new ArrayList<EncodedChunk>();
        var tookRows = 0L;
        var tookBytes = 0L;
        while (!data.isEmpty() && tookRows < bounds.takeRows() && tookBytes < bounds.takeBytes()) {
            var chunk = data.removeFirst();
            tookRows += chunk.rows();
            tookBytes += chunk.byteCount();
            out.add(chunk);
        }
        rows -= tookRows;
        bytes -= tookBytes;
        return out;
    }

    /// Takes the waiting chunks out that `which` names.
    List<EncodedChunk> withdraw(Predicate<EncodedChunk> which) {
        lock.lock();
        try {
            var out = new ArrayList<EncodedChunk>();
            for (var chunk : data) if (which.test(chunk)) out.add(chunk);
            if (out.isEmpty()) return out;
            data.removeIf(which);
            for (var chunk : out) {
                rows -= chunk.rows();
                bytes -= chunk.byteCount();
            }
            return out;
        } finally {
            lock.unlock();
        }
    }

    /// Closes it, and returns the chunks left in it: the caller settles them.
    List<EncodedChunk> close() {
        closeInput();
        return withdraw(_ -> true);
    }
}
