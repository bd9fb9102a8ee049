package dev.millrace.sinkpool;

import io.github.resilience4j.core.IntervalFunction;
import java.util.random.RandomGenerator;

/// How long a batch sleeps before its next attempt: resilience4j's exponential steps, read once, with jitter of our
/// own.
///
/// The jitter comes after the cap, so that retries do not line up at the cap, and from the generator given, so that a
/// seed repeats a run.
///
/// Thread ownership: the shard machine that created it.
final class RetryLadder {
    private static final int STEPS = 64;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final long[] nanos;
    private final double jitter;
    private final RandomGenerator chance;

    RetryLadder(ShardSettings.RetrySettings settings, RandomGenerator chance) {
        this.jitter = settings.jitter();
        this.chance = chance;
        var steps = IntervalFunction.ofExponentialBackoff(
                settings.initialNanos() / NANOS_PER_MILLI,
                settings.multiplier(),
                Math.max(settings.initialNanos(), settings.maxNanos()) / NANOS_PER_MILLI);
        nanos = new long[STEPS];
        for (var i = 0; i < STEPS; i++) {
            // Once at the longest it stays there.
            nanos[i] = i > 0 && nanos[i - 1] == settings.maxNanos()
                    ? settings.maxNanos()
                    : Math.min(steps.apply(i + 1) * NANOS_PER_MILLI, settings.maxNanos());
        }
    }

    /// The sleep after the `failures`-th failure in a row, from 1.
    long sleepNanos(int failures) {
        return jittered(nanos[Math.min(failures, STEPS) - 1]);
    }

    /// The longest step: how often a batch is tried that waits for a person.
    long longestNanos() {
        return jittered(nanos[STEPS - 1]);
    }

    private long jittered(long step) {
        return Math.max(NANOS_PER_MILLI, (long) (step * (1 + jitter * (2 * chance.nextDouble() - 1))));
    }
}
