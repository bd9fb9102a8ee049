package dev.millrace.kafka;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// Waits for a fact, with a deadline that no healthy run comes near.
final class Await {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(40);

    private Await() {}

    static void until(String what, BooleanSupplier fact) {
        until(() -> what, fact);
    }

    static void until(Supplier<String> what, BooleanSupplier fact) {
        var began = System.nanoTime();
        while (!fact.getAsBoolean()) {
            if (System.nanoTime() - began > LIMIT_NANOS) throw new AssertionError("not within 40 s: " + what.get());
            pause(10);
        }
    }

    /// Asserts at every look, for a while, that something does not happen.
    static void never(String what, long millis, BooleanSupplier fact) {
        var began = System.nanoTime();
        while (System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(millis)) {
            if (fact.getAsBoolean()) throw new AssertionError("happened: " + what);
            pause(20);
        }
    }

    private static void pause(long millis) {
        try {
            var none = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
            if (none) throw new IllegalStateException("nobody counts this latch down");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", interrupted);
        }
    }
}
