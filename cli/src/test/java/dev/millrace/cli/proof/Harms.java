package dev.millrace.cli.proof;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Brings about one [Harm] after the other, with a calm after each. All of them come, in an order that is left to
/// chance, before one comes again.
///
/// Thread ownership: the test's thread; harms happen on one of its own.
final class Harms implements AutoCloseable {
    private static final int SHORTEST_MILLIS = 200;
    private static final int SHORTEST_CALM_MILLIS = 800;
    private static final int LONGEST_CALM_MILLIS = 3_000;

    private final List<Harm> all;
    private final SplittableRandom chance;
    private final List<Harm> deck = new ArrayList<>();
    private final Map<String, Integer> made = new TreeMap<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicReference<String> now = new AtomicReference<>("none yet");
    private final Thread thread = Thread.ofPlatform().daemon().name("harms").unstarted(this::run);

    private Harms(List<Harm> all, SplittableRandom chance) {
        this.all = List.copyOf(all);
        this.chance = chance;
    }

    static Harms start(List<Harm> all, SplittableRandom chance) {
        var harms = new Harms(all, chance);
        harms.thread.start();
        return harms;
    }

    private void run() {
        try {
            while (!waits(SHORTEST_CALM_MILLIS, LONGEST_CALM_MILLIS)) {
                if (deck.isEmpty()) deck.addAll(all);
                var harm = deck.remove(chance.nextInt(deck.size()));
                now.set(harm.name());
                harm.begin().run(chance);
                waits(SHORTEST_MILLIS, harm.longestMillis());
                harm.end().run();
                made.merge(harm.name(), 1, Integer::sum);
            }
        } catch (Exception | AssertionError cause) {
            failure.compareAndSet(null, cause);
        }
    }

    /// Returns whether it was stopped meanwhile.
    private boolean waits(int shortestMillis, int longestMillis) throws InterruptedException {
        return stopped.await(chance.nextLong(shortestMillis, longestMillis + 1L), TimeUnit.MILLISECONDS);
    }

    /// Fails if one could not be brought about or ended.
    void check() {
        var cause = failure.get();
        if (cause != null) throw new AssertionError("the harm: " + now.get(), cause);
    }

    /// Ends with all well, and returns how often each was brought about.
    Map<String, Integer> end() throws InterruptedException {
        stopped.countDown();
        thread.join();
        check();
        return made;
    }

    @Override
    public void close() {
        stopped.countDown();
    }
}
