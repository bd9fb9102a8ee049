package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Rows of one lane reach the sink in the order in which they came, and lanes do not wait for each other.
@Tag("SEAL-8")
final class LaneOrderTest {
    private static final Failure REFUSAL = new Failure("22P02", "invalid input syntax", false);

    /// Batches of ten rows, two lanes of which each is fed by the partition of its number, three permits.
    private static Shard shard(Consumer<Shard.Setup> changes) {
        return new Shard(s -> {
            s.ordered = true;
            s.lanes = 2;
            s.maxInFlight = 3;
            s.maxRows = 10;
            s.jitter = 0;
            changes.accept(s);
        });
    }

    private static Shard shard() {
        return shard(_ -> {});
    }

    /// A full batch of a lane.
    private static Step batch(Shard shard, int lane, long number) {
        return shard.arrive(shard.rowsOf(lane, number * 10, 10));
    }

    private static Step refused(Shard shard, ShardCommand.StartAttempt start, int rowNamed) {
        return shard.end(start.attempt(), new WriteOutcome.Refused(REFUSAL, rowNamed));
    }

    private static List<Long> offsets(ShardCommand.StartAttempt start) {
        var out = new ArrayList<Long>();
        for (var slice : start.rows().slices())
            for (var row = slice.fromRow(); row < slice.toRow(); row++)
                out.add(slice.chunk().offset(row));
        return out;
    }

    private static int partition(ShardCommand.StartAttempt start) {
        return start.rows().slices().getFirst().chunk().partition().partition();
    }

    private static long first(ShardCommand.StartAttempt start) {
        return offsets(start).getFirst();
    }

    @Test
    @DisplayName("SEAL-8: a lane has one write in flight, and lanes of one shard are written side by side")
    void oneWriteOfALane() {
        var shard = shard();
        var first = batch(shard, 0, 0).start();
        assertThat(batch(shard, 0, 1).started()).as("behind it in its lane").isEmpty();
        var other = batch(shard, 1, 0).start();
        var second = shard.written(first).start();
        assertThat(first(second)).isEqualTo(10);
        shard.written(second);
        shard.written(other);
        shard.assertAtRest();
    }

    @Test
    @DisplayName("SEAL-8: without order the second batch does not wait")
    void withoutOrderNothingWaits() {
        var shard = new Shard(s -> s.maxRows = 10);
        shard.fullBatch(0).start();
        shard.fullBatch(1).start();
    }

    @Test
    @DisplayName("SEAL-8 WRT-6: a batch that is tried again keeps its lane, and delays no other")
    void aRetryKeepsItsLane() {
        var shard = shard();
        var first = batch(shard, 0, 0).start();
        batch(shard, 0, 1);
        assertThat(shard.sick(first).started()).as("while it sleeps").isEmpty();
        shard.written(batch(shard, 1, 0).start());
        var again = shard.tickWhenDue().start();
        assertThat(first(again)).isZero();
        assertThat(first(shard.written(again).start())).isEqualTo(10);
    }

    @Test
    @DisplayName("SEAL-8 SEAL-7 WRT-6: lanes that wait for a retry leave their permits to the others")
    void aRetryLeavesItsPermitToOtherLanes() {
        var shard = shard(s -> {
            s.lanes = 4;
            s.maxInFlight = 2;
            s.failures = 9;
        });
        var first = batch(shard, 0, 0).start();
        var second = batch(shard, 1, 0).start();
        assertThat(batch(shard, 2, 0).started()).as("no permit is left").isEmpty();
        var third = shard.sick(first).start();
        assertThat(third.batch().lane()).isEqualTo(2);
        assertThat(batch(shard, 0, 1).started()).as("behind it in its lane").isEmpty();
        shard.sick(second);
        var fourth = batch(shard, 3, 0).start();
        assertThat(shard.view().held())
                .filteredOn(held -> held.place() == ShardView.Place.RESTING)
                .extracting(ShardView.Held::lane)
                .containsExactly(0, 1);
        assertThat(shard.tickWhenDue().started()).as("both permits are out").isEmpty();
        batch(shard, 2, 1);
        assertThat(shard.machine.wantsChunks())
                .as("it waits for a permit alone")
                .isFalse();
        assertThat(first(shard.written(third).start()))
                .as("what has rested is the first in line")
                .isZero();
        assertThat(shard.written(fourth).start().batch().lane()).isEqualTo(1);
    }

