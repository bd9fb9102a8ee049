package dev.millrace.config;

/// Whether rows of one key keep their order, and how many streams of a shard its keys are spread over: one, where no
/// order is kept.
public record OrderingConfig(boolean byKey, int lanes) {
    public OrderingConfig {
        Require.atLeast("lanes", lanes, 1);
        if (!byKey && lanes > 1) throw new IllegalArgumentException(lanes + " lanes, and no order to keep in them");
    }

    /// How many batches of a shard may be written at once, of so many that may be on their way.
    public int mostWritten(int maxPerShard) {
        return byKey ? Math.min(lanes, maxPerShard) : maxPerShard;
    }
}
