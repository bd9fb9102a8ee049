package dev.millrace.config;

import java.time.Duration;

/// How often progress is committed, how much of a plan a committed entry may hold (in segments and in
/// characters), how far a partition may run ahead of its watermark (in polled ranges), and how
/// long a failed range may stall one before the process ends.
public record CheckpointConfig(
        Duration interval, int maxOpenSegments, int metadataLimit, int maxPending, Duration stalledFailAfter) {
    public CheckpointConfig {
        Require.positive("interval", interval);
        Require.atLeast("maxOpenSegments", maxOpenSegments, 1);
        Require.atLeast("metadataLimit", metadataLimit, 1);
        Require.atLeast("maxPending", maxPending, 1);
        Require.positive("stalledFailAfter", stalledFailAfter);
    }
}
