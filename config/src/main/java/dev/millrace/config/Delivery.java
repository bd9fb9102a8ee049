package dev.millrace.config;

/// What is promised of a row that was polled.
public enum Delivery {
    /// Batches are cut by a plan that the group's committed entry keeps: a replay sends the same
    /// rows under the same tokens, and the sink recognises them.
    EFFECTIVELY_ONCE,
    /// Partitions are merged into fewer, larger batches. What replays after a crash may be stored
    /// twice.
    AT_LEAST_ONCE
}
