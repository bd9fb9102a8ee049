package dev.millrace.lab;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/// The fault in force and the traffic so far, and everything that waits for either to change.
///
/// Thread ownership: any thread; all of it is guarded by one lock.
final class FaultBoard {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Episode episode = new Episode(new Fault.None());
    private long droppedInEpisode;
    private Traffic traffic = Traffic.NONE;

    Episode episode() {
        lock.lock();
        try {
            return episode;
        } finally {
            lock.unlock();
        }
    }

    /// Begins a new episode, even with a fault like the one before.
    void change(Fault fault) {
        lock.lock();
        try {
            episode = new Episode(fault);
            droppedInEpisode = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Waits, and returns whether this episode is still in force after so long; returns earlier if it is not.
    boolean outlasts(Episode asked, long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (episode == asked && left > 0) left = changed.awaitNanos(left);
            return episode == asked;
        } finally {
            lock.unlock();
        }
    }

    /// Returns when the episode is over.
    void awaitEnd(Episode asked) throws InterruptedException {
        lock.lock();
        try {
            while (episode == asked) changed.await();
        } finally {
            lock.unlock();
        }
    }

    /// Returns when no black hole is in force.
    void awaitPassage() throws InterruptedException {
        lock.lock();
        try {
            while (episode.fault() instanceof Fault.BlackHole) changed.await();
        } finally {
            lock.unlock();
        }
    }

    /// Counts one answer as held until the episode is over.
    void hold(Episode asked) throws InterruptedException {
        lock.lock();
        try {
            count(now -> now.holding(1));
            while (episode == asked) changed.await();
        } finally {
            count(now -> now.holding(-1));
            lock.unlock();
        }
    }

    /// Whether one more answer may be dropped in this episode; counts it if so.
    boolean claimDrop(Episode asked, long most) {
        lock.lock();
        try {
            if (episode != asked || droppedInEpisode == most) return false;
            droppedInEpisode++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    void count(UnaryOperator<Traffic> step) {
        lock.lock();
        try {
            traffic = step.apply(traffic);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    Traffic traffic() {
        lock.lock();
        try {
            return traffic;
        } finally {
            lock.unlock();
        }
    }

    boolean await(Predicate<Traffic> reached, Duration limit) throws InterruptedException {
        lock.lock();
        try {
            long left = limit.toNanos();
            while (!reached.test(traffic)) {
                if (left <= 0) return false;
                left = changed.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
