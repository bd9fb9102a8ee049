package dev.millrace.config;

import java.time.Duration;

/// When an open batch is sealed: at so many rows, so many bytes, or so long after the poll of its
/// first row; and how many inserts a second a shard may be given where each partition is cut for
/// itself.
public record BatchConfig(int maxRows, long maxBytes, Duration linger, int maxCuts) {
    public BatchConfig {
        Require.atLeast("maxRows", maxRows, 1);
        Require.atLeast("maxBytes", maxBytes, 1);
        Require.positive("linger", linger);
        Require.atLeast("maxCuts", maxCuts, 1);
    }
}
