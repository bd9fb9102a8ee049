package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a shard machine does with rows that its sink refuses.
final class PoisonTest {
    private static final Failure REFUSAL = new Failure("22P02", "invalid input syntax", false);
    private static final long SECOND = 1000;

    /// A shard over a sink that refuses every request with one of these offsets of orders-0 in it.
    private static final class Bench {
        final Shard shard;
        final TreeSet<Long> poison = new TreeSet<>();
        final Map<Long, Integer> stored = new TreeMap<>();
        final ArrayDeque<ShardCommand.StartAttempt> begun = new ArrayDeque<>();
        final List<ShardCommand.DeadLetter> letters = new ArrayList<>();
        final List<ShardNote> notes = new ArrayList<>();
        final List<RowRef> stops = new ArrayList<>();
        boolean namesRows;
        int lies = -1;
        boolean refusesAll;
        int largest = Integer.MAX_VALUE;
        int requests;

        Bench(Consumer<Shard.Setup> changes) {
            shard = new Shard(s -> {
                s.maxRows = 1000;
                s.jitter = 0;
                s.linger = 0;
                changes.accept(s);
            });
        }

        Bench saw(Step step) {
            for (var command : step.commands()) {
                switch (command) {
                    case ShardCommand.StartAttempt start -> begun.add(start);
                    case ShardCommand.DeadLetter letter -> letters.add(letter);
                    case ShardCommand.StopFor(var row, var _) -> stops.add(row);
                    case ShardCommand.Tell(var note) -> notes.add(note);
                    case ShardCommand.StartPing _,
                            ShardCommand.AskSlot _,
                            ShardCommand.GiveSlotBack _,
                            ShardCommand.CancelAttempt _,
                            ShardCommand.Settle _,
                            ShardCommand.MarkSplit _,
                            ShardCommand.StopForExpired _,
                            ShardCommand.Finished _ -> {}
                }
            }
            return this;
        }

        Bench batch(long from, int rows) {
            return saw(shard.arrive(shard.rows(from, rows)));
        }

        /// Answers until no attempt is out.
        Bench answer() {
            while (!begun.isEmpty()) answerOne();
            return this;
        }

        void answerOne() {
            var start = begun.remove();
            requests++;
            saw(shard.end(start.attempt(), outcome(start.rows())));
        }

        private WriteOutcome outcome(BatchRows rows) {
            if (rows.rows() > largest) return new WriteOutcome.TooLarge(new Failure("413", "too large", false));
            var offsets = offsets(rows);
            var first = first(offsets);
            if (refusesAll || first >= 0) {
                var named = lies >= 0 ? Math.min(lies, rows.rows() - 1) : namesRows ? first : -1;
                return new WriteOutcome.Refused(REFUSAL, named);
            }
            offsets.forEach(offset -> stored.merge(offset, 1, Integer::sum));
            return new WriteOutcome.Written(rows.rows(), 0);
        }

        private int first(List<Long> offsets) {
            for (var i = 0; i < offsets.size(); i++) if (poison.contains(offsets.get(i))) return i;
            return -1;
        }

        static List<Long> offsets(BatchRows rows) {
            var out = new ArrayList<Long>();
            for (var slice : rows.slices())
                for (var row = slice.fromRow(); row < slice.toRow(); row++)
                    out.add(slice.chunk().offset(row));
            return out;
        }

        Bench acknowledge() {
            while (!letters.isEmpty()) acknowledgeOne();
            return this;
        }

        void acknowledgeOne() {
            var letter = letters.removeFirst();
            saw(shard.on(new ShardEvent.DeadLettered(letter.batch().id(), letter.row())));
        }

        List<Long> lettersOf() {
            return letters.stream()
                    .map(letter -> letter.row().offset())
                    .sorted()
                    .toList();
        }

        void assertHealthyLandedOnce(long from, int rows) {
            for (var offset = from; offset < from + rows; offset++)
                assertThat(stored.getOrDefault(offset, 0))
                        .as("times that %d is stored", offset)
                        .isEqualTo(poison.contains(offset) ? 0 : 1);
        }

        Bench laterBy(long seconds) {
            return saw(shard.tickAt((shard.now() - shard.setup.originNanos) / Shard.MS + seconds * SECOND));
        }
    }

