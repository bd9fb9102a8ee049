package dev.millrace.config;

import java.time.Duration;

/// How often progress is committed, how far a partition may run ahead of it (in polled ranges), and how long a
/// failed range may stall one before the process ends.
public record CheckpointConfig(Duration interval, int maxPending, Duration stalledFailAfter) {
    public CheckpointConfig {
        Require.positive("interval", interval);
        Require.atLeast("maxPending", maxPending, 1);
        Require.positive("stalledFailAfter", stalledFailAfter);
    }
}
