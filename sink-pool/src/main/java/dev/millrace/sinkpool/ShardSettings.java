package dev.millrace.sinkpool;

import dev.millrace.breaker.BreakerSettings;

/// How one shard is driven. `lanes` is 1 without ordering; `replicas` is how many endpoints it
/// has; times are nanoseconds. An `advisory` shard writes each batch once, whole, and drops what
/// is not taken (ADV-1, ADV-2). Of a `planned` one the batches are those of segments, and
/// `resendsExpired` says what becomes of one whose token may be forgotten, where it can't be read
/// back: it is sent again, or the process ends (EO-10).
public record ShardSettings(
        ShardId shard,
        int replicas,
        int lanes,
        BatchSettings batch,
        int maxInFlight,
        long writeTimeoutNanos,
        RetrySettings retry,
        BreakerSettings breaker,
        boolean countsRows,
        PoisonSettings poison,
        AmbiguousSettings ambiguous,
        boolean advisory,
        boolean planned,
        boolean resendsExpired) {
    /// Of a shard that is waited for, with the defaults of what is ambiguous.
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
                batch,
                maxInFlight,
                writeTimeoutNanos,
                retry,
                breaker,
                countsRows,
                poison,
                AmbiguousSettings.DEFAULT,
                false,
                false,
                false);
    }

    /// Of merged batches.
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
            PoisonSettings poison,
            AmbiguousSettings ambiguous,
            boolean advisory) {
        this(
                shard,
                replicas,
                lanes,
                batch,
                maxInFlight,
                writeTimeoutNanos,
                retry,
                breaker,
                countsRows,
                poison,
                ambiguous,
                advisory,
                false,
                false);
    }

    /// The same shard, fed with segments.
    public ShardSettings planned(boolean resends) {
        return new ShardSettings(
                shard,
                replicas,
                lanes,
                batch,
                maxInFlight,
                writeTimeoutNanos,
                retry,
                breaker,
                countsRows,
                poison,
                ambiguous,
                advisory,
                true,
                resends);
    }

    public ShardSettings {
        if (replicas < 1) throw new IllegalArgumentException(shard + ": a shard has a replica");
        if (lanes < 1) throw new IllegalArgumentException(shard + ": lanes " + lanes + " < 1");
        if (maxInFlight < 1) throw new IllegalArgumentException(shard + ": max_per_shard " + maxInFlight + " < 1");
        if (writeTimeoutNanos < 1)
            throw new IllegalArgumentException(shard + ": write.timeout " + writeTimeoutNanos + " ns");
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