    static PoisonSettings setsLoneRowsAside() {
        return new PoisonSettings(
                PoisonSettings.Action.DEAD_LETTER, PoisonSettings.SingleRow.DEAD_LETTER, 0.01, 600_000 * Shard.MS, 1);
    }

    @Test
    @Tag("POI-1")
    void onePoisonRowOfAThousandIsFoundDepthFirstLeftFirst() {
        for (var row : new long[] {0, 1, 437, 998, 999}) {
            var bench = new Bench(_ -> {});
            bench.poison.add(row);
            bench.batch(0, 1000).answer();
            assertThat(bench.lettersOf()).containsExactly(row);
            assertThat(bench.requests).as("requests for row %d", row).isLessThanOrEqualTo(2 + 2 * 10);
            bench.acknowledge();
            bench.assertHealthyLandedOnce(0, 1000);
            assertThat(bench.shard.counts.rowsWritten()).isEqualTo(999);
            assertThat(bench.shard.counts.rowsDeadLettered()).isOne();
            bench.shard.assertAtRest();
        }
    }

    @Test
    @Tag("POI-1")
    void partsGoInOrderUnderTokensOfTheirParent() {
        var bench = new Bench(_ -> {});
        bench.poison.add(6L);
        bench.batch(0, 8);
        var sent = new ArrayList<String>();
        while (!bench.begun.isEmpty()) {
            var start = bench.begun.getFirst();
            sent.add(Bench.offsets(start.rows()) + " " + start.token().text().replaceAll("^[^#]*", ""));
            bench.answerOne();
        }
        assertThat(sent)
                .containsExactly(
                        "[0, 1, 2, 3, 4, 5, 6, 7] ",
                        "[0, 1, 2, 3] #0-4",
                        "[4, 5, 6, 7] #4-8",
                        "[4, 5] #4-6",
                        "[6, 7] #6-8",
                        "[6] #6-7",
                        "[7] #7-8");
        bench.acknowledge().shard.assertAtRest();
    }

    @Test
    @Tag("POI-2")
    void severalPoisonRowsAreAllIsolatedAndTheirSiblingsLandOnce() {
        var random = new SplittableRandom(7);
        for (var round = 0; round < 200; round++) {
            var rows = 1 + random.nextInt(300);
            var bench = new Bench(s -> s.poison = new PoisonSettings(
                    PoisonSettings.Action.DEAD_LETTER, PoisonSettings.SingleRow.DEAD_LETTER, 1, 1, 1));
            bench.namesRows = random.nextBoolean();
            bench.lies = random.nextInt(4) == 0 ? random.nextInt(rows) : -1;
            var poison = random.nextInt(Math.min(rows, 20));
            while (bench.poison.size() < poison) bench.poison.add((long) random.nextInt(rows));
            bench.batch(0, rows).answer();
            assertThat(bench.lettersOf()).as("round %d", round).containsExactlyElementsOf(bench.poison);
            bench.acknowledge();
            bench.assertHealthyLandedOnce(0, rows);
            assertThat(bench.shard.counts.rowsWritten()).isEqualTo(rows - bench.poison.size());
            bench.shard.assertAtRest();
        }
    }

    @Test
    @Tag("POI-3")
    void aSinkThatTakesNothingCondemnsNoRowHoweverLongItLasts() {
        for (var rows : new int[] {2, 20, 1000}) {
            var bench = new Bench(_ -> {});
            bench.refusesAll = true;
            bench.batch(0, rows).answer();
            assertThat(bench.requests).isLessThanOrEqualTo(32);
            var first = bench.requests;
            for (var i = 0; i < 100; i++) bench.laterBy(60).answer();
            assertThat(bench.letters).isEmpty();
            assertThat(bench.requests - first)
                    .as("the batch is retried whole, but now and then")
                    .isLessThanOrEqualTo(100 + 100 / 8 * 32);
            assertThat(bench.shard.view().blocked()).isTrue();
            bench.refusesAll = false;
            bench.laterBy(60).answer();
            bench.assertHealthyLandedOnce(0, rows);
            bench.shard.assertAtRest();
        }
    }