    @Test
    @DisplayName("SEAL-8 SEAL-5: while what has rested waits for a permit nothing more is taken in")
    void whileWhatHasRestedWaitsNothingIsTaken() {
        var shard = shard(s -> s.maxInFlight = 1);
        shard.sick(batch(shard, 0, 0).start());
        batch(shard, 1, 0).start();
        assertThat(shard.machine.wantsChunks()).as("while it sleeps").isTrue();
        assertThat(shard.tickWhenDue().started()).isEmpty();
        assertThat(shard.machine.wantsChunks()).isFalse();
    }

    @Test
    @DisplayName("SEAL-8 BRK-12: an overloaded sink has the pause that it asks for of all lanes")
    void thePauseOfAnOverloadIsOfAllLanes() {
        var shard = shard(s -> s.maxInFlight = 1);
        var first = batch(shard, 0, 0).start();
        batch(shard, 1, 0);
        var busy = new WriteOutcome.Unavailable(
                new Failure("429", "busy", false), new WriteOutcome.Blame.Overload(5000 * Shard.MS));
        assertThat(shard.end(first.attempt(), busy).started()).isEmpty();
        assertThat(shard.tickAt(4999).started()).isEmpty();
        assertThat(first(shard.tickAt(5000).start())).isZero();
    }

    /// Two replicas that share no log, one lane, and a batch that may be stored at one of them.
    private static Shard pinned() {
        var shard = shard(s -> {
            s.replicas = 2;
            s.lanes = 1;
            s.failures = 9;
            s.poison = PoisonSettings.of(PoisonSettings.Action.STOP);
        });
        shard.on(new ShardEvent.TokensKnown(Recognition.of(TokenLog.UNSHARED)));
        return shard;
    }

    private static EncodedChunk of(Shard shard, int partition, long from, int rows) {
        return shard.chunk("orders", partition, 1, from, rows, 20, 0);
    }

    @Test
    @DisplayName("SEAL-8 WRT-11: a batch that is pinned is not written beside another of its lane, nor that beside it")
    void whatIsPinnedIsNotWrittenBesideItsLane() {
        var shard = pinned();
        var doubtful = shard.arrive(of(shard, 0, 0, 10)).start();
        shard.end(doubtful.attempt(), Shard.sick(true));
        var other = shard.arrive(of(shard, 1, 0, 10)).start();
        assertThat(shard.tickWhenDue().started())
                .as("the lane is being written")
                .isEmpty();
        var again = shard.sick(other).start();
        assertThat(again.batch().id()).isEqualTo(doubtful.batch().id());
        assertThat(shard.tickAt(10_000).started()).as("as is it now").isEmpty();
        var next = shard.written(again).start();
        assertThat(next.batch().id()).isEqualTo(other.batch().id());
        shard.written(next);
        shard.assertAtRest();
    }

    @Test
    @DisplayName("SEAL-8 DRN-1: what of a lane has begun when the process stops for it is finished, and ends the drain")
    void whatHasBegunIsFinishedBehindAStop() {
        var shard = pinned();
        var doubtful = shard.arrive(of(shard, 0, 0, 10)).start();
        shard.end(doubtful.attempt(), Shard.sick(true));
        shard.written(shard.arrive(of(shard, 1, 0, 10)).start());
        assertThat(shard.arrive(of(shard, 1, 10, 1)).started()).isEmpty();
        var poison = shard.arrive(of(shard, 2, 0, 20)).start();
        assertThat(poison.rows().rows()).isEqualTo(1);
        var stopped = refused(shard, poison, -1);
        assertThat(stopped.commands()).anyMatch(ShardCommand.StopFor.class::isInstance);
        assertThat(stopped.endings()).containsOnly(Ending.ABANDONED);
        shard.drainBy(600_000);
        shard.closeInput();
        var again = shard.tickWhenDue().start();
        assertThat(again.batch().id()).isEqualTo(doubtful.batch().id());
        assertThat(shard.written(again).finished())
                .as("long before its deadline")
                .isTrue();
        shard.assertAtRest();
    }

