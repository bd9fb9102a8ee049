package dev.millrace.sinkpool;

import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The shell of the two shares and of the marks between items: their lock, the lanes that most producers need no lock
/// for, and the one place where producers wait.
///
/// Thread ownership: shared.
final class Slots<T> {
    /// A producer that waits for its turn.
    private static final class Parked {
        private final Condition turn;
        private boolean served;
        private boolean over;

        private Parked(Condition turn) {
            this.turn = turn;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();
    private final NanoClock clock;
    private final Lanes<T> stagedLanes;
    private final Lanes<T> reservedLanes;
    private final Share<Parked> staged;
    private final Share<Parked> reserved;
    private final Marks marks = new Marks();
    private int watchers;
    private volatile long asked;
    private volatile boolean stagedFull;
    private volatile boolean waits;
    private volatile boolean fenced;

    /// `stageShare` of both bounds is for what is staged; the rest is for what is reserved.
    Slots(AdmissionBudget budget, double stageShare, int processors, NanoClock clock) {
        this.clock = clock;
        this.stagedLanes = new Lanes<>(processors);
        this.reservedLanes = new Lanes<>(processors);
        var rows = (long) (budget.maxRows() * stageShare);
        var bytes = (long) (budget.maxBytes() * stageShare);
        this.staged = new Share<>(rows, bytes, stagedLanes.all());
        this.reserved = new Share<>(budget.maxRows() - rows, budget.maxBytes() - bytes, reservedLanes.all());
    }

    Lanes<T> lanes(Way way) {
        return way == Way.STAGED ? stagedLanes : reservedLanes;
    }

    private Share<Parked> share(Way way) {
        return way == Way.STAGED ? staged : reserved;
    }

    // --- what producers take

    /// A slot for one item, with its bytes. Returns why not, or null.
    @Nullable
    Refusal takeOne(Way way, Lane<T> lane, int bytes) {
        lock.lock();
        try {
            var refused = share(way).take(lane, 1);
            if (refused == null) share(way).charge(lane, bytes);
            else if (way == Way.STAGED) stagedFull = refused.by() != Refusal.Limit.CLOSED;
            return refused;
        } finally {
            lock.unlock();
        }
    }

    /// Nothing that was staged has ended since something was shed, so this is shed too, without the lock.
    boolean stagedFull() {
        return stagedFull;
    }

    @Nullable
    Refusal reserve(Lane<T> lane, long rows) {
        lock.lock();
        try {
            return reserved.take(lane, rows);
        } finally {
            lock.unlock();
        }
    }

    /// Waits in the order of arrival; `waits` is run before.
    @Nullable
    Refusal reserve(Lane<T> lane, long rows, long deadlineNanos, Runnable waits) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            var refused = reserved.take(lane, rows);
            if (refused == null || !refused.passes()) return refused;
            var parked = new Parked(lock.newCondition());
            reserved.await(parked, rows);
            this.waits = true;
            waits.run();
            return turn(parked, rows, deadlineNanos);
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Refusal turn(Parked parked, long rows, long deadlineNanos) throws InterruptedException {
        try {
            while (!parked.served && !parked.over) {
                var left = left(deadlineNanos);
                if (left <= 0) return leave(parked);
                var _ = parked.turn.awaitNanos(left);
            }
        } catch (InterruptedException interrupted) {
            if (parked.served) release(Way.RESERVED, rows, 0);
            else leave(parked);
            throw interrupted;
        }
        return parked.served ? null : refusal(Refusal.Limit.CLOSED, rows);
    }

    private @Nullable Refusal leave(Parked parked) {
        var refusal = reserved.leave(parked);
        serve();
        return refusal;
    }

    /// One that the share has no part in.
    Refusal refusal(Refusal.Limit by, long rows) {
        var now = view(Way.RESERVED);
        return new Refusal(by, rows, now.rows(), now.maxRows());
    }

    private long left(long deadlineNanos) {
        return deadlineNanos == NanoClock.NEVER ? Long.MAX_VALUE : deadlineNanos - clock.nanoTime();
    }

    private void serve() {
        for (var one : reserved.served()) {
            one.served = true;
            one.turn.signal();
        }
        waits = reserved.anyWaits();
    }

    /// Bytes of an item that has its slot.
    void charge(Way way, Lane<T> lane, long bytes) {
        lock.lock();
        try {
            share(way).charge(lane, bytes);
        } finally {
            lock.unlock();
        }
    }

    /// Slots and bytes of what was never taken in, or what an item takes less for being encoded, which may be less than
    /// 0.
    void release(Way way, long rows, long bytes) {
        lock.lock();
        try {
            share(way).release(rows, bytes);
            if (way == Way.STAGED) stagedFull = false;
            else serve();
        } finally {
            lock.unlock();
        }
    }

    // --- what becomes of items

    /// They left their lane. Returns the mark they lie before.
    long took(long items) {
        lock.lock();
        try {
            marks.took(items);
            return marks.current();
        } finally {
            lock.unlock();
        }
    }

    /// They are written or lost.
    void ended(Way way, long mark, long items, long bytes) {
        lock.lock();
        try {
            marks.ended(mark, items);
            release(way, items, bytes);
            if (watchers > 0) moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// What is neither written nor lost at one moment: items that were taken in or lie in lanes, and slots that
    /// somebody holds and has not spent.
    record Left(long items, long unspent) {}

    Left left() {
        lock.lock();
        try {
            var items = marks.itemsOut();
            for (var lanes : List.of(stagedLanes, reservedLanes)) for (var lane : lanes.all()) items += lane.items();
            var taken = staged.view().rows() + reserved.view().rows();
            return new Left(items, Math.max(0, taken - items));
        } finally {
            lock.unlock();
        }
    }

    /// Somebody waits for slots.
    boolean anyWaits() {
        return waits;
    }

    // --- marks

    /// A mark behind all that is in a lane now. Whoever empties the lanes looks at [#asked], begins it, empties
    /// them, and sets it.
    long askForMark() {
        lock.lock();
        try {
            asked = marks.asked();
            return asked;
        } finally {
            lock.unlock();
        }
    }

    /// The mark to be set, if it is not yet.
    long asked() {
        return asked;
    }

    /// The lanes are emptied from now on, and then this mark is set.
    long beginMark() {
        lock.lock();
        try {
            return marks.begin();
        } finally {
            lock.unlock();
        }
    }

    void setMark(long mark) {
        lock.lock();
        try {
            marks.set(mark);
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Nobody empties the lanes any more.
    void endMarks() {
        lock.lock();
        try {
            marks.end();
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Waits until all before the mark has ended. Returns whether it has.
    boolean awaitMark(long mark, long deadlineNanos) throws InterruptedException {
        lock.lockInterruptibly();
        watchers++;
        try {
            while (!marks.reached(mark)) {
                var left = left(deadlineNanos);
                if (left <= 0) return false;
                var _ = moved.awaitNanos(left);
            }
            return true;
        } finally {
            watchers--;
            lock.unlock();
        }
    }

    // --- the end

    /// Nothing is taken from now on, and who waits is told. What is in a lane can still be drained.
    void fence() {
        lock.lock();
        try {
            staged.close();
            for (var one : reserved.close()) {
                one.over = true;
                one.turn.signal();
            }
            for (var lanes : List.of(stagedLanes, reservedLanes)) lanes.all().forEach(Lane::close);
            stagedFull = false;
            waits = false;
            fenced = true;
        } finally {
            lock.unlock();
        }
    }

    /// Once true, no lane gets anything any more.
    boolean fenced() {
        return fenced;
    }

    ShareView view(Way way) {
        lock.lock();
        try {
            return share(way).view();
        } finally {
            lock.unlock();
        }
    }
}
