package dev.millrace.kafka;

import static dev.millrace.kafka.Bench.MS;
import static dev.millrace.kafka.Bench.P0;
import static dev.millrace.kafka.Bench.P1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.KafkaSourceSettings.OnPoison;
import dev.millrace.kafka.KafkaSourceSettings.Values;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.MemoryIntake;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Rows that are poison before any shard has seen them, on one machine by hand.
final class PoisonRowsTest {
    /// Letters that wait until a test says what becomes of them.
    private static final class Held implements DeadLetters {
        record Out(Letter letter, Done done) {}

        final ArrayDeque<Out> out = new ArrayDeque<>();
        final List<Letter> all = new ArrayList<>();

        @Override
        public void send(Letter letter, Done done) {
            out.add(new Out(letter, done));
            all.add(letter);
        }

        Out next() {
            return out.remove();
        }

        void acknowledgeAll() {
            while (!out.isEmpty()) next().done().acknowledged();
        }
    }

    /// Takes what does not hold its own name.
    private record Picky(String name) implements RowEncoder {
        @Override
        public Encoded encode(RecordView record, RowBuffer row) {
            var length = Math.max(0, record.valueLength());
            var value = new String(record.valueArray(), record.valueFrom(), length, StandardCharsets.UTF_8);
            if (value.contains("\"skip-" + name + "\"")) return new Encoded.Skipped("filtered");
            row.put(record.valueArray(), record.valueFrom(), length);
            return value.contains("\"" + name + "\"") ? new Encoded.Poison("type", "not for " + name) : Encoded.WRITTEN;
        }
    }

    private final Held letters = new Held();
    private final MemoryIntake intake = new MemoryIntake();

    private Bench bench(ValueFormat.OnTombstone onTombstone, String... sinks) {
        var values = new Values(ValueFormat.Kind.JSON, onTombstone, OnPoison.DEAD_LETTER);
        var feeds = new ArrayList<SinkFeed>();
        for (var sink : sinks)
            feeds.add(
                    new SinkFeed(sink, _ -> true, () -> new Picky(sink), new PartitionRouter(1), 1, 1, 4096, 20 * MS));
        var bench = new Bench(Bench.settings().values(values), feeds, intake, letters);
        bench.assign(P0, 0);
        return bench;
    }

    private Bench bench(String... sinks) {
        return bench(ValueFormat.OnTombstone.DEAD_LETTER, sinks);
    }

    private static TestRecords records(String... values) {
        var records = new TestRecords("orders", 0);
        for (var i = 0; i < values.length; i++) records.add(i, "k" + i, values[i]);
        return records;
    }

    private static PartitionView view(Bench bench) {
        return bench.accounts.of(P0).view(bench.now, 1);
    }

    private static PartitionView.SinkRows rows(Bench bench, int sink) {
        return view(bench).sinks().get(sink);
    }

    /// What PartitionView says of its own sums.
    private static void assertConserved(Bench bench) {
        var view = view(bench);
        for (var sink : view.sinks()) {
            assertThat(sink.tally().encoded()
                            + sink.skippedRows()
                            + sink.deadLettered()
                            + sink.lettersOut()
                            + sink.lettersLeft()
                            + view.dropped()
                            + view.waiting())
                    .as("rows of %s: %s", sink.sink(), view)
                    .isEqualTo(view.polled());
        }
    }

