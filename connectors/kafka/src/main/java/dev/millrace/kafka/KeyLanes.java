package dev.millrace.kafka;

import dev.millrace.sinkpool.KeyLane;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.Router;

/// Deals the rows of each shard to lanes by their key, so that all rows of one key are of one lane. A record without a
/// key goes by its partition.
///
/// The lane is that of its murmur2 hash ([KeyLane]).
///
/// Thread ownership: immutable.
public final class KeyLanes implements Router {
    private final Router shards;
    private final int lanes;

    /// `shards` says which shard a row is of.
    public KeyLanes(Router shards, int lanes) {
        if (lanes < 1) throw new IllegalArgumentException("lanes " + lanes + " < 1");
        this.shards = shards;
        this.lanes = lanes;
    }

    @Override
    public int shard(RecordView record) {
        return shards.shard(record);
    }

    @Override
    public int lane(RecordView record) {
        return KeyLane.of(hash(record), lanes);
    }

    /// Of its key, or its partition where it has none.
    public static int hash(RecordView record) {
        var length = record.keyLength();
        return length < 0 ? record.partition() : KeyRouter.murmur2(record.keyArray(), record.keyFrom(), length);
    }
}
