package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// The token of a segment's batch: a function of what the batch is, and of nothing else.
@Tag("EO-2")
final class SegmentTokensTest {
    private static final TokenMint OTHERS = TokenMint.perRun("run");

    /// A row, as the token knows it.
    private record Row(long offset, int leaderEpoch) {}

    /// All that names a batch.
    private record Named(
            String pipeline,
            String group,
            int tokenEpoch,
            String fingerprint,
            TopicId topic,
            int partition,
            long from,
            long to,
            String sink,
            String shard,
            List<Row> rows) {
        static Named usual() {
            return new Named("p", "g", 0, "f", new TopicId("id"), 3, 100, 200, "store", "s1", some(100, 12, 4));
        }

        Named with(String pipelineNow, String groupNow, String sinkNow, String shardNow, String fingerprintNow) {
            return new Named(
                    pipelineNow,
                    groupNow,
                    tokenEpoch,
                    fingerprintNow,
                    topic,
                    partition,
                    from,
                    to,
                    sinkNow,
                    shardNow,
                    rows);
        }

        Named at(TopicId topicNow, int partitionNow, long fromNow, long toNow) {
            return new Named(
                    pipeline,
                    group,
                    tokenEpoch,
                    fingerprint,
                    topicNow,
                    partitionNow,
                    fromNow,
                    toNow,
                    sink,
                    shard,
                    rows);
        }

        Named rows(List<Row> now) {
            return new Named(pipeline, group, tokenEpoch, fingerprint, topic, partition, from, to, sink, shard, now);
        }

        Named tokenEpoch(int now) {
            return new Named(pipeline, group, now, fingerprint, topic, partition, from, to, sink, shard, rows);
        }

        String token() {
            return token(new Random(1), 7, new PlannedSegment(from, to, 5, false, false));
        }

        String inLane(int lane) {
            return token(new Random(1), 7, new PlannedSegment(from, to, 5, false, false), lane);
        }

        /// Of chunks whose ends `chance` chooses, in an epoch and a run of its own.
        String token(Random chance, long epoch, PlannedSegment segment) {
            return token(chance, epoch, segment, 0);
        }

        private String token(Random chance, long epoch, PlannedSegment segment, int lane) {
            var mint = new SegmentTokens(pipeline, group, tokenEpoch, Map.of(sink, fingerprint), OTHERS);
            var batch = BatchRows.of(chunks(chance, epoch, segment, lane));
            assertThat(batch.rows()).isEqualTo(rows.size());
            return mint.mint(new ShardId(sink, shard), chance.nextLong(), batch).text();
        }

        private List<EncodedChunk> chunks(Random chance, long epoch, PlannedSegment segment, int lane) {
            var at = new SourcePartition("orders", topic, partition);
            var budget = new AdmissionBudget(1_000_000, 1 << 30, 0.5);
            var tracker = new PartitionTracker(at, epoch, rows.getFirst().offset, -1, 1000, new OpenHandles());
            var out = new ArrayList<EncodedChunk>();
            var builder = new ChunkBuilder(
                    at, epoch, new Target(0, 0, lane), new SlabSource(4096), budget, new RowTally(), out::add);
            for (var i = 0; i < rows.size(); i++) {
                var row = rows.get(i);
                // As a source does: a chunk knows one leader epoch.
                if (i > 0 && row.leaderEpoch != rows.get(i - 1).leaderEpoch) builder.handOver();
                var range = tracker.register(tracker.end(), row.offset + 1, row.leaderEpoch, (_, _) -> {});
                builder.begin(range, chance.nextLong());
                builder.append(
                        new FakeRecord("orders", partition, row.offset, Bytes.of("x" + chance.nextInt(3))),
                        FakeRecord.AS_IS);
                if (chance.nextInt(3) == 0) builder.handOver();
                range.close();
            }
            builder.handOver();
            for (var chunk : out) chunk.planned(segment, chunk == out.getLast());
            return out;
        }
    }

    private static List<Row> some(long from, int count, int leaderEpoch) {
        var rows = new ArrayList<Row>();
        for (var i = 0; i < count; i++) rows.add(new Row(from + 2L * i, leaderEpoch));
        return rows;
    }

    @Property(tries = 2_000, edgeCases = EdgeCasesMode.NONE)
    @Tag("EO-2")
    void whoeverRebuildsABatchGetsItsToken(@ForAll long seed) {
        var chance = new Random(seed);
        var usual = Named.usual();
        var rows = new ArrayList<>(some(100, 1 + chance.nextInt(20), 4));
        rows.addAll(some(170, chance.nextInt(10), 5));
        var named = usual.rows(rows);
        var again = new PlannedSegment(100, 200, chance.nextLong(), chance.nextBoolean(), chance.nextBoolean());
        assertThat(named.token(chance, chance.nextInt(1000), again)).isEqualTo(named.token());
    }

