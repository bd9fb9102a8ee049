package dev.millrace.sinkpool;

/// A shard of a sink, by name: the label of its metrics, its log lines and its part of the report. A name, never a
/// position in a list.
public record ShardId(String sink, String shard) {
    public ShardId {
        if (sink.isEmpty() || shard.isEmpty()) throw new IllegalArgumentException("a shard has a sink and a name");
    }

    @Override
    public String toString() {
        return sink + "/" + shard;
    }
}
