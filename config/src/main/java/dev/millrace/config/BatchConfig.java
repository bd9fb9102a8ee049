package dev.millrace.config;

import java.time.Duration;

/// When an open batch is sealed: at so many rows, so many bytes, or so long after the poll of its first row.
public record BatchConfig(int maxRows, long maxBytes, Duration linger) {
    public BatchConfig {
        Require.atLeast("maxRows", maxRows, 1);
        Require.atLeast("maxBytes", maxBytes, 1);
        Require.positive("linger", linger);
    }
}
