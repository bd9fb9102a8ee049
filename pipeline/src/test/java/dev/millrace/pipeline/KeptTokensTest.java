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
import dev.millrace.sinkpool.NewestTokens;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// Which tokens go into the plan, and what becomes of a shard that has one no longer.
final class KeptTokensTest {
    private static final SourcePartition P0 = new SourcePartition("orders", TopicId.UNKNOWN, 0);
    private static final SourcePartition P1 = new SourcePartition("orders", TopicId.UNKNOWN, 1);
    private static final ShardId A = new ShardId("warehouse", "a");
    private static final ShardId B = new ShardId("warehouse", "b");
    private static final ShardId HOLE = new ShardId("hole", "a");
    private static final String FIRST = "00112233445566778899aabbccddeeff";
    private static final String SECOND = "ff112233445566778899aabbccddeeff";

    private record Asked(ShardId shard, String prefix) {}

    private final LinkedBlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> missing = new LinkedBlockingQueue<>();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private volatile Answer answer = new Answer.Known();
    private final NewestTokens tokens = (shard, prefix, _) -> {
        // Before anybody sees that it was asked, and says something else from then on.
        var now = answer;
        asked.add(new Asked(shard, HexFormat.of().formatHex(prefix)));
        return now;
    };
    private final KeptTokens kept = fresh();

    private KeptTokens fresh() {
        return new KeptTokens(Map.of(A, tokens, B, tokens), NanoClock.SYSTEM, stopped::get, missing::add);
    }

    @Test
    @DisplayName(
            "EO-13 A shard that was found without the table of tokens acknowledges none that it is asked for later")
    void whoKeepsNoneIsNotAsked() {
        var none = new NewestTokens() {
            @Override
            public boolean keepsTokens(ShardId shard) {
                return false;
            }

            @Override
            public Answer knows(ShardId shard, byte[] prefix, long deadlineNanos) {
                throw new AssertionError("asked for what it never had");
            }
        };
        var without = new KeptTokens(Map.of(A, none), NanoClock.SYSTEM, stopped::get, missing::add);
        without.written(A, batch(P0, A, FIRST, 1), false);
        assertThat(without.of(P0)).isEmpty();
    }

    /// `to` is where its segment ends; 0 for none.
    private static SealedBatch batch(SourcePartition partition, ShardId shard, String token, long to) {
        var tracker = new PartitionTracker(partition, 1, 0, 0, 10, new OpenHandles());
        var range = tracker.register(0, 1, 0, (_, _) -> {});
        var out = new ArrayList<EncodedChunk>();
        var budget = new AdmissionBudget(10, 1_000, 0.5);
        var builder = new ChunkBuilder(
                partition, 1, new Target(0, 0, 0), new SlabSource(1024), budget, new RowTally(), out::add);
        builder.begin(range, 0);
        builder.append(new Row(partition), (_, row) -> {
            row.put((byte) 'x');
            return RowEncoder.Encoded.WRITTEN;
        });
        builder.handOver();
        if (to > 0) out.getFirst().planned(new PlannedSegment(0, to, 0, false, false), true);
        return new SealedBatch(1, shard, 0, SealReason.SEGMENT, BatchRows.of(out), new Token(token), 0);
    }

    private record Row(SourcePartition of) implements RecordView {
        @Override
        public String topic() {
            return of.topic();
        }

        @Override
        public int partition() {
            return of.partition();
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
            return new byte[0];
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
            return new byte[0];
        }

        @Override
        public int valueFrom() {
            return 0;
        }

        @Override
        public int valueLength() {
            return 0;
        }
    }

    private void written(SourcePartition partition, ShardId shard, String token) {
        kept.written(shard, batch(partition, shard, token, 1), false);
    }

    private Asked nextAsked() throws InterruptedException {
        var next = asked.poll(30, TimeUnit.SECONDS);
        if (next == null) throw new AssertionError("nobody was asked");
        return next;
    }

    @Test
    @DisplayName("EO-13 Of each partition and shard the newest acknowledged token is kept, by eight bytes")
    void theNewestOfEachIsKept() {
        assertThat(kept.of(P0)).isEmpty();
        written(P0, A, FIRST);
        written(P0, B, FIRST);
        written(P1, A, SECOND);
        assertThat(kept.of(P0)).hasSize(2).containsValue(0x0011223344556677L);
        assertThat(kept.of(P1)).hasSize(1).containsValue(0xff11223344556677L);
        written(P0, A, SECOND);
        assertThat(kept.of(P0).values()).containsExactlyInAnyOrder(0x0011223344556677L, 0xff11223344556677L);
    }

