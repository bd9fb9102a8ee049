package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// An advisory shard: each batch is written once, whole, and nothing waits for it.
final class AdvisoryShardTest {
    private static final int ROWS = 100;

    private static Shard advisory() {
        return new Shard(s -> s.advisory = true);
    }

    private static Failure failure(boolean mayHaveStored) {
        return new Failure("22P02", "not a number", mayHaveStored);
    }

    /// Everything a write may come to but that it is written, and how its rows end.
    static List<List<Object>> outcomes() {
        return List.of(
                List.of(new WriteOutcome.Refused(failure(false), 3), Ending.ABANDONED),
                List.of(new WriteOutcome.Refused(failure(true), 3), Ending.IN_DOUBT),
                List.of(new WriteOutcome.TooLarge(failure(false)), Ending.ABANDONED),
                List.of(new WriteOutcome.Misconfigured(failure(false)), Ending.ABANDONED),
                List.of(Shard.sick(false), Ending.ABANDONED),
                List.of(Shard.sick(true), Ending.IN_DOUBT),
                List.of(
                        new WriteOutcome.Unavailable(failure(false), new WriteOutcome.Blame.Overload(5_000 * Shard.MS)),
                        Ending.ABANDONED),
                List.of(new WriteOutcome.Written(ROWS - 1, 0), Ending.IN_DOUBT));
    }

    @ParameterizedTest
    @MethodSource("outcomes")
    @DisplayName("ADV-1 ADV-2: whatever is said of a batch's one write, there is no second and no part of it")
    void aBatchIsWrittenOnce(List<Object> told) {
        var shard = advisory();
        var first = shard.fullBatch(0).start();
        assertThat(first.rows().rows()).isEqualTo(ROWS);
        var step = shard.end(first.attempt(), (WriteOutcome) told.get(0));

        assertThat(step.endings()).containsExactly((Ending) told.get(1));
        assertThat(step.started()).isEmpty();
        assertThat(step.deadLetters()).isEmpty();
        assertThat(step.told(ShardNote.Blocked.class)).isEmpty();
        assertThat(step.told(ShardNote.TakenApart.class)).isEmpty();
        assertThat(shard.counts.rowsDropped()).isEqualTo(ROWS);
        assertThat(shard.view().blocked()).isFalse();
        assertThat(shard.tickAt(60_000).started()).as("an hour later").isEmpty();
        // It was nobody's fault but this batch's.
        shard.written(shard.fullBatch(1).start());
        assertThat(shard.counts.rowsWritten()).isEqualTo(ROWS);
        shard.assertAtRest();
    }

    @Test
    @DisplayName("ADV-2: an attempt that never ends is given up at its deadline, and its batch with it")
    void aHangIsDroppedAtTheDeadline() {
        var shard = advisory();
        var hung = shard.fullBatch(0).start();
        var step = shard.tickAt(shard.setup.writeTimeout);
        assertThat(step.cancelled()).containsExactly(hung.attempt());
        assertThat(step.endings()).containsExactly(Ending.IN_DOUBT);
        assertThat(shard.end(hung.attempt(), new WriteOutcome.Written(ROWS, 0)).quiet())
                .as("its late outcome changes nothing")
                .isTrue();
        assertThat(shard.counts.rowsWritten()).isZero();
        shard.assertAtRest();
    }

    @Test
    @DisplayName("ADV-2: a dead replica is spared: what no attempt has begun of waits, in the bounds of the shard")
    void aDeadReplicaIsSpared() {
        var shard = new Shard(s -> {
            s.advisory = true;
            s.failures = 2;
        });
        for (var n = 0; n < 2; n++) shard.sick(shard.fullBatch(n).start());
        assertThat(shard.view().usable()).isFalse();
        for (var n = 2; n < 5; n++)
            assertThat(shard.fullBatch(n).started()).as("batch %s", n).isEmpty();
        assertThat(shard.machine.wantsChunks()).as("so its mailbox fills").isFalse();
        // The probe is the oldest that waits; when it is written, the others follow.
        var probe = shard.tickAt(shard.setup.openFor).start();
        var others = shard.written(probe).started();
        assertThat(others).isNotEmpty();
        for (var other : others) shard.written(other);
        assertThat(shard.counts.rowsDropped()).isEqualTo(2L * ROWS);
    }

