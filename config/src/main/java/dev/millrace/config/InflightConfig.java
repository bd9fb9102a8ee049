package dev.millrace.config;

/// How many batches of one shard may be on their way at once, and how many writes all shards of the sink may have at
/// once,
/// all together: [#UNLIMITED] unless the file says otherwise.
public record InflightConfig(int maxPerShard, int maxTotal) {
    public static final int UNLIMITED = Integer.MAX_VALUE;

    public InflightConfig {
        Require.atLeast("maxPerShard", maxPerShard, 1);
        Require.atLeast("maxTotal", maxTotal, 1);
    }

    public boolean limited() {
        return maxTotal != UNLIMITED;
    }

    /// How many writes so many shards have at once, at most, where each has no more than `perShard`.
    public long most(int shards, int perShard) {
        return Math.min(maxTotal, (long) shards * perShard);
    }
}
