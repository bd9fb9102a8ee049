package dev.millrace.cli.proof;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Cuts one way to a store after the other, at random times and in a random manner, and heals each before
/// the next.
///
/// Thread ownership: the test's thread; it cuts on one of its own.
final class Cuts implements AutoCloseable {
    private final List<Way> ways;
    private final SplittableRandom chance;
    private final Duration apart;
    private final Map<String, Integer> made = new TreeMap<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Thread thread = Thread.ofPlatform().name("cuts").unstarted(this::run);

    private Cuts(List<Way> ways, Duration apart, long seed) {
        this.ways = List.copyOf(ways);
        this.apart = apart;
        this.chance = new SplittableRandom(seed);
    }

    /// `apart` is the longest from one cut to the next; each is healed within half of it.
    static Cuts start(List<Way> ways, Duration apart, long seed) {
        var cuts = new Cuts(ways, apart, seed);
        cuts.thread.start();
        return cuts;
    }

    private void run() {
        try {
            while (!waits()) {
                var way = ways.get(chance.nextInt(ways.size()));
                made.merge(way.cut(chance), 1, Integer::sum);
                var over = waits();
                way.heal();
                if (over) return;
            }
        } catch (RuntimeException | InterruptedException cause) {
            failure.compareAndSet(null, cause);
        }
    }

    /// Returns whether it was stopped meanwhile.
    private boolean waits() throws InterruptedException {
        return stopped.await(chance.nextLong(apart.toMillis() / 10, apart.toMillis() / 2), TimeUnit.MILLISECONDS);
    }

    /// Ends with all ways well, and returns how often each cut was made.
    Map<String, Integer> end() throws InterruptedException {
        stopped.countDown();
        thread.join();
        var cause = failure.get();
        if (cause != null) throw new AssertionError("the cuts", cause);
        return made;
    }

    @Override
    public void close() {
        stopped.countDown();
    }
}
