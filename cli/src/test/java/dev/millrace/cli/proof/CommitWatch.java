package dev.millrace.cli.proof;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// Looks again and again at what a group has committed: no offset ever goes back.
///
/// Thread ownership: the test's thread; it looks on one of its own.
final class CommitWatch implements AutoCloseable {
    private static final long BETWEEN_MILLIS = 20;

    private final Supplier<Map<TopicPartition, Long>> committed;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Thread thread = Thread.ofPlatform().name("commit-watch").unstarted(this::watch);

    private CommitWatch(Supplier<Map<TopicPartition, Long>> committed) {
        this.committed = committed;
    }

    static CommitWatch over(Supplier<Map<TopicPartition, Long>> committed) {
        var watch = new CommitWatch(committed);
        watch.thread.start();
        return watch;
    }

    private void watch() {
        var highest = new HashMap<TopicPartition, Long>();
        try {
            do {
                committed.get().forEach((partition, offset) -> {
                    var before = highest.put(partition, offset);
                    if (before != null && offset < before)
                        throw new AssertionError(partition + " went back from " + before + " to " + offset);
                });
                looks.incrementAndGet();
            } while (!stopped.await(BETWEEN_MILLIS, TimeUnit.MILLISECONDS));
        } catch (RuntimeException | InterruptedException | AssertionError cause) {
            failure.compareAndSet(null, cause);
        }
    }

    /// Ends, and returns how often it has looked. Fails if an offset went back.
    int end() throws InterruptedException {
        stopped.countDown();
        thread.join();
        var cause = failure.get();
        if (cause != null) throw new AssertionError("the watch over commits", cause);
        return looks.get();
    }

    @Override
    public void close() {
        stopped.countDown();
    }
}
