package dev.millrace.config;

import java.time.Duration;

/// When encoded rows of one partition are handed to their shard: at about so many bytes, or after so long.
public record ChunkConfig(int targetBytes, Duration linger) {
    public ChunkConfig {
        Require.atLeast("targetBytes", targetBytes, 1);
        Require.positive("linger", linger);
    }
}
