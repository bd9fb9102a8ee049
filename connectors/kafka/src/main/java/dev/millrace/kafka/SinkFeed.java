package dev.millrace.kafka;

import dev.millrace.sinkpool.Router;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.SlabPool;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One sink as the source sees it: which topics it takes, how a record becomes a row of it, and to
/// which shard and lane the row goes. Its place in the list that the source is given is
/// [dev.millrace.sinkpool.Target#sink].
///
/// `encoder` makes one for each source thread. Rows go into `slabs`. A chunk is full with the bytes of one, and is
/// handed over when its oldest row is `chunkLingerNanos` old. `planned` is null for a sink without tokens, whose
/// shards merge what comes: nobody waits for a plan there.
public record SinkFeed(
        String name,
        Predicate<String> topics,
        Supplier<RowEncoder> encoder,
        Router router,
        int shards,
        int lanes,
        SlabPool slabs,
        long chunkLingerNanos,
        @Nullable PlannedBatches planned) {
    /// When a segment is cut, for the batch that one shard gets of it. `lingerNanos` is asked when
    /// a partition comes: how many there are decides it (EO-17).
    public record PlannedBatches(int maxRows, long maxBytes, LongSupplier lingerNanos) {}

    /// One whose shards merge what comes, and whose slabs are filled once.
    public SinkFeed(
            String name,
            Predicate<String> topics,
            Supplier<RowEncoder> encoder,
            Router router,
            int shards,
            int lanes,
            int chunkBytes,
            long chunkLingerNanos) {
        this(name, topics, encoder, router, shards, lanes, new SlabPool(chunkBytes, 0), chunkLingerNanos, null);
    }

    public SinkFeed {
        if (shards < 1 || lanes < 1)
            throw new IllegalArgumentException(name + ": " + shards + " shards of " + lanes + " lanes");
        if (slabs.slabBytes() < 1024)
            throw new IllegalArgumentException(name + ": chunk.target_bytes " + slabs.slabBytes() + " < 1024");
        if (chunkLingerNanos < 0)
            throw new IllegalArgumentException(name + ": chunk.linger " + chunkLingerNanos + " ns < 0");
    }
}
