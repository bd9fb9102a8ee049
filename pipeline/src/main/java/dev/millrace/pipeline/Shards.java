package dev.millrace.pipeline;

import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardStatus;
import java.util.List;

/// The shards of all sinks that are waited for, whoever feeds them: how they are begun, looked at and ended.
///
/// Thread ownership: shared; its life belongs to the thread that runs the pipeline.
interface Shards {
    void start();

    List<ShardStatus> status();

    /// As [dev.millrace.sinkpool.SinkPool#quarantine].
    void quarantine(ShardId shard, int replica, boolean on);

    Snapshot.InFlight inFlight();

    /// Returns at once. What is not written then is given up.
    void drainBy(long deadlineNanos);

    /// Nothing more comes. Returns at once.
    void closeInput();

    /// Waits until all have ended, or until then. Returns whether they have.
    boolean awaitFinished(long untilNanos) throws InterruptedException;

    void close();
}