    @Test
    @DisplayName("POI-7: a range with a row that cannot be decoded is done when its letter is acknowledged, not before")
    void theRangeIsDoneWithItsLetter() {
        var bench = bench("a");
        bench.polled(P0, records("{\"n\":0}", "{\"n\":", "{\"n\":2}"), 3);
        bench.emptyPoll();
        bench.after(500 * MS);
        assertThat(intake.rows()).as("healthy neighbours land").hasSize(2);
        assertThat(bench.machine.watermarks()).containsEntry(P0, 0L);
        assertThat(bench.machine.idle(Set.of(P0))).as("a revoke would wait").isFalse();
        assertThat(bench.all(SourceCommand.Commit.class)).isEmpty();
        assertThat(rows(bench, 0).lettersOut()).isEqualTo(1);
        assertConserved(bench);
        var out = letters.next();
        assertThat(out.letter().offset()).isEqualTo(1);
        assertThat(out.letter().shard()).isNull();
        assertThat(out.letter().token()).isNull();
        assertThat(out.letter().failure().code()).isEqualTo("truncated");
        assertThat(StandardCharsets.UTF_8.decode(out.letter().encoded()).toString())
                .isEqualTo("{\"n\":");
        out.done().failed(new Failure("NotEnoughReplicas", "", true));
        bench.after(500 * MS);
        assertThat(bench.machine.watermarks()).containsEntry(P0, 0L);
        out.done().acknowledged();
        bench.after(500 * MS);
        assertThat(bench.machine.watermarks()).containsEntry(P0, 3L);
        assertThat(bench.machine.idle(Set.of(P0))).isTrue();
        assertThat(bench.acknowledge().entries().get(P0)).isNotNull();
        assertThat(rows(bench, 0).deadLettered()).isEqualTo(1);
        assertThat(rows(bench, 0).lettersOut()).isZero();
        assertThat(bench.handles.count()).isZero();
        assertConserved(bench);
    }

    @Test
    @DisplayName("POI-7: a letter that is abandoned fails its range, which replays")
    void anAbandonedLetterFailsItsRange() {
        var bench = bench("a");
        bench.polled(P0, records("{\"n\":0}", "{"), 2);
        bench.emptyPoll();
        letters.next().done().abandoned();
        bench.after(500 * MS);
        assertThat(bench.machine.watermarks()).containsEntry(P0, 0L);
        assertThat(bench.all(SourceCommand.Commit.class)).isEmpty();
        assertThat(rows(bench, 0).lettersLeft()).isEqualTo(1);
        assertConserved(bench);
        assertThat(bench.handles.count()).isZero();
    }

    @Test
    @DisplayName(
            "POI-7: of several sinks a fault of format is one letter, and each sink that refuses has one of its own")
    void oneLetterForAFormatAndOneForEachSink() {
        var bench = bench("a", "b", "c");
        bench.polled(P0, records("{\"n\":0}", "{", "{\"n\":\"b\"}", "[\"a\"]", "{\"x\":\"a\",\"y\":\"c\"}"), 5);
        bench.emptyPoll();
        assertThat(letters.all.stream().map(letter -> letter.offset() + " " + letter.sink()))
                .containsExactly("1 a,b,c", "2 b", "3 a,b,c", "4 a", "4 c");
        assertThat(rows(bench, 0).lettersOut()).isEqualTo(3);
        assertThat(rows(bench, 1).lettersOut()).isEqualTo(3);
        assertThat(rows(bench, 2).lettersOut()).isEqualTo(3);
        assertConserved(bench);
        // All but the last: the range waits for each of them.
        for (var n = 0; n < 4; n++) letters.next().done().acknowledged();
        bench.after(500 * MS);
        assertThat(bench.machine.watermarks()).containsEntry(P0, 0L);
        letters.next().done().acknowledged();
        bench.after(500 * MS);
        assertThat(bench.machine.watermarks()).containsEntry(P0, 5L);
        assertConserved(bench);
    }

    @Test
    @Tag("SRC-5")
    @DisplayName("POI-7: on_tombstone: dead_letter makes a letter of a record without a value")
    void aTombstoneIsALetter() {
        var bench = bench("a");
        bench.polled(P0, new TestRecords("orders", 0).add(0, "k", null).add(1, "k", "{}"), 2);
        bench.emptyPoll();
        assertThat(letters.all).hasSize(1);
        assertThat(letters.all.getFirst().failure().code()).isEqualTo("tombstone");
        assertThat(letters.all.getFirst().encoded().remaining()).isZero();
        letters.acknowledgeAll();
        bench.after(500 * MS);
        assertThat(bench.machine.watermarks()).containsEntry(P0, 2L);
        assertThat(rows(bench, 0).deadLettered()).isEqualTo(1);
    }