    @Test
    @DisplayName("ADV-2: at the deadline of a drain what it holds is given up")
    void aDrainGivesUpWhatIsLeft() {
        var shard = new Shard(s -> {
            s.advisory = true;
            s.maxInFlight = 1;
        });
        shard.fullBatch(0).start();
        shard.arrive(shard.rows(ROWS, 10));
        shard.drainBy(500);
        shard.closeInput();
        var step = shard.tickAt(500);
        assertThat(step.finished()).isTrue();
        assertThat(shard.counts.rowsInDoubt()).isEqualTo(ROWS);
        assertThat(shard.counts.rowsAbandoned()).isEqualTo(10);
        assertThat(shard.counts.rowsDropped()).as("no write of these failed").isZero();
        shard.assertAtRest();
    }

    @Test
    @DisplayName("ADV-1: a chunk is handed on without the rows that another sink has not got, byte for byte")
    void aChunkIsHandedOnWithoutTheRowsThatAreLeftOut() {
        var source = new Source();
        var chunk = source.unawaited("orders", 0, 1, 100, 10, 20);
        var bytes = source.budget.bytes();

        var pieces = chunk.handOn(Set.of(100L, 104L, 105L, 109L, 777L), 5);

        assertThat(pieces.stream().flatMap(piece -> offsets(piece).stream()))
                .containsExactly(101L, 102L, 103L, 106L, 107L, 108L);
        assertThat(pieces).allSatisfy(piece -> assertThat(piece.polledNanos()).isEqualTo(5));
        assertThat(Bytes.sent(BatchRows.of(pieces)))
                .isEqualTo("orders-0@101;.......orders-0@102;.......orders-0@103;......."
                        + "orders-0@106;.......orders-0@107;.......orders-0@108;.......");
        assertThat(source.budget.rows()).isEqualTo(6);
        assertThat(source.budget.bytes()).isEqualTo(bytes * 6 / 10);
        assertThat(source.tally.skipped()).isEqualTo(4);
        assertThat(chunk.settle(Ending.WRITTEN)).as("it has ended").isFalse();
        for (var piece : pieces) piece.settle(Ending.WRITTEN);
        source.assertNothingLeaks();
    }

    @Test
    @DisplayName("ADV-1: of a chunk that is left out as a whole nothing is handed on")
    void nothingIsHandedOnOfAChunkThatIsLeftOutWhole() {
        var source = new Source();
        var chunk = source.unawaited("orders", 0, 1, 0, 2, 20);
        assertThat(chunk.handOn(Set.of(0L, 1L), 5)).isEmpty();
        source.assertNothingLeaks();
    }

    @Test
    @DisplayName("ADV-1: rows that are dead-lettered are told to their range by offset, those written are not")
    void aRangeKnowsWhichOfItsRowsTheSinkHasNot() {
        var shard = new Shard(s -> s.maxRows = 4);
        var chunk = shard.rows(10, 4);
        var start = shard.arrive(chunk).start();
        // Row 2 is poison: the halves are written, then the quarters of the second.
        var step = shard.end(start.attempt(), new WriteOutcome.Refused(failure(false), -1));
        while (step.deadLetters().isEmpty()) {
            var part = step.start();
            var hasIt = part.rows().slices().stream().anyMatch(slice -> slice.fromRow() <= 2 && 2 < slice.toRow());
            step = hasIt
                    ? shard.end(part.attempt(), new WriteOutcome.Refused(failure(false), -1))
                    : shard.written(part);
        }
        var letter = step.deadLetters().getFirst();
        var settled = shard.on(new ShardEvent.DeadLettered(letter.batch().id(), letter.row()))
                .settled()
                .getFirst();
        assertThat(settled.counts().leftOut()).containsExactly(2);
        assertThat(shard.source.leftOut()).containsExactly(12L);
        shard.assertAtRest();
    }

    private static List<Long> offsets(EncodedChunk chunk) {
        return java.util.stream.IntStream.range(0, chunk.rows())
                .mapToObj(chunk::offset)
                .toList();
    }
}
