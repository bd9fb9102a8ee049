package dev.millrace.bench.stress;

import dev.millrace.checkpoint.Ack;
import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.Range;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import java.util.concurrent.atomic.AtomicInteger;

/// One range with its acknowledgement, and what was told of it: how often, and whether as done.
///
/// Thread ownership: shared by the actors of one test.
final class Acknowledged {
    private static final SourcePartition PARTITION = new SourcePartition("orders", TopicId.UNKNOWN, 0);

    private final AtomicInteger times = new AtomicInteger();
    private final AtomicInteger timesDone = new AtomicInteger();
    private final AtomicInteger leftOut = new AtomicInteger();
    private final OpenHandles handles = new OpenHandles();
    final Ack ack;

    Acknowledged() {
        this(1);
    }

    /// Of so many offsets.
    Acknowledged(int offsets) {
        ack = new PartitionTracker(PARTITION, 0, 0, -1, 1, handles).register(0, offsets, -1, this::told);
    }

    private void told(Range range, Resolution resolution) {
        times.incrementAndGet();
        leftOut.set(ack.leftOut().size());
        if (resolution == Resolution.DONE) timesDone.incrementAndGet();
    }

    /// How often it was told; −1 where a handle stayed open.
    int times() {
        return handles.count() == 0 ? times.get() : -1;
    }

    /// Rows that were known to be left out when it was told.
    int leftOutWhenTold() {
        return leftOut.get();
    }

    int timesDone() {
        return timesDone.get();
    }
}
