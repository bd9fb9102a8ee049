package dev.millrace.sinkpool;

/// Who is told what changes in the pool, for timers and for the end of the process.
///
/// Called on shard workers' threads: must not block or throw.
public interface PoolListener {
    void note(ShardId shard, ShardNote note);

    /// A row is poison, and the policy is to stop: the process ends, naming it. Its chunk is held
    /// until then.
    void stopFor(ShardId shard, RowRef row, Failure failure);

    /// A sink may have forgotten the token of a batch, and the policy is to stop: the process
    /// ends, naming it.
    default void stopForExpired(ShardId shard, SealedBatch batch, long ageNanos, long windowNanos) {
        throw new IllegalStateException(shard + " is not planned");
    }

    /// A worker ended by a fault of its own. What it held was settled as failed; its counters stand.
    void died(ShardId shard, Throwable cause);

    /// The thread of a front for producers ended by a fault: it takes nothing any more. On that thread.
    default void frontDied(String sink, Throwable cause) {}
}
