package dev.millrace.sinkpool;

import dev.millrace.checkpoint.SourcePartition;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// What of each lane waits for something before it, as one look at a shard's batches finds it (SEAL-8).
///
/// A batch with a permit, or one that rests, has its lane for itself. One that is parked, or waits, holds
/// only batches that have rows of a partition of its own, since all rows of a key are of one: a partition that stands
/// stops no other.
///
/// Thread ownership: the shard machine that created it.
final class LaneHolds {
    private final BitSet taken = new BitSet();
    private final Map<Integer, Set<SourcePartition>> waitedFor = new HashMap<>();

    /// Nothing of it may be begun.
    void take(int lane) {
        taken.set(lane);
    }

    /// What has rows of its partitions comes behind it.
    void waitFor(Delivery delivery) {
        waitedFor.computeIfAbsent(delivery.lane(), _ -> new HashSet<>()).addAll(delivery.partitions());
    }

    boolean mayBegin(Delivery delivery) {
        if (taken.get(delivery.lane())) return false;
        var partitions = waitedFor.get(delivery.lane());
        if (partitions == null) return true;
        for (var partition : delivery.partitions()) if (partitions.contains(partition)) return false;
        return true;
    }

    /// Nothing holds anything up there.
    boolean isFree(int lane) {
        return !taken.get(lane) && !waitedFor.containsKey(lane);
    }
}
