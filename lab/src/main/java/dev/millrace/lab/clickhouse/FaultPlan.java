package dev.millrace.lab.clickhouse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The faults in force at a front, in the order they were told, and everything that waits for their end.
///
/// Thread ownership: any thread; all of it is guarded by one lock.
final class FaultPlan {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition healed = lock.newCondition();
    private final List<Standing> standing = new ArrayList<>();
    private long healings;

    private static final class Standing {
        private final Fault fault;
        private long left;

        Standing(Fault fault) {
            this.fault = fault;
            this.left = fault.most();
        }
    }

    /// One effect on one request.
    record Claim(Fault.Effect effect, long healings) {}

    void add(Fault fault) {
        lock.lock();
        try {
            standing.add(new Standing(fault));
        } finally {
            lock.unlock();
        }
    }

    /// What befalls this request, or null. It counts then.
    @Nullable
    Claim claim(Asked asked) {
        lock.lock();
        try {
            for (var candidate : standing) {
                if (candidate.left == 0 || !candidate.fault.befalls(asked)) continue;
                candidate.left--;
                return new Claim(candidate.fault.effect(), healings);
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /// Ends all faults, and all waits for their end.
    void heal() {
        lock.lock();
        try {
            standing.clear();
            healings++;
            healed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Returns after so long, or when the claim's fault is healed.
    void await(Claim claim, Duration length) throws InterruptedException {
        lock.lock();
        try {
            long left = length.toNanos();
            while (healings == claim.healings() && left > 0) left = healed.awaitNanos(left);
        } finally {
            lock.unlock();
        }
    }

    /// Returns when the claim's fault is healed.
    void awaitHealed(Claim claim) throws InterruptedException {
        lock.lock();
        try {
            while (healings == claim.healings()) healed.await();
        } finally {
            lock.unlock();
        }
    }

    boolean healed(Claim claim) {
        lock.lock();
        try {
            return healings != claim.healings();
        } finally {
            lock.unlock();
        }
    }
}
