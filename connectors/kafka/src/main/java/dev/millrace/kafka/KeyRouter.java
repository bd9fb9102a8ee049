package dev.millrace.kafka;

import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.Router;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Routes by the record's key, with the hash that Kafka's own producers partition by. A record without a key goes by
/// its partition, so that where it goes stays a function of the record.
///
/// Thread ownership: immutable.
public final class KeyRouter implements Router {
    private static final int SEED = 0x9747b28c;
    private static final int M = 0x5bd1e995;
    private static final int R = 24;
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final int shards;

    public KeyRouter(int shards) {
        if (shards < 1) throw new IllegalArgumentException("shards " + shards + " < 1");
        this.shards = shards;
    }

    @Override
    public int shard(RecordView record) {
        var length = record.keyLength();
        if (length < 0) return record.partition() % shards;
        return (murmur2(record.keyArray(), record.keyFrom(), length) & 0x7fffffff) % shards;
    }

    @Override
    public int lane(RecordView record) {
        return 0;
    }

    /// The 32-bit murmur2 of `bytes[from, from + length)`, as Kafka's default partitioner computes it.
    static int murmur2(byte[] bytes, int from, int length) {
        var h = SEED ^ length;
        var at = from;
        for (var words = length >> 2; words > 0; words--, at += 4) {
            var k = (int) INTS.get(bytes, at);
            k *= M;
            k ^= k >>> R;
            k *= M;
            h *= M;
            h ^= k;
        }
        var left = length & 3;
        if (left == 3) h ^= (bytes[at + 2] & 0xff) << 16;
        if (left >= 2) h ^= (bytes[at + 1] & 0xff) << 8;
        if (left >= 1) {
            h ^= bytes[at] & 0xff;
            h *= M;
        }
        h ^= h >>> 13;
        h *= M;
        return h ^ (h >>> 15);
    }
}
