package dev.millrace.config;

/// How many batches of one shard may be on their way at once.
public record InflightConfig(int maxPerShard) {
    public InflightConfig {
        Require.atLeast("maxPerShard", maxPerShard, 1);
    }
}
