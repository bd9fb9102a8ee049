package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.sinkpool.AmbiguousSettings.Then;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Batches that one replica may have stored, where no other would recognise them.
@Tag("WRT-11")
final class PinTest {
    private static final long MINUTE = 60_000;

    /// Two replicas that share no log, batches of ten rows, one failure opens.
    private static Shard unshared(Consumer<Shard.Setup> changes) {
        return shard(TokenLog.UNSHARED, changes);
    }

    private static Shard shard(TokenLog log, Consumer<Shard.Setup> changes) {
        var shard = new Shard(s -> {
            s.replicas = 2;
            s.maxRows = 10;
            s.failures = 1;
            s.jitter = 0;
            changes.accept(s);
        });
        shard.on(new ShardEvent.TokensKnown(Recognition.of(log)));
        return shard;
    }

    private static ShardView.Held held(Shard shard, long batch) {
        return shard.view().held().stream()
                .filter(one -> one.batch() == batch)
                .findFirst()
                .orElseThrow();
    }

    /// Ticks until an attempt of this batch begins.
    private static ShardCommand.StartAttempt next(Shard shard, long batch) {
        for (var i = 0; i < 1000; i++) {
            var step = shard.tickWhenDue();
            for (var ping : step.pinged()) {
                var begun = shard.end(ping.attempt(), new WriteOutcome.Written(0, 0))
                        .started();
                for (var start : begun) if (start.batch().id() == batch) return start;
            }
            for (var start : step.started()) if (start.batch().id() == batch) return start;
        }
        throw new AssertionError("batch " + batch + " is not tried again");
    }

    @Test
    @DisplayName("WRT-11 A batch that one replica may have stored goes to that one only, also as its probe")
    void anAmbiguousBatchGoesToItsReplicaOnly() {
        var shard = unshared(_ -> {});
        var first = shard.fullBatch(0).start();
        var step = shard.end(first.attempt(), Shard.sick(true));
        assertThat(step.told(ShardNote.Pinned.class)).hasSize(1);
        for (var i = 0; i < 4; i++) {
            var again = next(shard, first.batch().id());
            assertThat(again.replica()).isEqualTo(first.replica());
            assertThat(again.deadlineNanos() - shard.now())
                    .as("it has no other way, so the whole time of a write")
                    .isEqualTo(30_000 * Shard.MS);
            shard.end(again.attempt(), Shard.sick(i % 2 == 0));
        }
        shard.written(next(shard, first.batch().id()));
        assertThat(shard.counts.possibleDuplicates()).isZero();
        shard.assertAtRest();
    }

    @Test
    @DisplayName(
            "WRT-11 What surely was not stored goes to another replica, and so does anything where the log is shared")
    void whatIsNotAmbiguousIsNotPinned() {
        for (var log : TokenLog.values()) {
            for (var mayHaveStored : List.of(true, false)) {
                if (log == TokenLog.UNSHARED && mayHaveStored) continue;
                var shard = shard(log, _ -> {});
                var first = shard.fullBatch(0).start();
                shard.end(first.attempt(), Shard.sick(mayHaveStored));
                var again = next(shard, first.batch().id());
                assertThat(again.replica()).isNotEqualTo(first.replica());
                shard.written(again);
                assertThat(shard.counts.possibleDuplicates())
                        .as("%s, %s", log, mayHaveStored)
                        .isEqualTo(log == TokenLog.NONE && mayHaveStored ? 10 : 0);
                shard.assertAtRest();
            }
        }
    }

    @Test
    @DisplayName("WRT-11 SEAL-7 A pinned batch holds no permit and delays no other")
    void aPinnedBatchDelaysNoOther() {
        var shard = unshared(s -> s.maxInFlight = 1);
        var pinned = shard.fullBatch(0).start();
        shard.end(pinned.attempt(), Shard.sick(true));
        assertThat(held(shard, pinned.batch().id()).parked()).isTrue();
        assertThat(held(shard, pinned.batch().id()).pin())
                .isEqualTo(new ShardView.Pin(pinned.replica(), shard.now(), false));
        for (var i = 1; i <= 20; i++) {
            shard.at(i);
            var other = shard.fullBatch(i).start();
            assertThat(other.replica()).isNotEqualTo(pinned.replica());
            shard.written(other);
            assertThat(shard.machine.wantsChunks()).isTrue();
        }
        shard.written(next(shard, pinned.batch().id()));
        shard.assertAtRest();
    }

