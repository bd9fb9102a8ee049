package dev.millrace.cli.proof;

import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Looks again and again whether everything that the group has committed is in the databases.
///
/// The commit is read first: rows only ever come, so what it says is durable must be there afterwards.
///
/// Thread ownership: the test's thread; it looks on one of its own.
final class DurabilityWatch implements AutoCloseable {
    private static final long BETWEEN_MILLIS = 50;

    private final Scene scene;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Thread thread = Thread.ofPlatform().name("durability-watch").unstarted(this::watch);

    private DurabilityWatch(Scene scene) {
        this.scene = scene;
    }

    static DurabilityWatch over(Scene scene) {
        var watch = new DurabilityWatch(scene);
        watch.thread.start();
        return watch;
    }

    private void watch() {
        try {
            do {
                var promised = new TreeSet<>(scene.orders().idsBelow(scene.committed()));
                promised.removeAll(scene.store().ids());
                if (!promised.isEmpty()) throw new AssertionError("committed and not durable: " + promised);
                looks.incrementAndGet();
            } while (!stopped.await(BETWEEN_MILLIS, TimeUnit.MILLISECONDS));
        } catch (RuntimeException | InterruptedException | AssertionError cause) {
            failure.compareAndSet(null, cause);
        }
    }

    /// Ends, and returns how often it has looked. Fails if one look found something wrong.
    int end() throws InterruptedException {
        stopped.countDown();
        thread.join();
        var cause = failure.get();
        if (cause != null) throw new AssertionError("the watch over what is durable", cause);
        return looks.get();
    }

    @Override
    public void close() {
        stopped.countDown();
    }
}