    @Test
    @DisplayName("SEAL-8: what has begun in a lane that is closed gets a permit when it has something to write")
    void whatHasBegunGetsAPermitBehindAStop() {
        var shard = shard(s -> s.poison = PoisonSettings.of(PoisonSettings.Action.STOP));
        shard.arrive(shard.rowsOf(0, 0, 1));
        refused(shard, shard.tickWhenDue().start(), -1);
        shard.arrive(shard.source.chunk(0, FakeRecord.AS_IS, "orders", 2, 1, 0, 1, 20, shard.now()));
        var other = shard.tickWhenDue().started();
        while (other.isEmpty() || partition(other.getFirst()) != 2) {
            other.forEach(start -> refused(shard, start, -1));
            other = shard.tickWhenDue().started();
        }
        refused(shard, other.getFirst(), -1);
        shard.arrive(shard.rowsOf(0, 10, 1));
        var step = shard.written(batch(shard, 1, 0).start());
        while (step.commands().stream().noneMatch(ShardCommand.StopFor.class::isInstance))
            step = refused(shard, step.start(), -1);
        assertThat(step.endings()).as("the row, and what is behind it").containsOnly(Ending.ABANDONED);
        var last = step.start();
        assertThat(last.batch().lane()).as("the other suspect of the lane").isZero();
        shard.written(last);
        shard.drainBy(600_000);
        assertThat(shard.closeInput().finished()).isTrue();
        shard.assertAtRest();
    }

    @Test
    @DisplayName("SEAL-8 WRT-1: what timed out is written before what is behind it")
    void whatTimedOutIsWrittenFirst() {
        var shard = shard(s -> s.failures = 9);
        var first = batch(shard, 0, 0).start();
        batch(shard, 0, 1);
        assertThat(shard.tickAt(30_000).cancelled()).containsExactly(first.attempt());
        var again = shard.tickWhenDue().start();
        assertThat(first(again)).isZero();
        assertThat(again.mayBeStored()).isTrue();
        assertThat(shard.end(first.attempt(), new WriteOutcome.Written(10, 0)).started())
                .as("a late answer frees no lane")
                .isEmpty();
        assertThat(first(shard.written(again).start())).isEqualTo(10);
    }

    @Test
    @DisplayName("SEAL-8 POI-4: a suspect holds its lane until another lane's rows speak against it")
    void aSuspectHoldsItsLane() {
        var shard = shard();
        var lone = shard.arrive(shard.rowsOf(0, 0, 1));
        assertThat(lone.started()).isEmpty();
        var suspect = shard.tickWhenDue().start();
        batch(shard, 0, 1);
        var held = refused(shard, suspect, -1);
        assertThat(held.started()).isEmpty();
        assertThat(held.told(ShardNote.Blocked.class)).hasSize(1);
        assertThat(shard.view().held().getFirst().parked()).isTrue();

        var evidence = shard.written(batch(shard, 1, 0).start());
        var again = evidence.start();
        assertThat(offsets(again))
                .as("it is tried again, before what is behind it")
                .containsExactly(0L);
        var judged = refused(shard, again, -1);
        assertThat(judged.deadLetters()).hasSize(1);
        assertThat(first(judged.start())).as("its letter holds nothing").isEqualTo(10);
    }