    private static TestRecords broken(int partition, long first, int count, String value) {
        var records = new TestRecords("orders", partition);
        for (var i = 0; i < count; i++) records.add(first + i, null, value);
        return records;
    }

    @Test
    @DisplayName(
            "POI-9: too many letters on their way pause their partition, and no other; it goes on as they are taken")
    void tooManyLettersPauseTheirPartition() {
        var bench = bench("a");
        bench.assign(P1, 0);
        var many = Values.MOST_LETTERS + 500;
        bench.polled(P0, broken(0, 0, many, "{"), many);
        bench.after(200 * MS);
        assertThat(letters.out).hasSize(Values.MOST_LETTERS);
        assertThat(bench.paused(P0)).isTrue();
        assertThat(bench.counters.pauses(PauseReason.DEAD_LETTERS)).isEqualTo(1);
        assertThat(view(bench).blockedBy()).isEqualTo("dead_letters");
        assertThat(bench.machine.held()).as("the shell looks again soon").isTrue();
        assertConserved(bench);
        bench.polled(P1, TestRecords.of("orders", 1, 0, 10), 10);
        bench.emptyPoll();
        bench.after(200 * MS);
        assertThat(bench.paused(P1)).isFalse();
        assertThat(intake.rows()).as("healthy rows of another partition").hasSize(10);
        for (var n = 0; n < 100; n++) letters.next().done().acknowledged();
        bench.after(200 * MS);
        assertThat(letters.out).hasSize(Values.MOST_LETTERS);
        assertThat(bench.paused(P0)).isTrue();
        while (!letters.out.isEmpty()) {
            letters.acknowledgeAll();
            bench.after(200 * MS);
        }
        assertThat(bench.paused(P0)).isFalse();
        assertThat(bench.machine.watermarks()).containsEntry(P0, (long) many);
        assertConserved(bench);
    }

    private Bench drifting(OnPoison action) {
        var values = new Values(ValueFormat.Kind.JSON, ValueFormat.OnTombstone.SKIP, action).maxRate(0.01);
        var feeds = List.of(
                new SinkFeed("a", _ -> true, () -> new Picky("a"), new PartitionRouter(1), 1, 1, 4096, 20 * MS),
                new SinkFeed("b", _ -> true, () -> new Picky("a"), new PartitionRouter(1), 1, 1, 4096, 20 * MS));
        var bench = new Bench(Bench.settings().values(values), feeds, intake, letters);
        bench.assign(P0, 0);
        bench.assign(P1, 0);
        return bench;
    }

    private static List<SourceCommand.Tell> drifts(Bench bench) {
        return bench.all(SourceCommand.Tell.class).stream()
                .filter(tell -> tell.event().equals("poison_drift"))
                .toList();
    }

