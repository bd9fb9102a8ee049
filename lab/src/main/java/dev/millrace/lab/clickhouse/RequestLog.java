package dev.millrace.lab.clickhouse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/// The requests a front has taken, the last [#KEPT] of them, and everything that waits for them.
///
/// Thread ownership: any thread; all of it is guarded by one lock.
final class RequestLog {
    static final int KEPT = 20_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Long, LoggedRequest> requests = new LinkedHashMap<>();
    private long begun;

    /// Returns its number.
    long begin(Asked asked) {
        lock.lock();
        try {
            begun++;
            if (requests.size() == KEPT)
                requests.remove(requests.keySet().iterator().next());
            requests.put(begun, LoggedRequest.begun(begun, asked));
            changed.signalAll();
            return begun;
        } finally {
            lock.unlock();
        }
    }

    void change(long number, UnaryOperator<LoggedRequest> step) {
        lock.lock();
        try {
            requests.computeIfPresent(number, (_, before) -> step.apply(before));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    List<LoggedRequest> all() {
        lock.lock();
        try {
            return new ArrayList<>(requests.values());
        } finally {
            lock.unlock();
        }
    }

    void clear() {
        lock.lock();
        try {
            requests.clear();
        } finally {
            lock.unlock();
        }
    }

    boolean await(Predicate<List<LoggedRequest>> reached, Duration limit) throws InterruptedException {
        lock.lock();
        try {
            long left = limit.toNanos();
            while (!reached.test(new ArrayList<>(requests.values()))) {
                if (left <= 0) return false;
                left = changed.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