    @Test
    @Tag("POI-3")
    @Tag("POI-8")
    void aPoisonRowInABatchThatWaitedOutAnOutageIsFoundWithoutAnybodysHelp() {
        var bench = new Bench(_ -> {});
        bench.refusesAll = true;
        bench.poison.add(700L);
        bench.batch(0, 1000).answer();
        for (var i = 0; i < 20; i++) bench.laterBy(60).answer();
        assertThat(bench.letters).isEmpty();
        bench.refusesAll = false;
        for (var i = 0; i < 8 && bench.letters.isEmpty(); i++) bench.laterBy(60).answer();
        assertThat(bench.lettersOf()).containsExactly(700L);
        bench.acknowledge();
        bench.assertHealthyLandedOnce(0, 1000);
        bench.shard.assertAtRest();
    }

    @Test
    @Tag("POI-3")
    void evidenceOfAnotherBatchBeforeOrAfterTurnsAnOutageIntoAVerdict() {
        for (var before : new boolean[] {true, false}) {
            var bench = new Bench(s -> s.poison = new PoisonSettings(
                    PoisonSettings.Action.DEAD_LETTER, PoisonSettings.SingleRow.WAIT, 1, 600L * 1_000_000_000, 1));
            for (var offset = 1000L; offset < 1040; offset++) bench.poison.add(offset);
            if (before) bench.batch(0, 10).answer();
            bench.batch(1000, 40).answer();
            if (!before) {
                assertThat(bench.letters).isEmpty();
                bench.laterBy(30).answer();
                assertThat(bench.letters).isEmpty();
                bench.batch(2000, 10).answer();
            }
            assertThat(bench.letters)
                    .as("evidence %s", before ? "before" : "after")
                    .hasSize(40);
            bench.acknowledge();
            bench.assertHealthyLandedOnce(before ? 0 : 2000, 10);
            bench.shard.assertAtRest();
        }
    }

    @Test
    @Tag("POI-13")
    void aDriftIsToldAlsoOfABatchThatWasToldAsAnOutage() {
        var bench = new Bench(_ -> {});
        for (var offset = 1000L; offset < 1150; offset++) bench.poison.add(offset);
        bench.batch(1000, 150).answer();
        assertThat(bench.notes).hasAtLeastOneElementOfType(ShardNote.Blocked.class);
        bench.batch(2000, 10).answer();
        assertThat(bench.letters).isEmpty();
        assertThat(bench.notes).hasAtLeastOneElementOfType(ShardNote.Drift.class);
        for (var i = 0; i < 10; i++) bench.laterBy(60).answer();
        assertThat(bench.notes.stream().filter(ShardNote.Drift.class::isInstance))
                .as("once")
                .hasSize(1);
    }

    @Test
    @Tag("POI-3")
    void evidenceThatIsTooOldIsNone() {
        var bench = new Bench(_ -> {});
        bench.batch(0, 10).answer().laterBy(601);
        for (var offset = 1000L; offset < 1040; offset++) bench.poison.add(offset);
        bench.batch(1000, 40).answer();
        assertThat(bench.letters).isEmpty();
        assertThat(bench.requests).isLessThanOrEqualTo(1 + 32);
    }

    @Test
    @Tag("POI-3")
    void aSinkThatRefusedEverythingForAWhileCondemnsNoRowByIt() {
        for (var refusals = 1; refusals < 12; refusals++) {
            var bench = new Bench(_ -> {});
            bench.poison.add(700L);
            bench.refusesAll = true;
            bench.batch(0, 1000);
            for (var i = 0; i < refusals; i++) bench.answerOne();
            bench.refusesAll = false;
            bench.answer();
            assertThat(bench.lettersOf()).as("after %d refusals", refusals).containsExactly(700L);
            bench.acknowledge();
            bench.assertHealthyLandedOnce(0, 1000);
            bench.shard.assertAtRest();
        }
    }