    @Test
    @Tag("POI-13")
    @DisplayName("POI-13: a schema that changed costs 100 rows of its partition, and is told; nothing else waits")
    void aSchemaThatChangedCostsAHundredRows() {
        var bench = drifting(OnPoison.DEAD_LETTER);
        bench.polled(P0, broken(0, 0, 5000, "{\"n\":\"a\"}"), 5000);
        bench.polled(P1, TestRecords.of("orders", 1, 0, 10), 10);
        bench.emptyPoll();
        bench.after(200 * MS);
        assertThat(letters.all).as("one for each sink").hasSize(200);
        letters.acknowledgeAll();
        bench.after(200 * MS);
        assertThat(bench.paused(P0)).isTrue();
        assertThat(bench.paused(P1)).isFalse();
        assertThat(bench.counters.pauses(PauseReason.DRIFT)).isEqualTo(1);
        assertThat(view(bench).blockedBy()).contains("poison.max_rate");
        assertThat(bench.machine.watermarks()).containsEntry(P0, 0L).containsEntry(P1, 10L);
        assertThat(bench.machine.held()).as("nobody need look again soon").isFalse();
        assertConserved(bench);

        for (var n = 0; n < 10; n++) bench.after(60_000 * MS);
        assertThat(letters.all).hasSize(200);
        assertThat(drifts(bench))
                .singleElement()
                .satisfies(tell -> assertThat(tell.text()).contains("orders-0", "poison.max_rate"));

        // Neither a rebalance nor a stop sets more of it aside, and a stop does not wait for it.
        bench.tell(new SourceEvent.Revoking(Set.of(P0)));
        bench.tell(new SourceEvent.Revoked(Set.of(P0)));
        bench.assign(P0, 0);
        bench.polled(P0, broken(0, 0, 5000, "{\"n\":\"a\"}"), 5000);
        bench.after(200 * MS);
        assertThat(letters.all).hasSize(200);
        bench.tell(new SourceEvent.StopTaking(bench.now + 60_000 * MS));
        bench.after(MS);
        assertThat(bench.all(SourceCommand.InputFinished.class)).hasSize(1);
        assertThat(letters.all).hasSize(200);
        assertConserved(bench);
    }

    @Test
    @Tag("POI-13")
    @DisplayName("POI-13: poison rows that are few hold nothing, however many they get to be")
    void fewPoisonRowsHoldNothing() {
        var bench = drifting(OnPoison.DEAD_LETTER);
        var at = 0L;
        for (var poll = 0; poll < 60; poll++) {
            var records = new TestRecords("orders", 0);
            for (var i = 0; i < 500; i++) records.add(at + i, null, i < 4 ? "{" : "{\"n\":0}");
            at += 500;
            bench.polled(P0, records, at);
            letters.acknowledgeAll();
            bench.after(200 * MS);
        }
        assertThat(letters.all).hasSize(240);
        assertThat(bench.paused(P0)).isFalse();
        assertThat(drifts(bench)).isEmpty();
    }

    @Test
    @Tag("POI-13")
    @DisplayName("POI-13: tombstones that the file sets aside are no drift, however many")
    void tombstonesAreNoDrift() {
        var values = new Values(ValueFormat.Kind.JSON, ValueFormat.OnTombstone.DEAD_LETTER, OnPoison.SKIP);
        var feed = new SinkFeed("a", _ -> true, () -> new Picky("a"), new PartitionRouter(1), 1, 1, 4096, 20 * MS);
        var bench = new Bench(Bench.settings().values(values.maxRate(0.01)), List.of(feed), intake, letters);
        bench.assign(P0, 0);
        var records = new TestRecords("orders", 0);
        for (var i = 0; i < 500; i++) records.add(i, "k", null);
        bench.polled(P0, records, 500);
        bench.after(200 * MS);
        assertThat(bench.machine.watermarks()).containsEntry(P0, 500L);
        assertThat(drifts(bench)).isEmpty();
    }

    @Test
    @Tag("POI-13")
    @DisplayName("POI-13: a hundred poison rows are a drift, ninety-nine are none, and what is skipped counts too")
    void ninetyNineAreNoDrift() {
        var bench = drifting(OnPoison.SKIP);
        bench.polled(P0, broken(0, 0, 99, "{"), 99);
        bench.after(200 * MS);
        assertThat(bench.paused(P0)).isFalse();
        bench.polled(P0, broken(0, 99, 2, "{"), 101);
        bench.after(200 * MS);
        assertThat(bench.paused(P0)).isTrue();
        assertThat(rows(bench, 0).skippedRows()).isEqualTo(100);
        assertThat(bench.machine.watermarks()).containsEntry(P0, 99L);
    }

