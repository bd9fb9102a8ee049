package dev.millrace.cli.proof;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// Looks again and again whether what the group has committed is in the store, and whether what it
/// has committed went back; and asks the processes for what they count, since one that is killed
/// tells nothing afterwards.
///
/// The commit is read first: rows only ever come, so what it says is durable must be there afterwards.
///
/// Thread ownership: the test's thread; it looks on one of its own.
final class OnceWatch implements AutoCloseable {
    private static final long BETWEEN_MILLIS = 50;

    private final OnceRig rig;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Map<TopicPartition, Long> looked = new HashMap<>();
    private final Thread thread = Thread.ofPlatform().name("once-watch").unstarted(this::watch);

    private OnceWatch(OnceRig rig) {
        this.rig = rig;
    }

    static OnceWatch over(OnceRig rig) {
        var watch = new OnceWatch(rig);
        watch.thread.start();
        return watch;
    }

    private void watch() {
        try {
            do {
                rig.members().forEach(OnceMember::scrape);
                look(rig.committed());
                looks.incrementAndGet();
            } while (!stopped.await(BETWEEN_MILLIS, TimeUnit.MILLISECONDS));
        } catch (Exception | AssertionError cause) {
            failure.compareAndSet(null, cause);
        }
    }

    private void look(Map<TopicPartition, Long> committed) throws Exception {
        var promised = new BitSet();
        committed.forEach((partition, offset) -> {
            var before = looked.getOrDefault(partition, 0L);
            if (offset < before)
                throw new AssertionError(partition + " was committed to " + before + " and is to " + offset);
            promised.or(rig.load().ids(partition.partition(), before, offset));
        });
        if (!promised.isEmpty()) {
            var missing = (BitSet) promised.clone();
            missing.andNot(rig.store().ids(promised.nextSetBit(0), promised.length()));
            if (!missing.isEmpty())
                throw new AssertionError("committed and not durable: " + missing + " of " + committed + ", of which "
                        + looked + " was looked at before");
        }
        looked.putAll(committed);
    }

    /// Fails if one look found something wrong. Returns how often it has looked.
    int check() {
        var cause = failure.get();
        if (cause != null) throw new AssertionError("the watch over what is durable\n" + rig.evidence(), cause);
        return looks.get();
    }

    /// Ends; the same.
    int end() throws InterruptedException {
        stopped.countDown();
        thread.join();
        return check();
    }

    @Override
    public void close() {
        stopped.countDown();
    }
}
