package dev.millrace.sinkpool;

import static dev.millrace.sinkpool.Shard.MS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How a shard machine ends: bounded whatever its sink does, and with an exact account.
final class DrainTest {
    private static Shard small(int inFlight) {
        return new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = inFlight;
        });
    }

    @Test
    @Tag("DRN-1")
    void aDrainSealsWritesAndFinishesWhenTheInputIsClosed() {
        var shard = small(1);
        var first = shard.fullBatch(0).start();
        shard.arrive(shard.rows(10, 3));
        shard.drainBy(25_000);
        shard.closeInput();
        var rest = shard.written(first).start();
        assertThat(shard.finished()).isFalse();
        var end = shard.written(rest);
        assertThat(end.commands().getLast()).as("after what it settles").isInstanceOf(ShardCommand.Finished.class);
        assertThat(shard.wakeMs()).isEqualTo(-1);
        assertThat(shard.source.watermark("orders", 0, 1)).isEqualTo(13);
        shard.assertAtRest();
    }

    @Test
    @Tag("DRN-12")
    void aDrainIsSeenInWhateverOrderItAndTheEndOfTheInputCome() {
        var early = small(1);
        assertThat(early.closeInput().finished()).isFalse();
        assertThat(early.drainBy(10).finished()).isTrue();
        var late = small(1);
        assertThat(late.drainBy(10).finished()).isFalse();
        assertThat(late.closeInput().finished()).isTrue();
    }

    @Test
    @Tag("DRN-12")
    void aDrainWhoseProducerNeverClosesEndsAtItsDeadline() {
        var shard = small(1);
        shard.drainBy(25_000);
        assertThat(shard.wakeMs()).isEqualTo(25_000);
        var end = shard.tickWhenDue();
        assertThat(end.finished()).isTrue();
        assertThat(end.told(ShardNote.Abandoned.class)).as("nothing was left").isEmpty();
        shard.assertAtRest();
    }

    @Test
    @Tag("DRN-5")
    void aDrainDuringAnOutageDoesNotHang() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.failures = 1;
            s.maxInFlight = 2;
        });
        shard.sick(shard.fullBatch(0).start());
        for (var i = 1; i < 5; i++) shard.fullBatch(i);
        shard.arrive(shard.rows(50, 3));
        shard.drainBy(25_000);
        shard.closeInput();
        var steps = 0;
        while (!shard.finished()) {
            for (var start : shard.tickWhenDue().started()) shard.sick(start);
            assertThat(++steps).as("wake-ups").isLessThan(50);
        }
        assertThat(shard.counts.rowsAbandoned()).isEqualTo(53);
        assertThat(shard.source.watermark("orders", 0, 1)).isZero();
        shard.assertAtRest();
    }

    @Test
    @Tag("DRN-5")
    void aBackoffSleepEndsAtTheDeadlineNotAfterIt() {
        var shard = small(1);
        var start = shard.fullBatch(0).start();
        shard.end(start.attempt(), new WriteOutcome.Misconfigured(new Failure("516", "password", false)));
        assertThat(shard.wakeMs()).isGreaterThan(7000);
        shard.drainBy(3000);
        assertThat(shard.wakeMs()).isEqualTo(3000);
        var end = shard.tickWhenDue();
        assertThat(end.endings()).containsExactly(Ending.ABANDONED);
        assertThat(end.finished()).isTrue();
        shard.assertAtRest();
    }

    @Test
    @Tag("DRN-12")
    void aDrainIsSeenWhileABatchWaitsForAPermit() {
        var shard = small(1);
        var first = shard.fullBatch(0).start();
        shard.fullBatch(1);
        shard.drainBy(5000);
        var end = shard.tickWhenDue();
        assertThat(end.cancelled()).containsExactly(first.attempt());
        assertThat(end.endings()).containsExactlyInAnyOrder(Ending.IN_DOUBT, Ending.ABANDONED);
        assertThat(end.finished()).isTrue();
        shard.assertAtRest();
    }

    @Test
    @Tag("DRN-12")
    void aDrainIsSeenBetweenBatches() {
        var shard = small(1);
        shard.written(shard.fullBatch(0).start());
        shard.arrive(shard.rows(10, 1));
        var rest = shard.drainBy(25_000).start();
        shard.closeInput();
        assertThat(shard.written(rest).finished()).isTrue();
        shard.assertAtRest();
    }

    @Test
    @Tag("DRN-12")
    void aDeadlineInThePastAbandonsAtOnceAndStartsNothing() {
        var shard = small(1);
        shard.sick(shard.fullBatch(0).start());
        shard.fullBatch(1);
        shard.arrive(shard.rows(20, 3));
        var end = shard.at(500).drainBy(400);
        assertThat(end.started()).isEmpty();
        assertThat(end.cancelled()).isEmpty();
        assertThat(end.endings()).containsOnly(Ending.ABANDONED).hasSize(3);
        assertThat(end.finished()).isTrue();
        shard.assertAtRest();
    }

    @Test
    @Tag("DRN-1")
    void whatIsOpenWhenTheStopArrivesIsSealedAndCountedBeforeTheDeadlineIsLookedAt() {
        var shard = small(1);
        shard.arrive(shard.rows(0, 3));
        var end = shard.drainBy(0);
        assertThat(end.sealed()).hasSize(1);
        assertThat(shard.counts.sealedFor(SealReason.DRAIN)).isOne();
        assertThat(end.told(ShardNote.Abandoned.class)).containsExactly(new ShardNote.Abandoned(3, 0));
        assertThat(shard.view().held()).hasSize(1);
        assertThat(shard.view().held().getFirst().partitions()).containsExactly(Source.partition("orders", 0));
        shard.assertAtRest();
    }

    @Test
    @Tag("DRN-4")
    void noAttemptBeginsAtTheDeadlineOrAfterIt() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.jitter = 0;
            s.maxInFlight = 1;
        });
        shard.sick(shard.fullBatch(0).start());
        shard.drainBy(100);
        assertThat(shard.wakeMs()).as("backoff and deadline at one instant").isEqualTo(100);
        var end = shard.tickWhenDue();
        assertThat(end.started()).isEmpty();
        assertThat(end.endings()).containsExactly(Ending.ABANDONED);
        shard.assertAtRest();
    }

    @Test
    @Tag("DRN-4")
    void attemptsThatNeverEndDoNotKeepTheMachineFromFinishing() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 4;
        });
        var starts = new ArrayList<ShardCommand.StartAttempt>();
        for (var i = 0; i < 4; i++) starts.add(shard.fullBatch(i).start());
        shard.drainBy(1000);
        shard.closeInput();
        var end = shard.tickWhenDue();
        assertThat(end.cancelled())
                .containsExactlyElementsOf(
                        starts.stream().map(ShardCommand.StartAttempt::attempt).toList());
        assertThat(end.endings()).containsOnly(Ending.IN_DOUBT).hasSize(4);
        assertThat(end.finished()).isTrue();
        assertThat(shard.view().unfinished()).isEqualTo(4);
        for (var start : starts) assertThat(shard.written(start).commands()).isEmpty();
        assertThat(shard.counts.lateOutcomes()).isEqualTo(4);
        assertThat(shard.counts.rowsWritten()).isZero();
        shard.assertAtRest();
    }

    @Test
    @Tag("DRN-3")
    void whatIsInDoubtStandsApartFromWhatIsAbandoned() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 3;
        });
        var refused = shard.fullBatch(0).start();
        var unknown = shard.fullBatch(1).start();
        shard.fullBatch(2);
        shard.fullBatch(3);
        shard.end(refused.attempt(), Shard.sick(false));
        shard.end(unknown.attempt(), Shard.sick(true));
        var end = shard.drainBy(0);
        assertThat(end.told(ShardNote.Abandoned.class)).containsExactly(new ShardNote.Abandoned(20, 20));
        assertThat(shard.counts.rowsAbandoned()).isEqualTo(20);
        assertThat(shard.counts.rowsInDoubt()).isEqualTo(20);
        assertThat(shard.view().heldRows())
                .as("the last view still tells what was left")
                .isEqualTo(40);
        shard.assertAtRest();
    }

    @Test
    @Tag("DRN-12")
    void aLaterDeadlineReplacesTheOneBefore() {
        var shard = small(1);
        var first = shard.fullBatch(0).start();
        shard.drainBy(1000);
        shard.drainBy(5000);
        assertThat(shard.tickAt(1000).quiet()).isTrue();
        assertThat(shard.drainBy(2000).quiet()).isTrue();
        assertThat(shard.wakeMs()).isEqualTo(2000);
        shard.written(first);
        assertThat(shard.closeInput().finished()).isTrue();
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-3")
    void chunksThatArriveAfterTheEndAreAbandoned() {
        var shard = small(1);
        shard.drainBy(0);
        assertThat(shard.machine.wantsChunks()).as("so that its queue empties").isTrue();
        assertThat(shard.arrive(shard.rows(0, 10)).endings()).containsExactly(Ending.ABANDONED);
        assertThat(shard.drainBy(10).commands()).isEmpty();
        assertThat(shard.closeInput().commands()).isEmpty();
        assertThat(shard.tickAt(60_000).commands()).isEmpty();
        shard.assertAtRest();
    }

    @Test
    @Tag("DRN-4")
    void aPingThatIsOutWhenTheDrainIsOverIsCancelled() {
        var shard = new Shard(s -> {
            s.replicas = 2;
            s.maxRows = 10;
            s.failures = 1;
        });
        shard.sick(shard.fullBatch(0).start());
        shard.written(shard.tickWhenDue().start());
        shard.at(5000);
        var step = shard.fullBatch(1);
        shard.drainBy(30_000);
        shard.closeInput();
        var end = shard.written(step.start());
        assertThat(end.cancelled()).containsExactly(step.ping().attempt());
        assertThat(end.commands().getLast()).isInstanceOf(ShardCommand.Finished.class);
        shard.assertAtRest();
    }

    @Test
    @Tag("DRN-3")
    void aTimeOutAtTheDeadlineOfTheDrainIsInDoubtAndCancelledOnce() {
        var shard = small(1);
        var start = shard.fullBatch(0).start();
        shard.drainBy(30_000);
        var end = shard.tickWhenDue();
        assertThat(end.cancelled()).containsExactly(start.attempt());
        assertThat(end.endings()).containsExactly(Ending.IN_DOUBT);
        assertThat(start.deadlineNanos()).isEqualTo(shard.nanosAt(0) + 30_000 * MS);
        shard.assertAtRest();
    }
}