    @Test
    @DisplayName("WRT-11 A batch pinned elsewhere is no probe, and its replica is pinged for it")
    void aBatchPinnedElsewhereIsNoProbe() {
        var shard = unshared(s -> s.openFor = 1000);
        var pinned = shard.fullBatch(0).start();
        shard.end(pinned.attempt(), Shard.sick(true));
        // The other replica opens, and the pinned one closes by another batch's probe.
        var other = shard.at(1).fullBatch(1).start();
        shard.sick(other);
        var begun = new ArrayDeque<ShardCommand.StartAttempt>();
        var went = new HashSet<Integer>();
        for (var i = 0; i < 200 && !shard.view().held().isEmpty(); i++) {
            var step = shard.tickWhenDue();
            for (var ping : step.pinged()) {
                begun.addAll(shard.end(ping.attempt(), new WriteOutcome.Written(0, 0))
                        .started());
            }
            begun.addAll(step.started());
            while (!begun.isEmpty()) {
                var start = begun.remove();
                if (start.batch().id() == pinned.batch().id()) went.add(start.replica());
                begun.addAll(shard.written(start).started());
            }
        }
        assertThat(went).containsExactly(pinned.replica());
        shard.assertAtRest();
    }

    @Test
    @DisplayName("WRT-11 With wait it waits on after pin_for, which is told once and shown")
    void afterItsTimeItWaitsOnAndThatIsToldOnce() {
        var shard = unshared(s -> s.ambiguous = new AmbiguousSettings(10 * MINUTE * Shard.MS, Then.WAIT));
        var first = shard.fullBatch(0).start();
        shard.end(first.attempt(), Shard.sick(true));
        var told = 0;
        while (shard.now() < shard.nanosAt(30 * MINUTE)) {
            var step = shard.tickWhenDue();
            for (var ping : step.pinged()) step = shard.end(ping.attempt(), Shard.sick(false));
            for (var start : step.started()) {
                assertThat(start.replica()).isEqualTo(first.replica());
                shard.sick(start);
            }
            for (var over : step.told(ShardNote.PinOver.class)) {
                told++;
                assertThat(over.resent()).isFalse();
                assertThat(over.replica()).isEqualTo(first.replica());
                assertThat(shard.now()).isEqualTo(shard.nanosAt(10 * MINUTE));
            }
        }
        assertThat(told).isOne();
        assertThat(held(shard, first.batch().id()).pin())
                .isEqualTo(new ShardView.Pin(first.replica(), shard.nanosAt(0), true));
        shard.written(next(shard, first.batch().id()));
        assertThat(shard.counts.possibleDuplicates()).isZero();
        shard.assertAtRest();
    }

    @Test
    @DisplayName("WRT-11 With resend it goes to any replica after pin_for, and its rows count as possible duplicates")
    void afterItsTimeItIsSentAgainAndItsRowsAreCounted() {
        var shard = unshared(s -> s.ambiguous = new AmbiguousSettings(MINUTE * Shard.MS, Then.RESEND));
        var first = shard.fullBatch(0).start();
        shard.end(first.attempt(), Shard.sick(true));
        ShardCommand.StartAttempt again = null;
        while (again == null) {
            var step = shard.tickWhenDue();
            for (var ping : step.pinged()) step = shard.end(ping.attempt(), Shard.sick(false));
            for (var start : step.started())
                if (start.replica() == first.replica()) shard.sick(start);
                else again = start;
        }
        assertThat(shard.now()).isGreaterThanOrEqualTo(shard.nanosAt(MINUTE));
        assertThat(held(shard, first.batch().id()).pin()).isNull();
        assertThat(shard.counts.possibleDuplicates()).isZero();
        shard.end(again.attempt(), Shard.sick(true));
        // It may be at both by now, and is pinned no more: where it is recognised, one copy is too many.
        shard.written(next(shard, first.batch().id()));
        assertThat(shard.counts.possibleDuplicates()).isEqualTo(10);
        shard.assertAtRest();
    }

    @Test
    @DisplayName("WRT-11 Past a bound a pinned batch keeps its permit, so the shard takes no more")
    void pinnedBatchesAreBounded() {
        var shard = unshared(s -> {
            s.maxInFlight = 2;
            s.failures = 1000;
            s.ambiguous = new AmbiguousSettings(1000 * MINUTE * Shard.MS, Then.WAIT);
        });
        var taken = 0;
        while (shard.machine.wantsChunks() && taken < 1000) {
            for (var start : shard.fullBatch(taken++).started()) {
                shard.end(start.attempt(), Shard.sick(true));
            }
        }
        assertThat(taken).isBetween(Deliveries.MOST_PARKED, Deliveries.MOST_PARKED + 4);
        assertThat(shard.view().held()).allMatch(one -> one.attempts() == 0 || one.pin() != null);
        var begun = new ArrayDeque<ShardCommand.StartAttempt>();
        for (var i = 0; i < 10_000 && !shard.view().held().isEmpty(); i++) {
            begun.addAll(shard.tickWhenDue().started());
            while (!begun.isEmpty()) begun.addAll(shard.written(begun.remove()).started());
        }
        assertThat(shard.view().held()).isEmpty();
        shard.assertAtRest();
    }

