package dev.millrace.kafka;

import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.Router;

/// Deals the rows of each shard to lanes by their key, so that all rows of one key are of one lane. A record without a
/// key goes by its partition.
///
/// The lane is `fmix32(murmur2(key))`, as an unsigned number, modulo the number of lanes, where `fmix32` is the last
/// step of
/// MurmurHash3. Shards, and Kafka's partitions, are murmur2 modulo their number: without that step a shard
/// of as many as there are lanes would use one of them.
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
        var length = record.keyLength();
        var hash = length < 0 ? record.partition() : KeyRouter.murmur2(record.keyArray(), record.keyFrom(), length);
        return Integer.remainderUnsigned(mixed(hash), lanes);
    }

    private static int mixed(int hash) {
        var h = hash;
        h = (h ^ h >>> 16) * 0x85ebca6b;
        h = (h ^ h >>> 13) * 0xc2b2ae35;
        return h ^ h >>> 16;
    }
}
