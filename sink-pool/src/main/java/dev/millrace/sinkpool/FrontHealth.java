package dev.millrace.sinkpool;

import java.util.List;

/// A front at one moment: its state, its two shares, what it has done, and its shards.
public record FrontHealth(
        State state, ShareView staged, ShareView reserved, FrontCounts counts, List<ShardStatus> shards) {
    public FrontHealth {
        shards = List.copyOf(shards);
    }

    public enum State {
        /// It takes items.
        OPEN,
        /// It takes none, and finishes what it has.
        CLOSING,
        CLOSED,
        /// Its own thread ended by a fault: it takes none.
        DIED
    }

    /// It is open, and some shard of it runs and has a replica that takes writes.
    public boolean healthy() {
        return state == State.OPEN
                && shards.stream()
                        .anyMatch(shard -> shard.worker() == ShardStatus.Worker.RUNNING
                                && shard.view().usable());
    }
}
