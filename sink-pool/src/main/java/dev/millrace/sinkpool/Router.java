package dev.millrace.sinkpool;

/// Record to shard and lane, as a pure function of the record: the same in every process and for ever.
public interface Router {
    /// The shard's position in the sink's list.
    int shard(RecordView record);

    int lane(RecordView record);
}