    @Test
    @Tag("POI-4")
    void aRefusedBatchOfOneRowWaitsForEvidenceWhileOthersFlow() {
        var bench = new Bench(s -> s.maxInFlight = 1);
        bench.poison.add(7L);
        bench.batch(7, 1).answer();
        for (var i = 0; i < 20; i++) bench.laterBy(10).answer();
        assertThat(bench.letters).isEmpty();
        var held = bench.shard.view().held().getFirst();
        assertThat(held.blocked()).isTrue();
        assertThat(bench.shard.now() - held.sealedNanos())
                .as("its age can be told")
                .isGreaterThanOrEqualTo(200 * SECOND * Shard.MS);
        bench.batch(100, 10).answer();
        assertThat(bench.lettersOf())
                .as("judged by what the shard took after it")
                .containsExactly(7L);
        bench.assertHealthyLandedOnce(100, 10);
        bench.acknowledge().shard.assertAtRest();

        var before = new Bench(_ -> {});
        before.poison.add(207L);
        before.batch(100, 10).answer().laterBy(590).batch(207, 1).answer();
        assertThat(before.lettersOf()).containsExactly(207L);
        before.acknowledge().shard.assertAtRest();

        var optedOut = new Bench(s -> s.poison = new PoisonSettings(
                PoisonSettings.Action.DEAD_LETTER, PoisonSettings.SingleRow.DEAD_LETTER, 0.01, 1, 1));
        optedOut.poison.add(7L);
        optedOut.batch(7, 1).answer();
        assertThat(optedOut.lettersOf()).containsExactly(7L);
        optedOut.acknowledge().shard.assertAtRest();
    }

    @Test
    @Tag("POI-4")
    void pastTheBoundOfParkedSuspectsTheShardHolds() {
        var bench = new Bench(s -> s.maxInFlight = 1);
        bench.refusesAll = true;
        for (var i = 0; i < Deliveries.MOST_PARKED; i++) bench.batch(i, 1).answer();
        assertThat(bench.shard.machine.wantsChunks()).isTrue();
        bench.batch(500, 1).answer();
        bench.batch(501, 1).answer();
        assertThat(bench.shard.machine.wantsChunks())
                .as("one keeps the permit, one waits for it")
                .isFalse();
        bench.refusesAll = false;
        for (var i = 0; i < 100 && !bench.shard.view().held().isEmpty(); i++)
            bench.laterBy(10).answer();
        bench.assertHealthyLandedOnce(0, Deliveries.MOST_PARKED);
        bench.assertHealthyLandedOnce(500, 2);
        bench.shard.assertAtRest();
    }

    @Test
    @Tag("POI-5")
    void aPoisonRowEndsOnlyWhenItsDeadLetterIsAcknowledged() {
        var bench = new Bench(_ -> {});
        bench.poison.addAll(List.of(3L, 4L));
        bench.batch(0, 100).answer();
        assertThat(bench.lettersOf()).containsExactly(3L, 4L);
        assertThat(bench.letters).allSatisfy(letter -> {
            assertThat(letter.failure()).isEqualTo(REFUSAL);
            assertThat(letter.attempts()).isOne();
        });
        bench.acknowledgeOne();
        assertThat(bench.shard.source.tracker("orders", 0, 1).watermark()).isZero();
        var twice = bench.letters.getFirst();
        bench.acknowledge();
        assertThat(bench.shard.source.tracker("orders", 0, 1).watermark()).isEqualTo(100);
        bench.saw(bench.shard.on(new ShardEvent.DeadLettered(twice.batch().id(), twice.row())));
        assertThat(bench.shard.counts.rowsDeadLettered()).isEqualTo(2);
        bench.shard.assertAtRest();
    }

    @Test
    @Tag("POI-8")
    void aDeadLetterThatWaitsHoldsItsOwnChunkAndNoPermit() {
        var bench = new Bench(s -> s.maxInFlight = 1);
        bench.poison.add(5L);
        bench.saw(bench.shard.arrive(bench.shard.rows(0, 10), bench.shard.chunk("payments", 0, 1, 100, 10, 20, 0)));
        bench.answer();
        assertThat(bench.shard.source.tracker("payments", 0, 1).watermark())
                .as("another partition goes on")
                .isEqualTo(110);
        for (var i = 1; i < 20; i++) bench.batch(100L * i, 10).answer();
        assertThat(bench.stored).containsKey(1905L);
        assertThat(bench.lettersOf()).containsExactly(5L);
        bench.acknowledge().shard.assertAtRest();
    }

    @Test
    @Tag("POI-9")
    void deadLettersThatFailAreToldAndHoldTheShardAtItsBoundWithoutLosingAnything() {
        var bench = new Bench(s -> s.maxInFlight = 1);
        for (var i = 0; i <= Deliveries.MOST_PARKED; i++) {
            bench.poison.add(i * 100L);
            bench.batch(i * 100L, 100).answer();
        }
        var letter = bench.letters.getFirst();
        var down = new Failure("NOT_ENOUGH_REPLICAS", "dead-letter topic", true);
        bench.saw(bench.shard.on(new ShardEvent.DeadLetterFailed(letter.batch().id(), letter.row(), down)));
        assertThat(bench.notes).contains(new ShardNote.Blocked(letter.batch().id(), down));
        bench.batch(90_000, 10).answer();
        assertThat(bench.shard.machine.wantsChunks()).isFalse();
        assertThat(bench.stored).doesNotContainKey(90_000L);
        bench.acknowledge().answer();
        assertThat(bench.stored).containsKey(90_000L);
        bench.shard.assertAtRest();
    }