    @Test
    @DisplayName(
            "SEAL-8: a batch that is parked holds its own partitions in the lane, and what waits behind it for one")
    void whatIsParkedHoldsItsPartitions() {
        var shard = shard(s -> s.lanes = 1);
        shard.arrive(shard.rowsOf(0, 0, 1));
        var suspect = shard.tickWhenDue().start();
        refused(shard, suspect, -1);
        assertThat(batch(shard, 0, 1).started()).as("of its partition").isEmpty();
        var mixed =
                shard.arrive(shard.chunk("orders", 0, 1, 20, 5, 20, 1000), shard.chunk("orders", 1, 1, 0, 5, 20, 1000));
        assertThat(mixed.started()).as("of its and another").isEmpty();
        assertThat(shard.arrive(shard.chunk("orders", 1, 1, 10, 10, 20, 1000)).started())
                .as("of the other, behind rows of it")
                .isEmpty();
        var third = shard.arrive(shard.chunk("orders", 2, 1, 0, 10, 20, 1000)).start();
        assertThat(shard.machine.wantsChunks()).isFalse();
        assertThat(offsets(shard.written(third).start()))
                .as("what the third's rows say wakes the suspect, which goes first")
                .containsExactly(0L);
    }

    @Test
    @DisplayName(
            "SEAL-8: rows are searched in their own order, whatever row the sink names, and none is sent past a suspect")
    void theSearchKeepsTheOrder() {
        var shard = shard();
        shard.written(batch(shard, 1, 0).start());
        var step = batch(shard, 0, 0);
        var sent = new ArrayList<Long>();
        var letters = new ArrayList<Long>();
        // Rows 3 and 7 are refused, and it is always the last row that is named.
        for (var requests = 0; !step.started().isEmpty(); requests++) {
            assertThat(requests).isLessThan(30);
            var start = step.start();
            var rows = offsets(start);
            var bad = rows.contains(3L) || rows.contains(7L);
            if (!bad) sent.addAll(rows);
            step = bad ? refused(shard, start, rows.size() - 1) : shard.written(start);
            step.deadLetters().forEach(letter -> letters.add(letter.row().offset()));
            if (!step.started().isEmpty() && first(step.start()) > 3)
                assertThat(letters)
                        .as("decided before row " + first(step.start()))
                        .contains(3L);
            if (!step.started().isEmpty() && first(step.start()) > 7)
                assertThat(letters).contains(7L);
        }
        assertThat(sent).containsExactly(0L, 1L, 2L, 4L, 5L, 6L, 8L, 9L);
        assertThat(letters).containsExactly(3L, 7L);
    }

    @Test
    @DisplayName("SEAL-8: the first row of a batch waits for evidence, and the rows behind it with it")
    void noRowBehindSpeaksForTheSink() {
        var shard = shard();
        var start = batch(shard, 0, 0).start();
        for (var rows = 10; rows > 1; rows = rows / 2) {
            assertThat(start.rows().rows()).isEqualTo(rows);
            start = refused(shard, start, -1).start();
        }
        assertThat(offsets(start)).containsExactly(0L);
        var held = refused(shard, start, -1);
        assertThat(held.started()).isEmpty();
        assertThat(held.deadLetters()).isEmpty();
        assertThat(held.told(ShardNote.Blocked.class)).hasSize(1);
    }

    @Test
    @DisplayName("SEAL-8 POI-4: with single_row: dead_letter it is set aside")
    void aLoneRowIsSetAsideWhereThatIsAskedFor() {
        var shard = shard(s -> s.poison = PoisonTest.setsLoneRowsAside());
        var start = batch(shard, 0, 0).start();
        while (start.rows().rows() > 1) start = refused(shard, start, -1).start();
        var judged = refused(shard, start, -1);
        assertThat(judged.deadLetters()).hasSize(1);
        assertThat(offsets(judged.start())).as("the search goes on behind it").containsExactly(1L);
    }

    @Test
    @DisplayName("SEAL-8: what was set aside is not sent again when evidence is over")
    void whatWasSetAsideStaysAside() {
        var shard = shard(s -> s.poison = new PoisonSettings(
                PoisonSettings.Action.DEAD_LETTER, PoisonSettings.SingleRow.WAIT, 1, 1000 * Shard.MS, 1));
        shard.written(batch(shard, 1, 0).start());
        var start = batch(shard, 0, 0).start();
        while (start.rows().rows() > 1) start = refused(shard, start, -1).start();
        var second = refused(shard, start, -1).start();
        assertThat(offsets(second)).containsExactly(1L);
        shard.at(5000);
        assertThat(refused(shard, second, -1).started()).isEmpty();
        var again = shard.tickWhenDue().start();
        assertThat(offsets(again)).containsExactly(1L);
        assertThat(offsets(shard.written(again).start())).containsExactly(2L, 3L, 4L);
    }

