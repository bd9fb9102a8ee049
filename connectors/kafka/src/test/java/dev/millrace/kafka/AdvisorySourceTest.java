package dev.millrace.kafka;

import static dev.millrace.kafka.Bench.MS;
import static dev.millrace.kafka.Bench.P0;
import static dev.millrace.kafka.Bench.P1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.AdvisoryAccount.Drop;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Ending;
import dev.millrace.sinkpool.MemoryIntake;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.Target;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// An advisory sink beside acknowledged ones, on one machine by hand: what it sees, when, and what it never holds up.
final class AdvisorySourceTest {
    private static final Target TARGET = new Target(0, 0, 0);

    /// Does not take values that hold its name.
    private record Picky(String name) implements RowEncoder {
        @Override
        public Encoded encode(RecordView record, RowBuffer row) {
            var value =
                    new String(record.valueArray(), record.valueFrom(), record.valueLength(), StandardCharsets.UTF_8);
            row.put(record.valueArray(), record.valueFrom(), record.valueLength());
            return value.contains('"' + name + '"') ? new Encoded.Poison("type", "not for " + name) : Encoded.WRITTEN;
        }
    }

    private final MemoryIntake main = new MemoryIntake().hold();
    private MemoryIntake shadow = new MemoryIntake();
    private final AdvisoryAccount account = new AdvisoryAccount();
    private boolean reached = true;

    private static SinkFeed feed(String name) {
        return new SinkFeed(name, _ -> true, () -> new Picky(name), new PartitionRouter(1), 1, 1, 4096, 20 * MS);
    }

    private Bench bench(String... sinks) {
        var feeds = new ArrayList<SinkFeed>();
        for (var sink : sinks) feeds.add(feed(sink));
        var bench = new Bench(
                Bench.settings(),
                feeds,
                main,
                DeadLetters.none(),
                List.of(new AdvisoryFeed(feed("shadow"), shadow, () -> reached, account)));
        bench.assign(P0, 0);
        return bench;
    }

    /// A poll, and everything of it handed over.
    private static void taken(Bench bench, long first, int count) {
        bench.poll(P0, first, count);
        bench.emptyPoll();
    }