    @Test
    @Tag("POI-6")
    void skippedRowsAreDoneAndCounted() {
        var bench = new Bench(s -> s.poison = PoisonSettings.of(PoisonSettings.Action.SKIP));
        bench.poison.add(3L);
        bench.batch(0, 100).answer();
        assertThat(bench.shard.counts.rowsSkipped()).isOne();
        assertThat(bench.shard.source.tracker("orders", 0, 1).watermark()).isEqualTo(100);
        bench.shard.assertAtRest();
    }

    @Test
    @Tag("POI-6")
    void underStopTheRowIsNamedAndNothingPassesIt() {
        var bench = new Bench(s -> s.poison = PoisonSettings.of(PoisonSettings.Action.STOP));
        bench.poison.add(3L);
        bench.batch(0, 100).answer();
        assertThat(bench.stops).extracting(RowRef::offset).containsExactly(3L);
        assertThat(bench.shard.source.tracker("orders", 0, 1).watermark()).isZero();
        bench.saw(bench.shard.drainBy(10)).saw(bench.shard.closeInput()).saw(bench.shard.tickAt(10));
        assertThat(bench.shard.counts.rowsWritten()).isEqualTo(99);
        assertThat(bench.shard.counts.rowsAbandoned()).isOne();
        bench.shard.assertAtRest();
    }

    @Test
    @Tag("POI-11")
    void aRowThatTheSinkNamesCostsFourRequests() {
        for (var row : new long[] {0, 437, 999}) {
            var bench = new Bench(_ -> {});
            bench.namesRows = true;
            bench.poison.add(row);
            bench.batch(0, 1000).answer();
            assertThat(bench.requests).isLessThanOrEqualTo(4);
            assertThat(bench.lettersOf()).containsExactly(row);
            bench.acknowledge();
            bench.assertHealthyLandedOnce(0, 1000);
            bench.shard.assertAtRest();
        }
    }

    @Test
    @Tag("POI-11")
    void aNameThatMisleadsFallsBackToHalving() {
        for (var lie : new int[] {0, 500, 999, 5000}) {
            var bench = new Bench(_ -> {});
            bench.lies = lie;
            bench.poison.add(437L);
            bench.batch(0, 1000).answer();
            assertThat(bench.lettersOf()).containsExactly(437L);
            assertThat(bench.requests).as("lie %d", lie).isLessThanOrEqualTo(2 + 2 * 10 + 6);
            bench.acknowledge();
            bench.assertHealthyLandedOnce(0, 1000);
            bench.shard.assertAtRest();
        }
    }

    @Test
    @Tag("POI-12")
    void anAmbiguousOutcomeIsNeverTakenApart() {
        var stored = new Failure("view", "while pushing to view", true);
        for (var outcome : List.<WriteOutcome>of(
                new WriteOutcome.Refused(stored, 3), new WriteOutcome.TooLarge(stored), Shard.sick(true))) {
            var bench = new Bench(_ -> {});
            bench.batch(0, 100);
            for (var i = 0; i < 50; i++) {
                var start = bench.begun.remove();
                assertThat(start.rows().rows()).isEqualTo(100);
                bench.saw(bench.shard.end(start.attempt(), outcome)).saw(bench.shard.tickWhenDue());
                while (bench.begun.isEmpty()) bench.saw(bench.shard.tickWhenDue());
            }
            assertThat(bench.letters).isEmpty();
            bench.answer();
            bench.shard.assertAtRest();
        }
    }

