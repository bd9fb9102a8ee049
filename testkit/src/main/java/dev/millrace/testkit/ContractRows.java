package dev.millrace.testkit;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.ChunkBuilder;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import dev.millrace.sinkpool.RowTally;
import dev.millrace.sinkpool.SlabSource;
import dev.millrace.sinkpool.Target;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Values as rows of real chunks, small ones, so that a batch has many.
final class ContractRows {
    private static final int SLAB_BYTES = 256;

    /// What became of one value, and its row's bytes.
    @SuppressWarnings("ArrayRecordComponent") // compared by its accessors alone
    record One(Encoded encoded, byte[] row) {}

    private ContractRows() {}

    static BatchRows of(RowEncoder encoder, List<String> values) {
        var partition = new SourcePartition("rows", new TopicId("t"), 0);
        var chunks = new ArrayList<EncodedChunk>();
        var builder = new ChunkBuilder(
                partition,
                1,
                new Target(0, 0, 0),
                new SlabSource(SLAB_BYTES),
                new AdmissionBudget(1_000_000, 1 << 28, 0.5),
                new RowTally(),
                chunks::add);
        var tracker = new PartitionTracker(partition, 1, 0, 0, 8, new OpenHandles());
        builder.begin(tracker.register(0, values.size(), 0, (_, _) -> {}), 0);
        for (var offset = 0; offset < values.size(); offset++) {
            var value = values.get(offset).getBytes(StandardCharsets.UTF_8);
            var encoded = builder.append(new Value(offset, value), encoder);
            if (!(encoded instanceof Encoded.Written))
                throw new AssertionError("a good row became " + encoded + ": " + values.get(offset));
        }
        builder.handOver();
        return BatchRows.of(chunks);
    }

    static byte[] bytes(BatchRows rows) {
        var out = new ByteArrayOutputStream();
        for (var part : rows.gather()) {
            var bytes = new byte[part.remaining()];
            part.get(bytes);
            out.writeBytes(bytes);
        }
        return out.toByteArray();
    }

    /// As a chunk keeps it: of what is no row, nothing. `value` may be null.
    static One encoded(RowEncoder encoder, byte @Nullable [] value) {
        var row = new Row();
        var encoded = encoder.encode(new Value(7, value), row);
        return new One(encoded, encoded instanceof Encoded.Written ? row.out.toByteArray() : new byte[0]);
    }

    private static final class Row implements RowBuffer {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        @Override
        public void put(byte b) {
            out.write(b);
        }

        @Override
        public void put(byte[] source, int from, int length) {
            out.write(source, from, length);
        }

        @Override
        public void putAscii(String text) {
            out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /// A record with a value and nothing else. The value stands amid bytes of others.
    private static final class Value implements RecordView {
        private static final int BEFORE = 3;

        private final long offset;
        private final byte[] bytes;
        private final int length;

        Value(long offset, byte @Nullable [] value) {
            this.offset = offset;
            length = value == null ? -1 : value.length;
            bytes = new byte[Math.max(0, length) + 2 * BEFORE];
            Arrays.fill(bytes, (byte) '#');
            if (value != null) System.arraycopy(value, 0, bytes, BEFORE, value.length);
        }

        @Override
        public String topic() {
            return "rows";
        }

        @Override
        public int partition() {
            return 0;
        }

        @Override
        public long offset() {
            return offset;
        }

        @Override
        public long timestampMillis() {
            return 0;
        }

        @Override
        public byte[] keyArray() {
            return bytes;
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
            return bytes;
        }

        @Override
        public int valueFrom() {
            return BEFORE;
        }

        @Override
        public int valueLength() {
            return length;
        }
    }
}