    private List<Long> seen() {
        return shadow.rows().stream().map(MemoryIntake.Row::offset).toList();
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    private Map<Drop, Long> dropped() {
        var out = new EnumMap<Drop, Long>(Drop.class);
        for (var why : Drop.values()) if (account.dropped(why) > 0) out.put(why, account.dropped(why));
        return out;
    }

    /// At rest nothing is kept or leased, and every row that was looked at is accounted for.
    private void assertAtRest(Bench bench) {
        assertThat(bench.handles.count()).as("open handles").isZero();
        assertThat(account.inFlight()).as("rows kept").isZero();
        assertThat(shadow.budget().rows()).as("rows in its budget").isZero();
        assertThat(shadow.budget().bytes()).as("bytes in its budget").isZero();
        assertThat(account.seen())
                .as("seen = written + dropped")
                .isEqualTo(account.written()
                        + dropped().values().stream().mapToLong(Long::longValue).sum());
    }

    @Test
    @DisplayName("ADV-1: rows are handed on when every part of their range is done, and not before")
    void itSeesARangeWhenEveryAcknowledgedSinkHasIt() {
        var bench = bench("a", "b");
        taken(bench, 0, 10);
        assertThat(main.heldChunks()).isEqualTo(2);
        main.settleOne(0, Ending.WRITTEN);
        bench.after(MS);
        assertThat(seen()).as("one of two sinks has it").isEmpty();
        main.settleOne(0, Ending.WRITTEN);
        bench.after(MS);
        assertThat(seen()).isEqualTo(range(0, 10));
        assertThat(shadow.rows().getFirst().text()).isEqualTo("{\"n\":0}");
        assertAtRest(bench);
    }

    @Test
    @DisplayName("ADV-1: a row that one acknowledged sink dead-lettered, after another took it, is left out")
    void itSeesNoRowThatAnAcknowledgedSinkDeadLettered() {
        var bench = bench("a", "b");
        taken(bench, 0, 10);
        main.settleOne(0, Ending.WRITTEN);
        main.settleOne(0, 3, 4, 9);
        bench.after(MS);
        assertThat(seen()).containsExactly(0L, 1L, 2L, 5L, 6L, 7L, 8L);
        assertThat(dropped()).isEqualTo(Map.of(Drop.NOT_ACCEPTED, 3L));
        assertAtRest(bench);
    }

    @Test
    @DisplayName("ADV-1: a chunk that spans ranges leaves each row out of its own range")
    void aChunkThatSpansRangesLeavesRowsOutOfTheirOwn() {
        var bench = bench("a");
        bench.poll(P0, 0, 5);
        bench.poll(P0, 5, 5);
        bench.emptyPoll();
        assertThat(main.heldChunks()).isEqualTo(1);
        main.settleOne(0, 4, 5);
        bench.after(MS);
        assertThat(seen()).containsExactly(0L, 1L, 2L, 3L, 6L, 7L, 8L, 9L);
        assertAtRest(bench);
    }

    @Test
    @DisplayName("ADV-1: a row that the format or another sink's encoder refuses is not encoded for it")
    void itSeesNoRowThatWasRefusedBeforeAShard() {
        var values = Bench.settings()
                .values(new KafkaSourceSettings.Values(
                        ValueFormat.Kind.JSON, ValueFormat.OnTombstone.SKIP, KafkaSourceSettings.OnPoison.SKIP));
        var bench = new Bench(
                values,
                List.of(feed("a"), feed("b")),
                main,
                DeadLetters.none(),
                List.of(new AdvisoryFeed(feed("shadow"), shadow, () -> true, account)));
        bench.assign(P0, 0);
        var records = new TestRecords("orders", 0)
                .add(0, "k", "{}")
                .add(1, "k", "nonsense")
                .add(2, "k", null)
                .add(3, "k", "{\"b\":1}")
                .add(4, "k", "{\"shadow\":1}")
                .add(5, "k", "{}");
        bench.polled(P0, records, 6);
        bench.emptyPoll();
        main.letGo();
        bench.after(MS);
        assertThat(seen()).containsExactly(0L, 5L);
        assertThat(dropped()).isEqualTo(Map.of(Drop.NOT_ACCEPTED, 3L, Drop.NOT_ENCODED, 1L));
        assertAtRest(bench);
    }

    @Test
    @DisplayName("ADV-1: what a failed range holds is dropped, since it replays; others are handed on")
    void itSeesNothingOfAFailedRange() {
        var bench = bench("a");
        taken(bench, 0, 5);
        taken(bench, 5, 5);
        main.settleOne(0, Ending.IN_DOUBT);
        main.settleOne(0, Ending.WRITTEN);
        bench.after(MS);
        assertThat(seen()).isEqualTo(range(5, 10));
        assertThat(dropped()).isEqualTo(Map.of(Drop.NOT_DONE, 5L));
        assertAtRest(bench);
    }

    @Test
    @DisplayName("ADV-1: what is written after its epoch ended is dropped; the next epoch sees it")
    void itSeesNothingOfAnEpochThatEnded() {
        var bench = bench("a");
        taken(bench, 0, 5);
        bench.tell(new SourceEvent.Revoking(Set.of(P0)));
        bench.tell(new SourceEvent.Revoked(Set.of(P0)));
        assertThat(dropped()).isEqualTo(Map.of(Drop.NOT_DONE, 5L));
        main.settleOne(0, Ending.WRITTEN);
        bench.after(MS);
        assertThat(seen()).isEmpty();
        bench.assign(P0, 0);
        taken(bench, 0, 5);
        main.settleOne(0, Ending.WRITTEN);
        bench.after(MS);
        assertThat(seen()).isEqualTo(range(0, 5));
        assertAtRest(bench);
    }

    @Test
    @DisplayName("ADV-1: what becomes durable while a revoke waits is handed on")
    void itSeesWhatARevokeFinishes() {
        var bench = bench("a");
        taken(bench, 0, 5);
        bench.tell(new SourceEvent.Revoking(Set.of(P0)));
        main.settleOne(0, Ending.WRITTEN);
        bench.takeInbox();
        bench.tell(new SourceEvent.Revoked(Set.of(P0)));
        bench.after(MS);
        assertThat(seen()).isEqualTo(range(0, 5));
        assertAtRest(bench);
    }

    @Test
    @DisplayName("ADV-1: a topic that was made anew gives it nothing of the old one")
    void itSeesNothingOfATopicThatChanged() {
        var bench = bench("a");
        taken(bench, 0, 5);
        bench.tell(new SourceEvent.TopicChanged("orders", Bench.ID, null));
        main.settleOne(0, Ending.WRITTEN);
        bench.after(MS);
        assertThat(seen()).isEmpty();
        assertThat(dropped()).isEqualTo(Map.of(Drop.NOT_DONE, 5L));
        assertAtRest(bench);
    }

    @Test
    @DisplayName("ADV-2: a full shard of it drops what comes, and commits go on as if it were not there")
    void whatItsShardsDoNotTakeIsDropped() {
        var bench = bench("a");
        shadow.refuse(TARGET, true);
        main.letGo();
        taken(bench, 0, 5);
        bench.after(MS);
        assertThat(dropped()).isEqualTo(Map.of(Drop.NO_ROOM, 5L));
        bench.after(200 * MS);
        bench.acknowledge();
        assertThat(bench.committed(P0)).isEqualTo(5);
        assertThat(bench.paused(P0)).isFalse();
        assertThat(bench.machine.held()).isFalse();
        shadow.refuse(TARGET, false);
        taken(bench, 5, 5);
        bench.after(MS);
        assertThat(seen()).isEqualTo(range(5, 10));
        assertAtRest(bench);
    }

    @Test
    @DisplayName(
            "ADV-2: its budget is its own: full, it drops rows; nothing pauses, and the other budget feels none of it")
    void aFullBudgetOfItsOwnPausesNothing() {
        shadow = new MemoryIntake(new AdmissionBudget(8, 1 << 20, 0.6)).hold();
        var bench = bench("a");
        main.letGo();
        for (var n = 0; n < 5; n++) {
            taken(bench, 4L * n, 4);
            bench.after(MS);
            assertThat(bench.paused(P0)).isFalse();
            assertThat(main.budget().rows()).isZero();
            bench.after(200 * MS);
            bench.acknowledge();
        }
        assertThat(shadow.heldRows()).isEqualTo(8);
        assertThat(dropped()).isEqualTo(Map.of(Drop.NO_ROOM, 12L));
        assertThat(bench.committed(P0)).isEqualTo(20);
        shadow.letGo();
        taken(bench, 20, 4);
        bench.after(MS);
        assertThat(seen()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 20L, 21L, 22L, 23L);
        assertAtRest(bench);
    }

    @Test
    @DisplayName("ADV-2: one that was not reached sees nothing and keeps nothing waiting")
    void oneThatIsNotReachedDropsEverything() {
        reached = false;
        var bench = bench("a");
        main.letGo();
        taken(bench, 0, 5);
        bench.after(200 * MS);
        bench.acknowledge();
        assertThat(bench.committed(P0)).isEqualTo(5);
        assertThat(dropped()).isEqualTo(Map.of(Drop.UNREACHED, 5L));
        reached = true;
        taken(bench, 5, 5);
        bench.after(MS);
        assertThat(seen()).isEqualTo(range(5, 10));
        assertAtRest(bench);
    }

    @Test
    @DisplayName("ADV-2: an advisory sink that holds rows does not hold a drain: the input is finished without it")
    void aDrainDoesNotWaitForIt() {
        shadow.hold();
        var bench = bench("a");
        main.letGo();
        taken(bench, 0, 5);
        bench.tell(new SourceEvent.StopTaking(bench.now + 1_000 * MS));
        bench.after(MS);
        assertThat(bench.all(SourceCommand.InputFinished.class)).hasSize(1);
        assertThat(bench.machine.idle(Set.of(P0))).isTrue();
        shadow.letGo();
        assertAtRest(bench);
    }

    @Test
    @DisplayName("ADV-1: over random endings it sees each row once, and exactly the accepted ones")
    void overRandomEndingsItSeesExactlyTheAcceptedRows() {
        for (var seed = 0; seed < 300; seed++) new RandomRun(seed).run();
    }

    /// Two partitions, two sinks, endings by chance.
    private static final class RandomRun {
        private final SplittableRandom random;
        private final AdvisorySourceTest rig = new AdvisorySourceTest();
        private final Set<String> refused = new TreeSet<>();
        private final Set<String> accepted = new TreeSet<>();
        private final int seed;

        RandomRun(int seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
        }

        void run() {
            var bench = rig.bench("a", "b");
            bench.assign(P1, 0);
            var next = new long[2];
            for (var turn = 0; turn < 40; turn++) {
                var which = random.nextInt(2);
                var partition = which == 0 ? P0 : P1;
                var count = 1 + random.nextInt(8);
                bench.poll(partition, next[which], count);
                for (var i = 0; i < count; i++) accepted.add(partition + "@" + (next[which] + i));
                next[which] += count;
                if (random.nextInt(3) == 0) bench.emptyPoll();
                settleSome(bench, random.nextInt(4));
            }
            bench.emptyPoll();
            settleSome(bench, Integer.MAX_VALUE);
            accepted.removeAll(refused);
            assertThat(rig.shadow.writes())
                    .as("seen by the advisory sink, seed %d", seed)
                    .containsOnlyKeys(accepted)
                    .allSatisfy((row, times) -> assertThat(times).as(row).isEqualTo(1));
            rig.assertAtRest(bench);
        }

        private void settleSome(Bench bench, int most) {
            for (var n = 0; n < most && rig.main.heldChunks() > 0; n++) {
                var index = random.nextInt(rig.main.heldChunks());
                var chunk = rig.main.held(index);
                var dead = new ArrayList<Integer>();
                for (var row = 0; row < chunk.rows(); row++) {
                    if (random.nextInt(10) > 0) continue;
                    dead.add(row);
                    refused.add(chunk.partition() + "@" + chunk.offset(row));
                }
                rig.main.settleOne(index, dead.toArray(Integer[]::new));
            }
            bench.after(MS);
        }
    }
}
