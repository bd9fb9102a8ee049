package dev.millrace.sinkpool;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A shard at one moment: how its worker stands, what it holds and what it has done. `slots` are those of its whole
/// sink;
/// null where writes are not limited.
public record ShardStatus(
        ShardId shard,
        List<URI> endpoints,
        Worker worker,
        ShardView view,
        ShardCounts counts,
        @Nullable SlotUse slots) {
    public enum Worker {
        RUNNING,
        /// It settled all it held, as written or as given up.
        FINISHED,
        /// It ended by a fault: its counts are a lower bound.
        DIED
    }
}
