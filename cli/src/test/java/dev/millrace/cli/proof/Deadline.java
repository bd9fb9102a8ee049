package dev.millrace.cli.proof;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// A time until which a test waits for things to become true.
///
/// Thread ownership: any thread.
record Deadline(long nanos) {
    private static final long LOOK_AGAIN_NANOS = 20_000_000L;

    static Deadline in(Duration limit) {
        return new Deadline(System.nanoTime() + limit.toNanos());
    }

    boolean passed() {
        return System.nanoTime() - nanos > 0;
    }

    /// Returns when it holds. Fails with the evidence if it does not in time.
    void until(String what, Callable<Boolean> holds, Supplier<String> evidence) throws Exception {
        while (!holds.call()) {
            if (passed()) throw new AssertionError("not in time: " + what + "\n" + evidence.get());
            // Other processes tell nobody what they have done: they must be asked.
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }
}
