package dev.millrace.sinkpool;

/// Which lane of its shard a key is of, by a hash of it: `fmix32(hash)`, as an unsigned number, modulo the number of
/// lanes, where `fmix32` is the last step of MurmurHash3.
///
/// Shards, and Kafka's partitions, are murmur2 modulo their number: without that step a shard of as many as there are
/// lanes would use one of them.
///
/// Thread ownership: immutable.
public final class KeyLane {
    private KeyLane() {}

    public static int of(int keyHash, int lanes) {
        return Integer.remainderUnsigned(mixed(keyHash), lanes);
    }

    private static int mixed(int hash) {
        var h = hash;
        h = (h ^ h >>> 16) * 0x85ebca6b;
        h = (h ^ h >>> 13) * 0xc2b2ae35;
        return h ^ h >>> 16;
    }
}
