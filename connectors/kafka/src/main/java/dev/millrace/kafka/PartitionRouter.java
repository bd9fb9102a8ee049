package dev.millrace.kafka;

import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.Router;

/// Routes by the record's partition: one partition feeds one shard.
///
/// Thread ownership: immutable.
public final class PartitionRouter implements Router {
    private final int shards;

    public PartitionRouter(int shards) {
        if (shards < 1) throw new IllegalArgumentException("shards " + shards + " < 1");
        this.shards = shards;
    }

    @Override
    public int shard(RecordView record) {
        return record.partition() % shards;
    }

    @Override
    public int lane(RecordView record) {
        return 0;
    }
}
