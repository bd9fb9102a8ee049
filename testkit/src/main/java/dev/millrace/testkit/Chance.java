package dev.millrace.testkit;

import java.util.List;
import java.util.random.RandomGenerator;

/// The one source of chance of a run.
///
/// Thread ownership: the run.
final class Chance {
    static final long MILLI = 1_000_000L;

    private final RandomGenerator generator;

    Chance(RandomGenerator generator) {
        this.generator = generator;
    }

    RandomGenerator generator() {
        return generator;
    }

    boolean of(double share) {
        return generator.nextDouble() < share;
    }

    /// Both bounds inclusive.
    int between(int least, int most) {
        return least + generator.nextInt(most - least + 1);
    }

    /// Both bounds inclusive.
    long between(long least, long most) {
        return least + generator.nextLong(most - least + 1);
    }

    long millis(long least, long most) {
        return between(least * MILLI, most * MILLI);
    }

    /// Over orders of magnitude: small ones as often as large ones.
    long spread(long least, long most) {
        var low = Math.log((double) least);
        return Math.clamp((long) Math.exp(low + (Math.log((double) most) - low) * generator.nextDouble()), least, most);
    }

    long spreadMillis(long least, long most) {
        return spread(least, most) * MILLI;
    }

    <T> T any(List<T> of) {
        return of.get(generator.nextInt(of.size()));
    }
}