    @Test
    @DisplayName("SEAL-8: behind a row that the process stops for nothing of its lane is written, and other lanes are")
    void nothingIsWrittenBehindAStop() {
        var shard = shard(s -> s.poison = PoisonSettings.of(PoisonSettings.Action.STOP));
        shard.written(batch(shard, 1, 0).start());
        var start = batch(shard, 0, 0).start();
        batch(shard, 0, 1);
        shard.arrive(shard.rowsOf(0, 20, 3));
        Step step = null;
        while (step == null || !step.started().isEmpty()) {
            step = refused(shard, step == null ? start : step.start(), -1);
        }
        assertThat(step.commands()).anyMatch(ShardCommand.StopFor.class::isInstance);
        assertThat(step.endings())
                .as("all of the lane")
                .containsOnly(Ending.ABANDONED)
                .hasSize(3);
        assertThat(batch(shard, 0, 4).endings()).as("what comes late").containsExactly(Ending.ABANDONED);
        shard.written(batch(shard, 1, 1).start());
        shard.assertAtRest();
    }

    @Test
    @DisplayName("SEAL-8 SEAL-5: a lane that is held holds a batch behind it, and no permit")
    void aHeldLaneHoldsItsPart() {
        var shard = shard(s -> s.maxInFlight = 2);
        var first = batch(shard, 0, 0).start();
        assertThat(shard.machine.wantsChunks()).isTrue();
        shard.arrive(shard.rowsOf(0, 10, 9));
        shard.on(new ShardEvent.Revoking(Source.partition("orders", 0), 1));
        assertThat(shard.view().held()).hasSize(2);
        assertThat(shard.machine.wantsChunks()).as("less than a batch waits").isTrue();
        shard.arrive(shard.rowsOf(0, 19, 10));
        assertThat(shard.machine.wantsChunks()).as("more than a batch waits").isFalse();
        batch(shard, 1, 0).start();
        shard.written(first).start();
        assertThat(shard.machine.wantsChunks()).isFalse();
    }

    @Test
    @DisplayName("SEAL-8 SEAL-5: as without lanes, nothing more is taken in while a batch waits for a permit")
    void whileABatchWaitsForAPermitNothingIsTaken() {
        var shard = shard(s -> s.maxInFlight = 1);
        batch(shard, 0, 0).start();
        assertThat(batch(shard, 1, 0).started()).isEmpty();
        assertThat(shard.machine.wantsChunks()).isFalse();
    }

    @Test
    @DisplayName("SEAL-8 SEAL-9: a drain seals what is open of lanes that are free, and the rest when theirs are")
    void aDrainSealsLaneByLane() {
        var shard = shard(s -> s.linger = 60_000);
        var first = batch(shard, 0, 0).start();
        shard.arrive(shard.rowsOf(0, 10, 3), shard.rowsOf(1, 0, 3));
        var drained = shard.drainBy(20_000);
        assertThat(drained.start().batch().lane()).isEqualTo(1);
        shard.closeInput();
        shard.written(drained.start());
        var rest = shard.written(first).start();
        assertThat(first(rest)).isEqualTo(10);
        assertThat(shard.written(rest).finished()).isTrue();
        shard.assertAtRest();
    }

    @Test
    @DisplayName("SEAL-8: what would be given up and written later is refused")
    void whatGivesUpIsRefused() {
        assertThatThrownBy(() -> shard(s -> s.maxAttempts = 3)).hasMessageContaining("breaks the order");
        assertThatThrownBy(() -> shard(s -> s.advisory = true)).hasMessageContaining("breaks the order");
        assertThatThrownBy(() -> shard(s -> s.ordered = false)).hasMessageContaining("2 lanes without order");
    }
}
