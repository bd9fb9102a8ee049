package dev.millrace.sinkpool;

import java.net.URI;
import java.util.List;

/// One configured sink: how a record becomes a row of it, and a writer for each endpoint. Made by a
/// connector from its settings.
public interface Sink extends AutoCloseable {
    SinkTraits traits();

    /// One for each source thread.
    RowEncoder encoder();

    /// `told` is called, on a thread of the sink's, each time the destination is described anew so that
    /// rows are made differently: encoders made from then on have another layout. Before the first
    /// encoder is made.
    default void onNewLayout(Runnable told) {}

    /// Does not connect: the first write does. Throws only for a bug.
    SinkWriter writer(ShardId shard, URI endpoint);

    /// How this shard's servers recognise a repeat, as far as that is known now. May be asked at
    /// any time, from any thread, and blocks for nothing.
    default Recognition recognition(ShardId shard) {
        return Recognition.SHARED;
    }

    /// What its servers keep for pipelines that write to it no more, as notes. Blocks, at most to the deadline and the
    /// connect timeout after it; what does not answer is left out.
    default List<Finding> leftovers(long deadlineNanos) {
        return List.of();
    }

    @Override
    void close();
}
