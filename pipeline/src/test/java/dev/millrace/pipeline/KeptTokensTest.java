package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.ChunkBuilder;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.NewestTokens.Answer;
import dev.millrace.sinkpool.PlannedSegment;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.RowTally;
import dev.millrace.sinkpool.SealReason;
import dev.millrace.sinkpool.SealedBatch;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.SlabSource;
import dev.millrace.sinkpool.Target;
import dev.millrace.sinkpool.Token;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Which token of a shard a plan names.
@Tag("EO-13")
final class KeptTokensTest {
    private static final SourcePartition P0 = new SourcePartition("orders", new TopicId("id"), 0);
    private static final ShardId SHARD = new ShardId("warehouse", "a");

    private final KeptTokens kept = new KeptTokens(
            Map.of(SHARD, (_, _, _) -> new Answer.Known()), NanoClock.SYSTEM, () -> false, why -> {
                throw new AssertionError(why);
            });

    /// The first sixteen digits of a token, all of them this one.
    private static long prefix(int digit) {
        return Long.parseUnsignedLong(Integer.toHexString(digit).repeat(16), 16);
    }

    private void written(long from, long to, int digit) {
        var rows = BatchRows.of(List.of(chunk(from, to)));
        var token = new Token(Integer.toHexString(digit).repeat(32));
        kept.written(SHARD, new SealedBatch(1, SHARD, 0, SealReason.LINGER, rows, token, 0));
    }

    private static EncodedChunk chunk(long from, long to) {
        var tracker = new PartitionTracker(P0, 1, from, -1, 8, new OpenHandles());
        var ack = tracker.register(from, to, -1, (_, _) -> {});
        var made = new ArrayList<EncodedChunk>();
        var builder = new ChunkBuilder(
                P0,
                1,
                new Target(0, 0, 0),
                new SlabSource(1024),
                new AdmissionBudget(100, 1 << 20, 0.5),
                new RowTally(),
                made::add);
        builder.begin(ack, 0);
        builder.append(record(from), (_, row) -> {
            row.put((byte) '\n');
            return RowEncoder.Encoded.WRITTEN;
        });
        builder.handOver();
        var chunk = made.getFirst();
        chunk.planned(new PlannedSegment(from, to, 0, false, false), true);
        return chunk;
    }

    private static RecordView record(long offset) {
        return (RecordView) Proxy.newProxyInstance(
                KeptTokensTest.class.getClassLoader(), new Class<?>[] {RecordView.class}, (_, _, _) -> offset);
    }

    @Test
    void ofTwoThatAreAcknowledgedInAnyOrderTheLaterSegmentsIsNamed() {
        written(10, 20, 2);
        written(0, 10, 1);
        assertThat(kept.of(P0).values()).containsExactly(prefix(2));
    }

    @Test
    void aPartitionThatComesBackFromAnotherProcessKeepsWhatItsPlanNames() {
        written(0, 10, 1);
        var hash = kept.of(P0).keySet().iterator().next();

        kept.found(P0, Map.of(hash, prefix(7)));

        assertThat(kept.of(P0))
                .as("what is laid over the plan, which names what another process was acknowledged later")
                .isEmpty();
        written(20, 30, 8);
        assertThat(kept.of(P0).values()).containsExactly(prefix(8));
    }
}
