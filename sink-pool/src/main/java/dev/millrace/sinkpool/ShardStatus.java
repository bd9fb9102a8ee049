package dev.millrace.sinkpool;

import java.net.URI;
import java.util.List;

/// A shard at one moment: how its worker stands, what it holds and what it has done.
public record ShardStatus(ShardId shard, List<URI> endpoints, Worker worker, ShardView view, ShardCounts counts) {
    public enum Worker {
        RUNNING,
        /// It settled all it held, as written or as given up.
        FINISHED,
        /// It ended by a fault: its counts are a lower bound.
        DIED
    }
}