    @Test
    @DisplayName("EO-2 The token does not change from release to release: a plan may be replayed by a newer one")
    void theTokenIsThisOne() {
        assertThat(Named.usual().token()).matches("[0-9a-f]{32}").isEqualTo("aa6bc915fcce4b5eeec84d755bb5ba04");
    }

    @Test
    @DisplayName("EO-2 EO-14 Whatever makes it another batch makes another token")
    void whateverIsAnotherBatchHasAnotherToken() {
        var usual = Named.usual();
        var topic = usual.topic;
        var rows = usual.rows;
        var all = new HashMap<String, Named>();
        for (var one : List.of(
                usual,
                usual.with("q", "g", "store", "s1", "f"),
                usual.with("p", "h", "store", "s1", "f"),
                usual.with("p", "g", "other", "s1", "f"),
                usual.with("p", "g", "store", "s2", "f"),
                usual.with("p", "g", "store", "s1", "e"),
                // The bounds between them count.
                usual.with("pg", "", "store", "s1", "f"),
                usual.with("", "pg", "store", "s1", "f"),
                usual.with("p1:g", "", "store", "s1", "f"),
                usual.with("p", "g", "stores", "1", "f"),
                usual.with("p", "g", "store", "s", "1f"),
                usual.tokenEpoch(1),
                usual.tokenEpoch(-1),
                usual.at(new TopicId("di"), 3, 100, 200),
                usual.at(topic, 4, 100, 200),
                usual.at(topic, 31, 100, 200),
                usual.at(topic, 3, 99, 200),
                usual.at(topic, 3, 100, 201),
                usual.at(topic, 3, 10, 200),
                usual.rows(some(100, 11, 4)),
                usual.rows(some(100, 13, 4)),
                usual.rows(some(101, 12, 4)),
                usual.rows(some(100, 12, 5)),
                usual.rows(changed(rows, 0, new Row(99, 4))),
                usual.rows(changed(rows, 11, new Row(123, 4))),
                usual.rows(changed(rows, 11, new Row(122, 5))),
                usual.rows(changed(rows, 5, new Row(111, 4))))) {
            var before = all.put(one.token(), one);
            assertThat(before).as("the same token as %s", one).isNull();
        }
    }

    @Test
    @Tag("SEAL-8")
    @DisplayName("SEAL-8 EO-2 A lane is in its batches' tokens; where there is one they are what they were")
    void aLaneIsInItsTokens() {
        var usual = Named.usual();
        assertThat(usual.inLane(0)).isEqualTo("aa6bc915fcce4b5eeec84d755bb5ba04");
        assertThat(Set.of(usual.inLane(0), usual.inLane(1), usual.inLane(2), usual.inLane(12)))
                .hasSize(4);
    }

    private static List<Row> changed(List<Row> rows, int at, Row to) {
        var out = new ArrayList<>(rows);
        out.set(at, to);
        return out;
    }

    @Test
    @DisplayName("EO-2 EO-14 Names made of what stands between fields: no two are read as two others")
    void noFieldIsReadAsAnother() {
        var words = new ArrayList<>(List.of(""));
        for (var i = 0; words.size() < 85; i++) for (var letter : "1:a".toCharArray()) words.add(words.get(i) + letter);
        var usual = Named.usual().rows(some(100, 1, 4));
        var seen = new HashMap<String, Named>();
        for (var one : words.subList(0, 40))
            for (var other : words.subList(0, 40))
                for (var named : List.of(
                        usual.with(one, other, "store", "s1", "f"),
                        usual.with("p", "g", one + "s", other + "t", "f"),
                        usual.with("p", "g", "store", one + "t", other)))
                    assertThat(seen.put(named.token(), named))
                            .as("the token of %s", named)
                            .isIn(null, named);
    }

    @Test
    @DisplayName("EO-7 A part is named by its batch and its rows' places, whatever search led to it")
    void aPartIsNamedByItsPlaces() {
        var whole = new Token(Named.usual().token());
        assertThat(whole.part(3, 6)).isEqualTo(new Token(whole.batch(), 3, 6));
        assertThat(Set.of(
                        whole.text(),
                        whole.part(0, 6).text(),
                        whole.part(0, 3).text(),
                        whole.part(3, 6).text()))
                .hasSize(4);
    }

    @Test
    @DisplayName("EO-2 What is of no segment is named by the run")
    void whatIsOfNoSegmentIsNamedByTheRun() {
        var shard = new Shard(_ -> {});
        var mint = new SegmentTokens("p", "g", 0, Map.of(), OTHERS);
        var chunk = shard.rows(0, 3);
        assertThat(mint.mint(Shard.ID, 9, BatchRows.of(List.of(chunk))).text()).startsWith("run/");
        chunk.close();
    }
}