    @Test
    @Tag("POI-12")
    @Tag("CH-9")
    void aWriterIsToldThatRowsMayBeStoredAlsoOfAPartOfABatchThatEndedUnknown() {
        var bench = new Bench(_ -> {});
        bench.poison.add(3L);
        bench.batch(0, 8);
        var first = bench.begun.remove();
        assertThat(first.mayBeStored()).isFalse();
        bench.saw(bench.shard.end(first.attempt(), Shard.sick(false)));
        bench.saw(bench.shard.tickWhenDue());
        var second = bench.begun.remove();
        assertThat(second.mayBeStored()).as("after one that stored nothing").isFalse();
        bench.saw(bench.shard.end(second.attempt(), Shard.sick(true)));
        bench.saw(bench.shard.tickWhenDue());
        assertThat(bench.begun.element().mayBeStored()).isTrue();
        bench.answerOne();
        assertThat(bench.begun.element().rows().rows()).isLessThan(8);
        assertThat(bench.begun.element().mayBeStored()).as("of a part").isTrue();
    }

    @Test
    @Tag("POI-12")
    @Tag("CH-9")
    void ofABatchThatIsTakenApartOnlyTheRowsOfThePartThatEndedUnknownMayBeStored() {
        var bench = new Bench(_ -> {});
        bench.poison.add(7L);
        bench.batch(0, 8);
        bench.answerOne();
        var part = bench.begun.remove();
        assertThat(part.mayBeStored()).isFalse();
        bench.saw(bench.shard.end(part.attempt(), Shard.sick(true)));
        bench.saw(bench.shard.tickWhenDue());
        assertThat(bench.begun.element().rows()).isEqualTo(part.rows());
        assertThat(bench.begun.element().mayBeStored()).isTrue();
        bench.answerOne();
        assertThat(bench.begun.element().rows().rows()).isEqualTo(4);
        assertThat(bench.begun.element().mayBeStored()).as("the other half").isFalse();
    }

    @Test
    @Tag("POI-12")
    void aRefusalAfterAnAmbiguousAttemptIsTakenApartAndItsRowsCountAsPossibleDuplicates() {
        var bench = new Bench(_ -> {});
        bench.poison.add(3L);
        bench.batch(0, 100);
        bench.saw(bench.shard.end(bench.begun.remove().attempt(), Shard.sick(true)))
                .saw(bench.shard.tickWhenDue())
                .answer();
        assertThat(bench.shard.counts.possibleDuplicates())
                .as("99 that may be stored twice, and one that may be stored and set aside")
                .isEqualTo(100);
        bench.acknowledge().shard.assertAtRest();
    }

    @Test
    @Tag("POI-13")
    void aSchemaThatChangedIsNotPoison() {
        var bench = new Bench(_ -> {});
        bench.batch(0, 1000).answer();
        IntStream.range(1000, 3000).forEach(offset -> bench.poison.add((long) offset));
        bench.batch(1000, 1000).answer();
        bench.batch(2000, 1000).answer();
        assertThat(bench.letters).hasSizeLessThan(100);
        assertThat(bench.requests).as("a drift is soon seen").isLessThan(700);
        assertThat(bench.notes).anyMatch(ShardNote.Drift.class::isInstance);
        var before = bench.requests;
        for (var i = 0; i < 20; i++) bench.laterBy(30).answer();
        assertThat(bench.requests - before)
                .as("a row for each batch is asked again now and then")
                .isBetween(20, 60);
        assertThat(bench.letters).hasSizeLessThan(100);
        var set = bench.letters.size();
        bench.acknowledge().poison.clear();
        for (var i = 0; i < 3; i++) bench.laterBy(30).answer();
        assertThat(bench.shard.view().held())
                .as("once the cause is mended, all goes on")
                .isEmpty();
        assertThat(bench.letters).as("and none of them is set aside").hasSize(set);
        bench.shard.assertAtRest();
    }

    @Test
    @Tag("POI-13")
    void whenTheShareHasFallenOnlyWhatIsStillRefusedIsSetAside() {
        var bench = new Bench(_ -> {});
        bench.batch(0, 1000).answer();
        IntStream.range(1000, 1150).forEach(offset -> bench.poison.add((long) offset));
        bench.batch(1000, 1000).answer();
        assertThat(bench.notes).anyMatch(ShardNote.Drift.class::isInstance);
        assertThat(bench.letters).isEmpty();
        IntStream.range(1000, 1140).forEach(offset -> bench.poison.remove((long) offset));
        for (var i = 0; i < 40; i++)
            bench.batch(10_000 + 300L * i, 300).answer().laterBy(10).answer();
        assertThat(bench.lettersOf())
                .containsExactlyInAnyOrder(LongStream.range(1140, 1150).boxed().toArray(Long[]::new));
        bench.acknowledge().shard.assertAtRest();
    }

