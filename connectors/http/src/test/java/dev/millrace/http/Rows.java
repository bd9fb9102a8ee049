package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.ChunkBuilder;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.RowTally;
import dev.millrace.sinkpool.SlabPool;
import dev.millrace.sinkpool.SlabSource;
import dev.millrace.sinkpool.Target;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;

/// Lines as rows of real chunks, small ones, so that a batch has many.
final class Rows {
    static final RowEncoder VERBATIM = (record, row) -> {
        if (record.valueLength() < 0) return new RowEncoder.Encoded.Poison("null_value", "the record has no value");
        row.put(record.valueArray(), record.valueFrom(), record.valueLength());
        row.put((byte) '\n');
        return RowEncoder.Encoded.WRITTEN;
    };

    private static final int SLAB = 64;

    private Rows() {}

    static BatchRows of(String... lines) {
        return of(new SlabPool(SLAB, 0), lines);
    }

    static BatchRows of(SlabPool pool, String... lines) {
        var partition = new SourcePartition("orders", new TopicId("t"), 0);
        var chunks = new ArrayList<EncodedChunk>();
        var builder = new ChunkBuilder(
                partition,
                1,
                new Target(0, 0, 0),
                new SlabSource(pool),
                new AdmissionBudget(1_000_000, 1 << 28, 0.5),
                new RowTally(),
                chunks::add);
        var tracker = new PartitionTracker(partition, 1, 0, 0, 8, new OpenHandles());
        builder.begin(tracker.register(0, lines.length, 0, (_, _) -> {}), 0);
        for (var offset = 0; offset < lines.length; offset++) {
            var line = new Line(offset, lines[offset].getBytes(StandardCharsets.UTF_8));
            assertThat(builder.append(line, VERBATIM)).isEqualTo(RowEncoder.Encoded.WRITTEN);
        }
        builder.handOver();
        return BatchRows.of(chunks);
    }

    /// A record with a value and nothing else.
    @SuppressWarnings("ArrayRecordComponent") // it lives as long as one call
    private record Line(long offset, byte[] valueArray) implements RecordView {
        @Override
        public int valueFrom() {
            return 0;
        }

        @Override
        public int valueLength() {
            return valueArray.length;
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
        public long timestampMillis() {
            return 0;
        }

        @Override
        public byte[] keyArray() {
            return valueArray;
        }

        @Override
        public int keyFrom() {
            return 0;
        }

        @Override
        public int keyLength() {
            return -1;
        }
    }
}