    @Test
    @DisplayName("POI-9: large letters pause their partition by their bytes")
    void largeLettersPauseTheirPartition() {
        var bench = bench("a");
        bench.polled(P0, broken(0, 0, 20, "{" + " ".repeat(1 << 20)), 20);
        bench.after(200 * MS);
        assertThat(letters.out).hasSize(4);
        assertThat(bench.paused(P0)).isTrue();
        while (!letters.out.isEmpty()) {
            letters.acknowledgeAll();
            bench.after(200 * MS);
        }
        assertThat(letters.all).hasSize(20);
        assertThat(bench.paused(P0)).isFalse();
        assertConserved(bench);
    }

    @Test
    @DisplayName("POI-7: a revoke waits for letters; one that does not, and a close, give them up, and all rows add up")
    void aRevokeWaitsForLetters() {
        var bench = bench("a", "b");
        bench.polled(P0, records("{\"n\":0}", "{", "{\"n\":\"b\"}"), 3);
        bench.tell(new SourceEvent.Revoking(Set.of(P0)));
        assertThat(bench.machine.idle(Set.of(P0))).isFalse();
        letters.next().done().acknowledged();
        bench.takeInbox();
        assertThat(bench.machine.idle(Set.of(P0))).isFalse();
        var late = letters.next();
        late.done().acknowledged();
        bench.takeInbox();
        assertThat(bench.machine.idle(Set.of(P0))).isTrue();
        bench.tell(new SourceEvent.CommitNow(Set.of(P0)));
        assertThat(Bench.entry(bench.acknowledge(), P0).offset()).isEqualTo(3);
        bench.tell(new SourceEvent.Revoked(Set.of(P0)));
        assertConserved(bench);
        bench.assign(P0, 3);
        bench.polled(P0, new TestRecords("orders", 0).add(3, "k", "{").add(4, "k", "{\"n\":1}"), 5);
        bench.tell(new SourceEvent.Lost(Set.of(P0)));
        assertConserved(bench);
        letters.next().done().acknowledged();
        bench.after(200 * MS);
        assertConserved(bench);
        assertThat(bench.counters.staleAcks()).as("its epoch is over").isEqualTo(1);
    }

    @RepeatedTest(30)
    @DisplayName("OPS-9: whatever is polled, refused, acknowledged, given up and revoked, the rows of each sink add up")
    void rowsAddUp(RepetitionInfo run) {
        var chance = new Random(run.getCurrentRepetition());
        var bench = bench("a", "b");
        var values = List.of(
                "{}",
                "{\"n\":1}",
                "{",
                "",
                "{\"n\":\"a\"}",
                "{\"n\":\"b\"}",
                "{\"x\":\"a\",\"y\":\"b\"}",
                "{\"n\":\"skip-a\"}");
        var next = 0L;
        var owned = true;
        for (var step = 0; step < 200; step++) {
            switch (chance.nextInt(8)) {
                case 0, 1, 2 -> {
                    if (!owned) break;
                    var records = new TestRecords("orders", 0);
                    var count = 1 + chance.nextInt(5);
                    for (var i = 0; i < count; i++) records.add(next++, "k", values.get(chance.nextInt(values.size())));
                    bench.polled(P0, records, next);
                }
                case 3 -> {
                    if (!letters.out.isEmpty()) letters.next().done().acknowledged();
                }
                case 4 -> {
                    if (!letters.out.isEmpty() && chance.nextInt(4) == 0)
                        letters.next().done().abandoned();
                }
                case 5 -> bench.emptyPoll();
                case 6 -> bench.after(30 * MS);
                default -> {
                    if (chance.nextInt(4) != 0) break;
                    if (owned) bench.tell(new SourceEvent.Revoked(Set.of(P0)));
                    else bench.assign(P0, next);
                    owned = !owned;
                }
            }
        }
        bench.emptyPoll();
        bench.machine.close();
        assertConserved(bench);
        letters.acknowledgeAll();
        bench.takeInbox();
        assertConserved(bench);
        assertThat(rows(bench, 0).lettersOut()).isZero();
        assertThat(bench.handles.count())
                .as("seed %d", run.getCurrentRepetition())
                .isZero();
    }
}