    @Test
    @Tag("POI-13")
    void ninetyNinePoisonRowsAreNoDrift() {
        var bench = new Bench(_ -> {});
        IntStream.range(0, 99).forEach(i -> bench.poison.add(10L * i));
        bench.batch(0, 1000).answer();
        assertThat(bench.letters).hasSize(99);
        bench.acknowledge().shard.assertAtRest();
    }

    @Test
    @Tag("POI-15")
    void whatIsTooLargeIsSplitToTheEndAndASingleRowThatIsGoesOnce() {
        var bench = new Bench(_ -> {});
        bench.largest = 3;
        bench.batch(0, 8).answer();
        assertThat(bench.letters).isEmpty();
        assertThat(bench.requests).as("whole, two halves, four quarters").isEqualTo(7);
        bench.assertHealthyLandedOnce(0, 8);
        bench.shard.assertAtRest();

        var single = new Bench(_ -> {});
        single.largest = 0;
        single.batch(5, 1).answer();
        assertThat(single.lettersOf()).containsExactly(5L);
        assertThat(single.letters.getFirst().failure().code()).isEqualTo("too_large");
        assertThat(single.letters.getFirst().failure().message()).isEqualTo("413: too large");
        assertThat(single.requests).isOne();
        single.acknowledge().shard.assertAtRest();
    }

    @Test
    @Tag("POI-16")
    void aRowSpendsItsAttemptsOnItsOwnAccountAndAnOutageGivesThemBack() {
        var bench = new Bench(s -> s.poison = new PoisonSettings(
                PoisonSettings.Action.DEAD_LETTER, PoisonSettings.SingleRow.WAIT, 0.01, 600L * 1_000_000_000, 3));
        bench.refusesAll = true;
        bench.batch(0, 2).answer();
        for (var i = 0; i < 10; i++) bench.laterBy(60).answer();
        bench.refusesAll = false;
        bench.poison.add(1L);
        bench.requests = 0;
        bench.batch(100, 10).answer();
        bench.laterBy(60).answer();
        assertThat(bench.lettersOf()).containsExactly(1L);
        assertThat(bench.letters.getFirst().attempts()).isEqualTo(3);
        assertThat(bench.requests)
                .as("the other batch, the whole, its healthy half, three times the row")
                .isEqualTo(6);
        bench.acknowledge().shard.assertAtRest();
    }

    @Test
    @Tag("POI-17")
    void rowsCountAsWrittenOnceAndABatchCountsOnce() {
        var bench = new Bench(_ -> {});
        bench.poison.add(400L);
        bench.batch(0, 1000);
        bench.saw(bench.shard.end(bench.begun.remove().attempt(), Shard.sick(false)))
                .saw(bench.shard.tickWhenDue())
                .answer()
                .acknowledge();
        assertThat(bench.shard.counts.rowsWritten()).isEqualTo(999);
        assertThat(bench.shard.counts.rowsWrittenTo(0)).isEqualTo(999);
        assertThat(bench.shard.counts.batchesWritten()).isOne();
        bench.shard.assertAtRest();
    }

    @Test
    @Tag("DRN-3")
    void whatIsGivenUpWhileABatchIsTakenApartIsToldRowByRow() {
        var bench = new Bench(s -> s.writeTimeout = 3600 * SECOND);
        bench.poison.add(0L);
        bench.batch(0, 8);
        for (var i = 0; i < 4; i++) bench.answerOne(); // all, [0,4), [0,2), [0,1)
        bench.answerOne(); // [1,2) is written
        assertThat(Bench.offsets(bench.begun.getFirst().rows())).containsExactly(2L, 3L);
        bench.saw(bench.shard.drainBy(10)).saw(bench.shard.closeInput()).saw(bench.shard.tickAt(10));
        assertThat(bench.shard.counts.rowsWritten()).isOne();
        assertThat(bench.shard.counts.rowsInDoubt()).as("the part that was out").isEqualTo(2);
        assertThat(bench.shard.counts.rowsAbandoned()).isEqualTo(5);
        bench.shard.assertAtRest();
        assertThat(new HashMap<>(bench.stored)).containsOnlyKeys(1L);
    }
}