    @Test
    @DisplayName("EO-13 SEAL-8 The one that was stored last is kept, be its segment before others that were stored")
    void theLastIsKeptAndNotTheFarthest() {
        kept.written(A, batch(P0, A, FIRST, 20), false);
        kept.written(A, batch(P0, A, SECOND, 10), false);
        assertThat(kept.of(P0).values())
                .as("the first may be in a backup that lacks the second")
                .containsExactly(0xff11223344556677L);
    }

    @Test
    @DisplayName("EO-13 One that the shard had before is kept only where none was stored now, and the farthest of them")
    void whatWasKnownIsNotTheLast() {
        kept.written(A, batch(P0, A, SECOND, 20), true);
        kept.written(A, batch(P0, A, FIRST, 10), true);
        assertThat(kept.of(P0).values()).containsExactly(0xff11223344556677L);
        kept.written(A, batch(P0, A, FIRST, 10), false);
        kept.written(A, batch(P0, A, SECOND, 30), true);
        assertThat(kept.of(P0).values()).containsExactly(0x0011223344556677L);
    }

    @Test
    @DisplayName("EO-13 What is of no segment, or of a shard that keeps none, is not")
    void whatIsNotKept() {
        kept.written(A, batch(P0, A, "run/warehouse/a/1", 0), false);
        written(P0, HOLE, FIRST);
        assertThat(kept.of(P0)).isEmpty();
    }

    @Test
    @DisplayName(
            "EO-13 A partition that comes with tokens: the shard that acknowledged each is asked, by its name alone,"
                    + " and a missing one is told")
    void aMissingOneIsTold() throws InterruptedException {
        written(P0, A, FIRST);
        written(P0, B, SECOND);
        var plan = kept.of(P0);
        var another = fresh();
        another.found(P0, plan);
        assertThat(List.of(nextAsked(), nextAsked()))
                .containsExactlyInAnyOrder(new Asked(A, "0011223344556677"), new Asked(B, "ff11223344556677"));
        assertThat(missing).isEmpty();
        answer = new Answer.Missing();
        written(P1, A, FIRST);
        fresh().found(P1, kept.of(P1));
        var told = missing.poll(30, TimeUnit.SECONDS);
        assertThat(told).contains("orders-1", "warehouse/a", "0011223344556677", "restored", "offsets", "token_epoch");
        assertThat(asked).hasSize(1);
    }

    @Test
    @DisplayName(
            "EO-13 A partition that comes back from another process keeps what its plan names, until it is written")
    void whatComesBackKeepsWhatItsPlanNames() {
        written(P0, A, FIRST);
        var hash = kept.of(P0).keySet().iterator().next();
        kept.found(P0, Map.of(hash, 7L));
        assertThat(kept.of(P0)).as("what is laid over what its plan names").isEmpty();
        written(P0, A, SECOND);
        assertThat(kept.of(P0).values()).containsExactly(0xff11223344556677L);
    }

    @Test
    @DisplayName("EO-13 Whoever cannot be asked is no fault, and a shard that is not there any more is not asked")
    void whoCannotBeAskedIsNoFault() throws InterruptedException {
        answer = new Answer.CannotTell("nobody is there");
        written(P0, A, FIRST);
        var plan = kept.of(P0);
        kept.found(P0, Map.of(12_345, 1L));
        kept.found(P0, plan);
        fresh().found(P1, Map.of());
        assertThat(nextAsked().shard()).isEqualTo(A);
        stopped.set(true);
        assertThat(asked).isEmpty();
        assertThat(missing).isEmpty();
    }

    @Test
    @DisplayName("EO-8 So many shards that their tokens leave no room for segments are refused, with what to set")
    void soManyShardsAreRefused() {
        assertThat(kept.tooMany(4_096)).isNull();
        var many = new HashMap<ShardId, NewestTokens>();
        for (var i = 0; i < 200; i++) many.put(new ShardId("warehouse", "s" + i), tokens);
        var crowded = new KeptTokens(many, NanoClock.SYSTEM, stopped::get, missing::add);
        assertThat(crowded.tooMany(4_096))
                .contains("checkpoint.metadata_limit 4096", "200", "offset.metadata.max.bytes", "at_least_once");
        assertThat(crowded.tooMany(8_192)).isNull();
    }

    @Test
    @DisplayName("EO-13 A partition that was away brings its own: what was the newest before is not told again")
    void whatWasTheNewestBeforeIsForgotten() {
        written(P0, A, FIRST);
        written(P0, B, FIRST);
        kept.found(P0, Map.of(1, 2L));
        assertThat(kept.of(P0)).isEmpty();
        written(P0, A, SECOND);
        assertThat(kept.of(P0)).hasSize(1).containsValue(0xff11223344556677L);
    }
}
