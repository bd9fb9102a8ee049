package dev.millrace.clickhouse;

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
import dev.millrace.sinkpool.RowEncoder.Encoded;
import dev.millrace.sinkpool.RowTally;
import dev.millrace.sinkpool.SlabSource;
import dev.millrace.sinkpool.Target;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Lines as rows in real chunks, small ones, so that a batch has many.
final class Lines {
    private static final SourcePartition PARTITION = new SourcePartition("orders", new TopicId("t"), 0);
    private static final int SLAB = 100;

    /// The value is the row.
    static final RowEncoder VERBATIM = (record, row) -> {
        row.put(record.valueArray(), record.valueFrom(), record.valueLength());
        row.put((byte) '\n');
        return Encoded.WRITTEN;
    };

    private Lines() {}

    static BatchRows batch(String... lines) {
        return batch(SLAB, List.of(lines));
    }

    static BatchRows batch(int slab, List<String> lines) {
        return batch(VERBATIM, slab, lines);
    }

    /// All of them must be rows.
    static BatchRows batch(RowEncoder encoder, int slab, List<String> lines) {
        var records = new ArrayList<RecordView>();
        for (var line : lines) records.add(new Value(records.size(), line.getBytes(StandardCharsets.UTF_8)));
        return encoded(slab, encoder, records);
    }

    /// All of them must be rows. They are of one partition, whatever they say.
    static BatchRows encoded(RowEncoder encoder, List<? extends RecordView> records) {
        return encoded(SLAB, encoder, records);
    }

    private static BatchRows encoded(int slab, RowEncoder encoder, List<? extends RecordView> records) {
        return BatchRows.of(chunks(PARTITION, 1, slab, encoder, records));
    }

    /// As rows of one stretch of owning this partition.
    static List<EncodedChunk> chunks(
            String topic, int partition, long epoch, RowEncoder encoder, List<? extends RecordView> records) {
        return chunks(new SourcePartition(topic, new TopicId(topic), partition), epoch, SLAB, encoder, records);
    }

    private static List<EncodedChunk> chunks(
            SourcePartition partition, long epoch, int slab, RowEncoder encoder, List<? extends RecordView> records) {
        var chunks = new ArrayList<EncodedChunk>();
        var builder = builder(partition, epoch, slab, chunks, records.getLast().offset() + 1);
        for (var record : records) assertThat(builder.append(record, encoder)).isEqualTo(Encoded.WRITTEN);
        builder.handOver();
        return chunks;
    }

    /// What an encoder says of one value.
    static Encoded encode(RowEncoder encoder, byte @Nullable [] value) {
        var chunks = new ArrayList<EncodedChunk>();
        var builder = builder(PARTITION, 1, SLAB, chunks, 1);
        var said = builder.append(new Value(0, value), encoder);
        builder.handOver();
        assertThat(chunks).hasSize(said instanceof Encoded.Written ? 1 : 0);
        return said;
    }

    static Encoded encode(RowEncoder encoder, String value) {
        return encode(encoder, value.getBytes(StandardCharsets.UTF_8));
    }

    /// One that allocates nothing when it is looked at.
    static RecordView record(String value) {
        return new Value(0, value.getBytes(StandardCharsets.UTF_8));
    }

    static RecordView record(long offset, byte[] value) {
        return new Value(offset, value);
    }

    private static ChunkBuilder builder(
            SourcePartition partition, long epoch, int slab, List<EncodedChunk> chunks, long end) {
        var tracker = new PartitionTracker(partition, epoch, 0, 0, 8, new OpenHandles());
        var budget = new AdmissionBudget(10_000_000, 1L << 30, 0.5);
        var builder = new ChunkBuilder(
                partition, epoch, new Target(0, 0, 0), new SlabSource(slab), budget, new RowTally(), chunks::add);
        builder.begin(tracker.register(0, end, 0, (_, _) -> {}), 0);
        return builder;
    }

    /// The value stands in the middle of an array of other things, as in a fetch.
    private static final class Value implements RecordView {
        private final long offset;
        private static final int AROUND = 7;

        private final byte[] array;
        private final int length;

        Value(long offset, byte @Nullable [] value) {
            this.offset = offset;
            length = value == null ? -1 : value.length;
            array = new byte[Math.max(0, length) + 2 * AROUND];
            Arrays.fill(array, (byte) '9');
            if (value != null) System.arraycopy(value, 0, array, AROUND, length);
        }

        @Override
        public long offset() {
            return offset;
        }

        @Override
        public byte[] valueArray() {
            return array;
        }

        @Override
        public String topic() {
            return PARTITION.topic();
        }

        @Override
        public int partition() {
            return PARTITION.partition();
        }

        @Override
        public long timestampMillis() {
            return 0;
        }

        @Override
        public byte[] keyArray() {
            return array;
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
        public int valueFrom() {
            return AROUND;
        }

        @Override
        public int valueLength() {
            return length;
        }
    }
}
