package dev.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.json.JsonCheck.Fault;
import dev.millrace.json.Reasons;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.ChunkBuilder;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import dev.millrace.sinkpool.RowTally;
import dev.millrace.sinkpool.SlabSource;
import dev.millrace.sinkpool.Target;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// One record between two others, through an encoder into real chunks: what was said of it, and what its row is. The
/// others stand there as ever, and nothing else does.
final class FuzzedRow {
    /// All words that a reason may be.
    static final Set<String> REASONS = Stream.concat(
                    Arrays.stream(Fault.values()).map(Fault::reason),
                    Arrays.stream(Reasons.class.getFields())
                            .filter(field -> Modifier.isStatic(field.getModifiers()))
                            .map(field -> {
                                try {
                                    return (String) field.get(null);
                                } catch (IllegalAccessException hidden) {
                                    throw new AssertionError(hidden);
                                }
                            }))
            .collect(Collectors.toSet());

    /// What good JSON that is one object, not too deep and with whole characters alone, can't be poison for.
    static final Set<String> BROKEN =
            EnumSet.complementOf(EnumSet.of(Fault.NOT_AN_OBJECT, Fault.TOO_DEEP, Fault.LONE_SURROGATE)).stream()
                    .map(Fault::reason)
                    .collect(Collectors.toSet());

    private static final byte[] NEIGHBOUR = "a row before, or behind".getBytes(StandardCharsets.UTF_8);
    private static final int SLAB = 64;

    private final RecordView record;
    private final Encoded said;
    private final byte[] row;

    FuzzedRow(RowEncoder encoder, byte[] value) {
        var chunks = new ArrayList<EncodedChunk>();
        var partition = new SourcePartition("orders", new TopicId("t"), 0);
        var tracker = new PartitionTracker(partition, 1, 0, 0, 8, new OpenHandles());
        var budget = new AdmissionBudget(10_000_000, 1L << 30, 0.5);
        var builder = new ChunkBuilder(
                partition, 1, new Target(0, 0, 0), new SlabSource(SLAB), budget, new RowTally(), chunks::add);
        builder.begin(tracker.register(0, 3, 0, (_, _) -> {}), 0);
        builder.append(Records.of(0, NEIGHBOUR), Records.VERBATIM);
        record = Records.of(1, value);
        said = builder.append(record, encoder);
        builder.append(Records.of(2, NEIGHBOUR), Records.VERBATIM);
        builder.handOver();
        var rows = rows(chunks);
        var written = said instanceof Encoded.Written;
        assertThat(rows).hasSize(written ? 3 : 2);
        assertThat(rows.getFirst()).isEqualTo(NEIGHBOUR);
        assertThat(rows.getLast()).isEqualTo(NEIGHBOUR);
        row = written ? rows.get(1) : new byte[0];
    }

    private static List<byte[]> rows(List<EncodedChunk> chunks) {
        var rows = new ArrayList<byte[]>();
        for (var chunk : chunks)
            for (var i = 0; i < chunk.rows(); i++)
                rows.add(Arrays.copyOfRange(chunk.array(), chunk.start(i), chunk.end(i)));
        return rows;
    }

    Encoded said() {
        return said;
    }

    byte[] bytes() {
        return row;
    }

    /// The record's value as it is now.
    byte[] input() {
        return Arrays.copyOfRange(record.valueArray(), record.valueFrom(), record.valueFrom() + record.valueLength());
    }
}
