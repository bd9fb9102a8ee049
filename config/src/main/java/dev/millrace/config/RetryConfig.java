package dev.millrace.config;

import java.time.Duration;

/// The waits between attempts of one batch: `initial`, then `multiplier` times the last one, never above `max`,
/// each moved by up to `jitter` (a fraction from 0 to 1) either way. `maxAttempts` is [#UNLIMITED] unless the
/// file says otherwise.
public record RetryConfig(Duration initial, Duration max, double multiplier, double jitter, int maxAttempts) {
    public static final int UNLIMITED = Integer.MAX_VALUE;

    public RetryConfig {
        Require.positive("initial", initial);
        Require.notLess("max", max, "initial", initial);
        Require.between("multiplier", multiplier, 1, 10);
        Require.between("jitter", jitter, 0, 1);
        Require.atLeast("maxAttempts", maxAttempts, 1);
    }

    public boolean unlimited() {
        return maxAttempts == UNLIMITED;
    }
}
