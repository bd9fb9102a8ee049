package dev.millrace.sinkpool;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import java.util.ArrayList;

/// The least record there is, and the least chunk.
final class OneByte implements RecordView {
    private static final byte[] NOTHING = {};
    private static final SourcePartition PARTITION = new SourcePartition("orders", TopicId.UNKNOWN, 0);

    /// A chunk of one such record, of partition 0 in epoch 1, whose acknowledgement tells nobody.
    static EncodedChunk chunk() {
        var range = new PartitionTracker(PARTITION, 1, 0, -1, 1, new OpenHandles()).register(0, 1, -1, (_, _) -> {});
        var out = new ArrayList<EncodedChunk>(1);
        var builder = new ChunkBuilder(
                PARTITION,
                1,
                new Target(0, 0, 0),
                new SlabSource(64),
                new AdmissionBudget(1, 1, 0.5),
                new RowTally(),
                out::add);
        builder.begin(range, 0);
        builder.append(new OneByte(), (_, row) -> {
            row.put((byte) 1);
            return RowEncoder.Encoded.WRITTEN;
        });
        builder.handOver();
        range.close();
        return out.getFirst();
    }

    @Override
    public String topic() {
        return "orders";
    }

    @Override
    public int partition() {
        return 0;
    }

    @Override
    public long offset() {
        return 0;
    }

    @Override
    public long timestampMillis() {
        return 0;
    }

    @Override
    public byte[] keyArray() {
        return NOTHING;
    }

    @Override
    public int keyFrom() {
        return 0;
    }

    @Override
    public int keyLength() {
        return -1;
    }

    @Override
    public byte[] valueArray() {
        return NOTHING;
    }

    @Override
    public int valueFrom() {
        return 0;
    }

    @Override
    public int valueLength() {
        return -1;
    }
}
