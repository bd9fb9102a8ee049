package dev.millrace.pipeline;

import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.SinkPool;
import java.util.List;

/// The shards of one pool, under one budget: those of a pipeline that reads a log.
///
/// Thread ownership: shared.
record PoolShards(SinkPool pool, Pause pause) implements Shards {
    @Override
    public void start() {
        pool.start();
    }

    @Override
    public List<ShardStatus> status() {
        return pool.status();
    }

    @Override
    public void quarantine(ShardId shard, int replica, boolean on) {
        pool.quarantine(shard, replica, on);
    }

    @Override
    public Snapshot.InFlight inFlight() {
        var budget = pool.budget();
        return new Snapshot.InFlight(pause.rowsInFlight(), budget.bytes(), budget.maxRows(), budget.maxBytes());
    }

    @Override
    public void drainBy(long deadlineNanos) {
        pool.drainBy(deadlineNanos);
    }

    @Override
    public void closeInput() {
        pool.closeInput();
    }

    @Override
    public boolean awaitFinished(long untilNanos) throws InterruptedException {
        return pool.awaitFinished(untilNanos);
    }

    @Override
    public void close() {
        pool.close();
    }
}
