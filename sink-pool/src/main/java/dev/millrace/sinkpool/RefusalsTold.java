package dev.millrace.sinkpool;

/// Tells of each item that a sink refuses for its data, beside whoever listens to the pool.
///
/// Thread ownership: shared.
record RefusalsTold(PoolListener listener, ItemsOut<?> out) implements PoolListener {
    @Override
    public void note(ShardId shard, ShardNote note) {
        if (note instanceof ShardNote.Poison(var row, var failure, var _)) out.refused(row, failure);
        listener.note(shard, note);
    }

    @Override
    public void stopFor(ShardId shard, RowRef row, Failure failure) {
        listener.stopFor(shard, row, failure);
    }

    @Override
    public void stopForExpired(ShardId shard, SealedBatch batch, long ageNanos, long windowNanos) {
        listener.stopForExpired(shard, batch, ageNanos, windowNanos);
    }

    @Override
    public void frontDied(String sink, Throwable cause) {
        listener.frontDied(sink, cause);
    }

    @Override
    public void died(ShardId shard, Throwable cause) {
        listener.died(shard, cause);
    }
}