    @Test
    @DisplayName(
            "WRT-11 POI-5 Where the last part of a batch was pinned, and another has its permit, the dead letter of a"
                    + " row ends it")
    void theLetterOfABatchWithAPinnedPartEndsIt() {
        var shard = unshared(s -> {
            s.failures = 1000;
            s.maxInFlight = 1;
        });
        var start = shard.fullBatch(0).start();
        var batch = start.batch().id();
        var other = 0L;
        Step step;
        while (true) {
            var part = start.rows().slices().getFirst();
            WriteOutcome said = new WriteOutcome.Written(start.rows().rows(), 0);
            if (part.fromRow() <= 2 && part.toRow() > 2) {
                said = new WriteOutcome.Refused(new Failure("27", "row", false), -1);
            } else if (other == 0 && part.toRow() == 10) {
                shard.end(start.attempt(), Shard.sick(true));
                var its = shard.fullBatch(1).start();
                other = its.batch().id();
                shard.end(its.attempt(), Shard.sick(false));
                start = next(shard, batch);
                continue;
            }
            step = shard.end(start.attempt(), said);
            if (!step.deadLetters().isEmpty()) break;
            start = step.started().isEmpty() ? next(shard, batch) : step.start();
        }
        assertThat(other).isNotZero();
        shard.on(
                new ShardEvent.DeadLettered(batch, step.deadLetters().getFirst().row()));
        assertThat(shard.counts.rowsDeadLettered()).isOne();
        assertThat(shard.counts.rowsWritten()).isEqualTo(9);
        shard.written(next(shard, other));
        shard.assertAtRest();
    }

    @Test
    @DisplayName(
            "WRT-11 POI-12 A pinned batch that is refused is taken apart, its parts go anywhere, its rows are counted")
    void aPinnedBatchThatIsRefusedIsTakenApartAndCounted() {
        var shard = unshared(s -> s.failures = 1000);
        var first = shard.fullBatch(0).start();
        shard.end(first.attempt(), Shard.sick(true));
        var again = next(shard, first.batch().id());
        var step = shard.end(again.attempt(), new WriteOutcome.Refused(new Failure("27", "row", false), -1));
        var went = new HashSet<Integer>();
        while (!step.started().isEmpty()) {
            went.add(step.start().replica());
            step = shard.written(step.start());
        }
        assertThat(went).containsExactlyInAnyOrder(0, 1);
        assertThat(shard.counts.possibleDuplicates()).isEqualTo(10);
        shard.assertAtRest();
    }

    @Test
    @DisplayName("WRT-11 A part whose attempt is ambiguous is pinned for itself")
    void aPartIsPinnedForItself() {
        var shard = unshared(s -> s.failures = 1000);
        var whole = shard.fullBatch(0).start();
        var part = shard.end(whole.attempt(), new WriteOutcome.Refused(new Failure("27", "row", false), -1))
                .start();
        shard.end(part.attempt(), Shard.sick(true));
        assertThat(held(shard, whole.batch().id()).pin()).isNotNull();
        var again = next(shard, whole.batch().id());
        assertThat(again.token()).isEqualTo(part.token());
        assertThat(again.replica()).isEqualTo(part.replica());
        var step = shard.written(again);
        while (!step.started().isEmpty()) step = shard.written(step.start());
        shard.assertAtRest();
    }

    @Test
    @DisplayName("WRT-11 A replica whose siblings turn out to share its log keeps no batch")
    void aPinEndsWhenTheLogTurnsOutToBeShared() {
        var shard = unshared(_ -> {});
        var first = shard.fullBatch(0).start();
        shard.end(first.attempt(), Shard.sick(true));
        shard.on(new ShardEvent.TokensKnown(Recognition.SHARED));
        var again = next(shard, first.batch().id());
        assertThat(again.replica()).isNotEqualTo(first.replica());
        shard.written(again);
        assertThat(shard.counts.possibleDuplicates()).isZero();
        shard.assertAtRest();
    }

    @Test
    @DisplayName("WRT-11 DRN-2 A pinned batch that the deadline finds is in doubt")
    void aPinnedBatchIsInDoubtAtTheDeadline() {
        var shard = unshared(_ -> {});
        var first = shard.fullBatch(0).start();
        shard.end(first.attempt(), Shard.sick(true));
        shard.drainBy(1000);
        shard.closeInput();
        shard.tickAt(1000);
        assertThat(shard.finished()).isTrue();
        assertThat(shard.counts.rowsInDoubt()).isEqualTo(10);
        shard.assertAtRest();
    }

    @Test
    @DisplayName("WRT-11 CKP-6 A pinned batch that nobody waits for is given up")
    void aPinnedBatchThatNobodyWaitsForIsGivenUp() {
        var shard = unshared(_ -> {});
        var first = shard.fullBatch(0).start();
        shard.end(first.attempt(), Shard.sick(true));
        shard.epochEnded("orders", 0, 1);
        assertThat(shard.view().held()).isEmpty();
        assertThat(shard.counts.rowsInDoubt()).isEqualTo(10);
        shard.assertAtRest();
    }
}
