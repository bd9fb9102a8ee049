package dev.millrace.sinkpool;

import dev.millrace.breaker.BreakerSettings;

/// How one shard is driven. `replicas` is how many endpoints it has; times are nanoseconds.
///
/// `ordered`: the rows of each of `lanes` lanes reach the sink in the order in which they came; without, there is
/// one lane, and no order.
///
/// `maxTotal` is how many writes the shards of its sink have at once, all together (WRT-8); 0 for as many as they like.
public record ShardSettings(
        ShardId shard,
        int replicas,
        int lanes,
        boolean ordered,
        BatchSettings batch,
        int maxInFlight,
        int maxTotal,
        long writeTimeoutNanos,
        RetrySettings retry,
        BreakerSettings breaker,
        boolean countsRows,
        PoisonSettings poison,
        AmbiguousSettings ambiguous,
        Role role) {
    /// Of a shard that is waited for, with the defaults of what is ambiguous. Order is kept where there are lanes, and
    /// its sink takes as many writes as there are.
    public ShardSettings(
            ShardId shard,
            int replicas,
            int lanes,
            BatchSettings batch,
            int maxInFlight,
            long writeTimeoutNanos,
            RetrySettings retry,
            BreakerSettings breaker,
            boolean countsRows,
            PoisonSettings poison) {
        this(
                shard,
                replicas,
                lanes,
                lanes > 1,
                batch,
                maxInFlight,
                0,
                writeTimeoutNanos,
                retry,
                breaker,
                countsRows,
                poison,
                AmbiguousSettings.DEFAULT,
                Role.MERGES);
    }

    public ShardSettings {
        if (replicas < 1) throw new IllegalArgumentException(shard + ": a shard has a replica");
        if (lanes < 1) throw new IllegalArgumentException(shard + ": lanes " + lanes + " < 1");
        if (lanes > 1 && !ordered) throw new IllegalArgumentException(shard + ": " + lanes + " lanes without order");
        if (ordered && (retry.maxAttempts() > 0 || role == Role.ADVISES))
            throw new IllegalArgumentException(shard + ": a batch that is given up breaks the order of its lane");
        if (maxInFlight < 1) throw new IllegalArgumentException(shard + ": max_per_shard " + maxInFlight + " < 1");
        if (maxTotal < 0) throw new IllegalArgumentException(shard + ": max_total " + maxTotal + " < 0");
        if (writeTimeoutNanos < 1)
            throw new IllegalArgumentException(shard + ": write.timeout " + writeTimeoutNanos + " ns");
    }

    /// What its batches are made of, and who waits for them.
    public enum Role {
        /// Merges what comes of whatever partitions.
        MERGES,
        /// The same, and writes each batch once, whole, and drops what is not taken (ADV-1, ADV-2).
        ADVISES,
        /// Each batch is a segment's. The process ends for one whose token may be forgotten, where it
        /// can't be read back (EO-10).
        PLANNED,
        /// The same, but such a batch is sent again.
        PLANNED_RESENDS
    }

    public boolean advisory() {
        return role == Role.ADVISES;
    }

    public boolean planned() {
        return role == Role.PLANNED || role == Role.PLANNED_RESENDS;
    }

    public boolean resendsExpired() {
        return role == Role.PLANNED_RESENDS;
    }

    /// When an open batch is sealed.
    public record BatchSettings(int maxRows, long maxBytes, long lingerNanos) {
        public BatchSettings {
            if (maxRows < 1) throw new IllegalArgumentException("batch.max_rows " + maxRows + " < 1");
            if (maxBytes < 1) throw new IllegalArgumentException("batch.max_bytes " + maxBytes + " < 1");
            if (lingerNanos < 0) throw new IllegalArgumentException("batch.linger " + lingerNanos + " ns < 0");
        }
    }

    /// How long a batch sleeps between attempts. `jitter` is the share that is added or taken,
    /// after the cap; `maxAttempts` 0 is unlimited.
    public record RetrySettings(long initialNanos, long maxNanos, double multiplier, double jitter, int maxAttempts) {
        public RetrySettings {
            if (initialNanos < 1_000_000 || maxNanos < initialNanos)
                throw new IllegalArgumentException(
                        "retry from " + initialNanos + " ns to " + maxNanos + " ns (at least 1 ms)");
            if (!(multiplier >= 1 && multiplier <= 1000))
                throw new IllegalArgumentException("retry.multiplier " + multiplier + " not in [1, 1000]");
            if (!(jitter >= 0 && jitter <= 1))
                throw new IllegalArgumentException("retry.jitter " + jitter + " not in [0, 1]");
            if (maxAttempts < 0) throw new IllegalArgumentException("retry.max_attempts " + maxAttempts + " < 0");
        }
    }
}
