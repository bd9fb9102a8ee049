package dev.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.ChunkBuilder;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.NanoClock;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Values through an encoder into real chunks, as a source does it.
final class Records {
    private static final SourcePartition PARTITION = new SourcePartition("orders", new TopicId("t"), 0);

    private Records() {}

    /// Lines of COPY text that no encoder of ours looked at.
    static BatchRows verbatim(String... lines) {
        return batch(
                VERBATIM, 100, Arrays.stream(lines).map(line -> line + "\n").toList());
    }

    /// The value is the row.
    static final RowEncoder VERBATIM = (record, row) -> {
        row.put(record.valueArray(), record.valueFrom(), record.valueLength());
        return Encoded.WRITTEN;
    };

    /// All of them must be rows. `slab` bytes make a slab, so that a small one spreads them over many chunks.
    static BatchRows batch(RowEncoder encoder, int slab, List<String> values) {
        var chunks = new ArrayList<EncodedChunk>();
        var builder = builder(slab, chunks, values.size());
        var offset = 0L;
        for (var value : values) {
            assertThat(builder.append(new Value(offset++, value.getBytes(StandardCharsets.UTF_8)), encoder))
                    .isInstanceOf(Encoded.Written.class);
        }
        builder.handOver();
        return BatchRows.of(chunks);
    }

    /// One of this value.
    static RecordView of(String value) {
        return new Value(0, value.getBytes(StandardCharsets.UTF_8));
    }

    static RecordView of(long offset, byte[] value) {
        return new Value(offset, value);
    }

    /// What an encoder says of one value, and, where it is a row, the row.
    static Row encode(RowEncoder encoder, byte @Nullable [] value) {
        var chunks = new ArrayList<EncodedChunk>();
        var builder = builder(64, chunks, 1);
        var said = builder.append(new Value(0, value), encoder);
        builder.handOver();
        if (chunks.isEmpty()) return new Row(said, "");
        var chunk = chunks.getFirst();
        var line = new String(chunk.array(), chunk.start(0), chunk.end(0) - chunk.start(0), StandardCharsets.UTF_8);
        return new Row(said, line);
    }

    static Row encode(RowEncoder encoder, String value) {
        return encode(encoder, value.getBytes(StandardCharsets.UTF_8));
    }

    record Row(Encoded said, String line) {
        String text() {
            assertThat(said).isInstanceOf(Encoded.Written.class);
            return line;
        }

        String poison() {
            assertThat(said).isInstanceOf(Encoded.Poison.class);
            assertThat(line).isEmpty();
            return ((Encoded.Poison) said).reason();
        }
    }

    static AdmissionBudget budget() {
        return new AdmissionBudget(1_000_000, 1L << 30, 0.5);
    }

    /// Lines of COPY text as one range of a partition. Told is what became of the range.
    static List<EncodedChunk> chunks(List<String> lines, RowTally tally, Consumer<Resolution> told) {
        var chunks = new ArrayList<EncodedChunk>();
        var tracker = new PartitionTracker(PARTITION, 1, 0, 0, 8, new OpenHandles());
        var builder = new ChunkBuilder(
                PARTITION, 1, new Target(0, 0, 0), new SlabSource(1 << 20), budget(), tally, chunks::add);
        var range = tracker.register(0, lines.size(), 0, (_, how) -> told.accept(how));
        builder.begin(range, NanoClock.SYSTEM.nanoTime());
        var offset = 0L;
        for (var line : lines)
            builder.append(new Value(offset++, (line + "\n").getBytes(StandardCharsets.UTF_8)), VERBATIM);
        builder.handOver();
        range.close();
        return chunks;
    }

    private static ChunkBuilder builder(int slab, List<EncodedChunk> chunks, int rows) {
        var tracker = new PartitionTracker(PARTITION, 1, 0, 0, 8, new OpenHandles());
        var builder = new ChunkBuilder(
                PARTITION, 1, new Target(0, 0, 0), new SlabSource(slab), budget(), new RowTally(), chunks::add);
        builder.begin(tracker.register(0, rows, 0, (_, _) -> {}), 0);
        return builder;
    }

    /// The value stands in the middle of an array of other things, as in a fetch.
    private static final class Value implements RecordView {
        private static final int AROUND = 7;

        private final long offset;
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
        public String topic() {
            return PARTITION.topic();
        }

        @Override
        public int partition() {
            return PARTITION.partition();
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
        public byte[] valueArray() {
            return array;
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
