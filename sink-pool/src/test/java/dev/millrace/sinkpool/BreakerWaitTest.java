package dev.millrace.sinkpool;

import static dev.millrace.sinkpool.Shard.MS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.breaker.ReplicaView.Phase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How batches wait for replicas, probe them, and what is told of it.
final class BreakerWaitTest {
    private static final Failure TOO_MANY_PARTS = new Failure("252", "too many parts", false);

    private static Phase phase(Shard shard, int replica) {
        return shard.view().replicas().get(replica).state().phase();
    }

    /// One batch at a time, one failure opens, no second batch waits.
    private static Shard one(int replicas) {
        return new Shard(s -> {
            s.replicas = replicas;
            s.maxRows = 10;
            s.failures = 1;
        });
    }

    @Test
    @Tag("BRK-4")
    void aLostProbeGivesItsSlotBack() {
        var shard = one(1);
        shard.sick(shard.fullBatch(0).start());
        var probe = shard.tickAt(5000).start();
        assertThat(shard.view().replicas().getFirst().state().probesOut()).isOne();
        shard.at(5001).lost(probe.attempt());
        assertThat(phase(shard, 0)).isEqualTo(Phase.HALF_OPEN);
        assertThat(shard.view().replicas().getFirst().state().probesOut()).isZero();
        var second = shard.tickWhenDue().start();
        assertThat(shard.counts.attempts(ShardCounts.Attempt.LOST)).isOne();
        shard.written(second);
        assertThat(phase(shard, 0)).isEqualTo(Phase.CLOSED);
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-4")
    void aPingThatGetsNoGoodAnswerOpensTheReplicaAgainAndKeepsNoSlot() {
        var failure = new Failure("516", "password", false);
        var endings = List.<WriteOutcome>of(
                new WriteOutcome.Misconfigured(failure),
                new WriteOutcome.Refused(failure, -1),
                new WriteOutcome.TooLarge(failure),
                new WriteOutcome.Unavailable(failure, new WriteOutcome.Blame.Overload(0)),
                new WriteOutcome.Unavailable(failure, new WriteOutcome.Blame.Nobody()),
                Shard.sick(false));
        for (var i = 0; i <= endings.size(); i++) {
            var shard = one(2);
            shard.sick(shard.fullBatch(0).start());
            shard.written(shard.tickWhenDue().start());
            shard.at(5000);
            var step = shard.fullBatch(1);
            var ping = step.ping().attempt();
            var ended = i < endings.size() ? shard.end(ping, endings.get(i)) : shard.lost(ping);
            assertThat(ended.pinged()).as("no storm of pings").isEmpty();
            assertThat(phase(shard, 0)).isEqualTo(Phase.OPEN);
            shard.written(step.start());
            shard.at(15_000);
            step = shard.fullBatch(2);
            shard.end(step.ping().attempt(), new WriteOutcome.Written(0, 0));
            shard.written(step.start());
            shard.written(shard.fullBatch(3).start());
            assertThat(phase(shard, 0)).isEqualTo(Phase.CLOSED);
            shard.assertAtRest();
        }
    }

    @Test
    @Tag("BRK-4")
    void aCancelledProbeThatNeverEndsLeavesTheReplicaProbeable() {
        var shard = one(1);
        shard.sick(shard.fullBatch(0).start());
        var probe = shard.tickAt(5000).start();
        assertThat(shard.tickAt(35_000).cancelled()).containsExactly(probe.attempt());
        assertThat(phase(shard, 0)).isEqualTo(Phase.OPEN);
        var second = shard.tickAt(45_000).start();
        shard.written(second);
        shard.end(probe.attempt(), Shard.sick(true));
        assertThat(phase(shard, 0)).as("its late outcome changes nothing").isEqualTo(Phase.CLOSED);
        shard.assertAtRest();
    }

    @Test
    void aReplicaInQuarantineGetsNoAttemptAndNoPingUntilItIsReleased() {
        var shard = one(2);
        shard.machine.quarantine(0, true, shard.now());
        var start = shard.fullBatch(0).start();
        assertThat(start.replica()).isOne();
        assertThat(phase(shard, 0)).isEqualTo(Phase.QUARANTINED);

        var news = shard.sick(start);
        assertThat(news.told(ShardNote.OutageBegan.class)).hasSize(1);
        var probe = shard.tickAt(5000).start();
        assertThat(probe.replica()).as("the other, which came back").isOne();
        shard.sick(probe);

        shard.machine.quarantine(0, false, shard.now());
        var released = shard.tickAt(5400).start();
        assertThat(released.replica()).isZero();
        shard.written(released);
        shard.assertAtRest();
    }

    @Test
    void withEveryReplicaInQuarantineTheOutageIsToldAsMade() {
        var shard = one(1);
        shard.machine.quarantine(0, true, shard.now());
        var step = shard.fullBatch(0);
        assertThat(step.started()).isEmpty();
        assertThat(step.told(ShardNote.OutageBegan.class))
                .singleElement()
                .satisfies(note -> assertThat(note.first().code()).isEqualTo("quarantined"));
        shard.machine.quarantine(0, false, shard.now());
        shard.written(shard.tickAt(1).start());
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-6")
    void withEveryReplicaOpenABatchWaitsForTheEarliestProbeTime() {
        var shard = one(2);
        var start = shard.fullBatch(0).start();
        shard.at(10).sick(start);
        start = shard.tickWhenDue().start();
        shard.sick(start);
        var batch = shard.view().held().getFirst();
        assertThat(batch.attempts()).isEqualTo(2);
        Step step;
        do step = shard.tickWhenDue();
        while (step.started().isEmpty());
        assertThat(step.start().deadlineNanos())
                .as("the first replica opened at 10 ms for 5 s")
                .isEqualTo(shard.nanosAt(10 + 5000 + 30_000));
        assertThat(step.start().replica()).isZero();
        assertThat(shard.view().held().getFirst().attempts()).isEqualTo(3);
        shard.written(step.start());
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-6")
    void waitingForABreakerIsNoAttemptAndClimbsNoLadder() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.failures = 1;
            s.jitter = 0;
            s.openFor = 60_000;
        });
        var first = shard.fullBatch(0).start();
        shard.sick(first);
        var ticks = 0;
        Step step;
        do {
            step = shard.tickWhenDue();
            ticks++;
        } while (step.started().isEmpty());
        assertThat(step.start().deadlineNanos()).isEqualTo(shard.nanosAt(60_000 + 30_000));
        assertThat(ticks).as("a backoff, a heartbeat or two, no spinning").isLessThanOrEqualTo(5);
        assertThat(shard.view().held().getFirst().attempts()).isEqualTo(2);
        shard.sick(step.start());
        assertThat(shard.view().sleepNanos())
                .as("the second failure's step, whatever time went by")
                .isEqualTo(200 * MS);
        shard.epochEnded("orders", 0, 1);
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-6")
    void aHeartbeatBoundsTheWait() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.failures = 1;
            s.openFor = 3_600_000;
            s.openForMax = 3_600_000;
        });
        shard.sick(shard.fullBatch(0).start());
        shard.tickWhenDue();
        var waitedFrom = shard.wakeMs();
        assertThat(waitedFrom).isBetween(30_000L, 30_200L);
        assertThat(shard.tickWhenDue().quiet()).isTrue();
        assertThat(shard.wakeMs()).isEqualTo(waitedFrom + 30_000);
        shard.epochEnded("orders", 0, 1);
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-6")
    void anOpenTimeOfZeroProbesAtOnceAndSpinsNot() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.failures = 1;
            s.openFor = 0;
            s.openForMax = 0;
        });
        var start = shard.fullBatch(0).start();
        for (var round = 0; round < 20; round++) {
            shard.sick(start);
            start = shard.tickWhenDue().start();
        }
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-6")
    void theWaitEndsAtOnceWhenAProbeSucceeds() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.failures = 1;
            s.maxInFlight = 3;
        });
        var first = shard.fullBatch(0).start();
        shard.sick(first);
        shard.fullBatch(1);
        shard.fullBatch(2);
        var probe = shard.tickAt(5000).start();
        var both = shard.at(5001).written(probe).started();
        assertThat(both).hasSize(2);
        both.forEach(shard::written);
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-6")
    void allProbesOutMeansWaitingForTheirOutcome() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.failures = 1;
            s.maxInFlight = 2;
        });
        shard.sick(shard.fullBatch(0).start());
        shard.fullBatch(1);
        var probe = shard.tickAt(5000).start();
        assertThat(shard.tickAt(10_000).quiet()).isTrue();
        assertThat(shard.at(10_001).sick(probe).started()).isEmpty();
        shard.tickAt(20_000);
        var second = shard.tickAt(20_001).start();
        shard.written(shard.written(second).start());
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-7")
    void aHundredParkedBatchesMakeOneProbeAndItIsTheOldest() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 100;
            s.failures = 3;
        });
        var starts = new ArrayList<ShardCommand.StartAttempt>();
        for (var i = 0; i < 100; i++) starts.addAll(shard.fullBatch(i).started());
        assertThat(starts).hasSize(100);
        for (var start : starts) shard.sick(start);
        shard.tickAt(4999);
        var probe = shard.tickAt(5000).start();
        assertThat(probe.batch().id()).isOne();
        for (var ms = 5001; ms < 5100; ms++)
            assertThat(shard.tickAt(ms).started()).isEmpty();
        assertThat(shard.at(5100).sick(probe).started()).isEmpty();
        assertThat(shard.tickAt(15_099).started()).isEmpty();
        var second = shard.tickAt(15_100).start();
        assertThat(second.batch().id())
                .as("the oldest, its short backoff being over")
                .isOne();
        var rest = shard.written(second).started();
        assertThat(rest).hasSize(99);
        rest.forEach(shard::written);
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-7")
    void besideAHealthySiblingAProbeIsAPingThenTheSmallestBatchThatWaits() {
        var shard = new Shard(s -> {
            s.replicas = 2;
            s.maxRows = 10;
            s.maxInFlight = 3;
            s.failures = 1;
        });
        shard.sick(shard.fullBatch(0).start());
        shard.written(shard.tickWhenDue().start());
        shard.at(5000);
        var step = shard.arrive(shard.rows(10, 10));
        assertThat(step.ping().replica()).isZero();
        assertThat(step.ping().deadlineNanos()).as("within probe_timeout").isEqualTo(shard.nanosAt(5000) + 5000 * MS);
        assertThat(step.start().replica())
                .as("the batch did not wait for the ping")
                .isOne();
        shard.at(5010).end(step.ping().attempt(), new WriteOutcome.Written(0, 0));
        assertThat(phase(shard, 0)).as("a ping closes nothing").isEqualTo(Phase.HALF_OPEN);
        var both = shard.arrive(
                        shard.chunk("orders", 1, 1, 0, 10, 500, 5010), shard.chunk("orders", 2, 1, 0, 10, 9, 5010))
                .started();
        assertThat(both).hasSize(2);
        assertThat(both.getFirst().replica()).isZero();
        assertThat(both.getFirst().rows().byteCount())
                .as("the smallest is the probe")
                .isEqualTo(90);
        assertThat(both.getFirst().deadlineNanos()).isEqualTo(shard.nanosAt(5010) + 5000 * MS);
        assertThat(both.getLast().replica()).isOne();
        assertThat(both.getLast().deadlineNanos()).isEqualTo(shard.nanosAt(5010) + 30_000 * MS);
        shard.written(both.getFirst());
        assertThat(phase(shard, 0)).isEqualTo(Phase.CLOSED);
        shard.written(both.getLast());
        shard.written(step.start());
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-7")
    void aPingThatFailsOpensTheReplicaAgainAndCostsNoBatchAnything() {
        var shard = one(2);
        shard.sick(shard.fullBatch(0).start());
        shard.written(shard.tickWhenDue().start());
        shard.at(5000);
        var step = shard.fullBatch(1);
        shard.end(step.ping().attempt(), Shard.sick(false));
        assertThat(phase(shard, 0)).isEqualTo(Phase.OPEN);
        assertThat(shard.view().held().getFirst().attempts()).isOne();
        shard.written(step.start());
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-7")
    void aPingThatDoesNotAnswerInTimeIsCancelledAndOpensTheReplicaAgain() {
        var shard = one(2);
        shard.sick(shard.fullBatch(0).start());
        shard.written(shard.tickWhenDue().start());
        shard.at(5000);
        var step = shard.fullBatch(1);
        shard.written(step.start());
        assertThat(shard.tickAt(9_999).quiet()).isTrue();
        assertThat(shard.tickAt(10_000).cancelled()).containsExactly(step.ping().attempt());
        assertThat(phase(shard, 0)).isEqualTo(Phase.OPEN);
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-7")
    void aProbeBesideASiblingThatHangsIsCancelledAfterProbeTimeout() {
        var shard = one(2);
        shard.sick(shard.fullBatch(0).start());
        shard.written(shard.tickWhenDue().start());
        shard.at(5000);
        var step = shard.fullBatch(1);
        shard.written(step.start());
        shard.end(step.ping().attempt(), new WriteOutcome.Written(0, 0));
        var probe = shard.fullBatch(2).start();
        assertThat(probe.replica()).isZero();
        shard.tickAt(9_999);
        var late = shard.tickAt(10_000);
        assertThat(late.cancelled()).containsExactly(probe.attempt());
        var again = shard.tickWhenDue().start();
        assertThat(again.replica()).as("rather another").isOne();
        shard.written(again);
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-7")
    void withASettledShardNobodyPings() {
        var shard = one(2);
        shard.sick(shard.fullBatch(0).start());
        shard.written(shard.tickWhenDue().start());
        assertThat(shard.tickAt(5000).pinged()).isEmpty();
        assertThat(shard.wakeMs()).isEqualTo(-1);
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-9")
    void aReplicaThatSlowWritesOpenedIsToldAsSlow() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.failures = 1;
            s.slow = 100;
        });
        var start = shard.fullBatch(0).start();
        shard.at(200);
        var opened = shard.written(start).told(ShardNote.ReplicaOpened.class);
        assertThat(opened).hasSize(1);
        assertThat(opened.getFirst().last().code()).isEqualTo("slow_call");
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-8")
    void eachChangeOfAReplicaIsToldOnce() {
        var shard = one(2);
        var opened = shard.sick(shard.fullBatch(0).start()).told(ShardNote.ReplicaOpened.class);
        assertThat(opened).hasSize(1);
        assertThat(opened.getFirst().replica()).isZero();
        assertThat(opened.getFirst().last().code()).isEqualTo("reset");
        assertThat(opened.getFirst().openNanos()).isEqualTo(5000 * MS);
        assertThat(shard.view().usable()).isTrue();
        shard.written(shard.tickWhenDue().start());
        assertThat(shard.tickAt(4999).commands()).isEmpty();
        assertThat(shard.tickAt(5000).told(ShardNote.ReplicaHalfOpened.class)).hasSize(1);
        assertThat(shard.tickAt(5001).commands()).isEmpty();
        var step = shard.fullBatch(1);
        shard.end(step.ping().attempt(), new WriteOutcome.Written(0, 0));
        assertThat(shard.written(step.start()).told(ShardNote.ReplicaClosed.class))
                .isEmpty();
        assertThat(shard.written(shard.fullBatch(2).start()).told(ShardNote.ReplicaClosed.class))
                .hasSize(1);
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-8")
    void theViewTellsTheHealthAfterEveryOutcome() {
        var shard = one(1);
        assertThat(shard.view().usable()).isTrue();
        shard.sick(shard.fullBatch(0).start());
        assertThat(shard.view().usable()).isFalse();
        assertThat(shard.view().replicas().getFirst().lastFailure())
                .isEqualTo(new Failure("reset", "connection reset", false));
        var probe = shard.tickAt(5000).start();
        assertThat(shard.view().usable()).isFalse();
        shard.written(probe);
        assertThat(shard.view().usable()).isTrue();
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-10")
    void anOutageIsToldOnceWhenItBeginsAndOnceWhenItEnds() {
        var shard = new Shard(s -> {
            s.replicas = 2;
            s.maxRows = 10;
            s.failures = 1;
            s.openForMax = 5000;
        });
        var start = shard.fullBatch(0).start();
        var began = new ArrayList<ShardNote.OutageBegan>();
        var ended = new ArrayList<ShardNote.OutageEnded>();
        for (var round = 0; round < 6; round++) {
            var step = shard.sick(start);
            began.addAll(step.told(ShardNote.OutageBegan.class));
            ended.addAll(step.told(ShardNote.OutageEnded.class));
            if (round == 1) assertThat(began).hasSize(1);
            do {
                step = shard.tickWhenDue();
                began.addAll(step.told(ShardNote.OutageBegan.class));
            } while (step.started().isEmpty());
            start = step.start();
        }
        var beganNanos = shard.view().replicas().getFirst().state().phaseBeganNanos();
        assertThat(beganNanos).isPositive();
        ended.addAll(shard.written(start).told(ShardNote.OutageEnded.class));
        assertThat(began).hasSize(1);
        assertThat(ended).hasSize(1);
        assertThat(ended.getFirst().attempts())
                .as("failed since the second failure began it")
                .isEqualTo(4);
        assertThat(ended.getFirst().lastedNanos()).isGreaterThan(10_000 * MS);
        assertThat(shard.written(shard.fullBatch(1).start()).told(ShardNote.OutageEnded.class))
                .isEmpty();
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-10")
    void aStragglersSuccessDoesNotEndAnOutageWhileEveryReplicaIsOpen() {
        var shard = one(1);
        var first = shard.fullBatch(0).start();
        var second = shard.fullBatch(1).start();
        assertThat(shard.sick(first).told(ShardNote.OutageBegan.class)).hasSize(1);
        assertThat(shard.written(second).told(ShardNote.OutageEnded.class))
                .as("no replica is closed yet")
                .isEmpty();
        var step = shard.tickAt(5000);
        assertThat(step.told(ShardNote.OutageBegan.class)).isEmpty();
        assertThat(shard.written(step.start()).told(ShardNote.OutageEnded.class))
                .hasSize(1);
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-11")
    void aRefusalOfTheDataNeverCountsAgainstAReplica() {
        var failure = new Failure("469", "violates a constraint", false);
        var answers = List.<WriteOutcome>of(
                new WriteOutcome.Refused(failure, -1),
                new WriteOutcome.TooLarge(failure),
                new WriteOutcome.Misconfigured(failure));
        for (var answer : answers) {
            var shard = one(1);
            var start = shard.fullBatch(0).start();
            for (var round = 0; round < 10; round++) {
                var step = shard.end(start.attempt(), answer);
                assertThat(phase(shard, 0)).isEqualTo(Phase.CLOSED);
                start = step.started().isEmpty() ? shard.tickWhenDue().start() : step.start();
            }
            var letters = new ArrayList<ShardCommand.DeadLetter>();
            for (var left = start; left != null; ) {
                var step = shard.written(left);
                letters.addAll(step.deadLetters());
                left = step.started().isEmpty() ? null : step.start();
            }
            for (var letter : letters)
                shard.on(new ShardEvent.DeadLettered(letter.batch().id(), letter.row()));
            shard.assertAtRest();
        }
    }

    @Test
    @Tag("BRK-11")
    void aRefusedProbeClosesTheReplicaSinceItAnswered() {
        var shard = one(1);
        shard.sick(shard.fullBatch(0).start());
        var probe = shard.tickAt(5000).start();
        var step = shard.end(probe.attempt(), new WriteOutcome.Refused(new Failure("469", "no", false), 3));
        assertThat(phase(shard, 0)).isEqualTo(Phase.CLOSED);
        for (var part = 0; part < 3; part++) step = shard.written(step.start());
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-12")
    void anOverloadAnswerEjectsNoReplicaAndItsRetryAfterIsKept() {
        var shard = one(1);
        var start = shard.fullBatch(0).start();
        for (var round = 0; round < 5; round++) {
            shard.end(
                    start.attempt(),
                    new WriteOutcome.Unavailable(TOO_MANY_PARTS, new WriteOutcome.Blame.Overload(20_000 * MS)));
            assertThat(phase(shard, 0)).isEqualTo(Phase.CLOSED);
            assertThat(shard.view().sleepNanos()).isEqualTo(20_000 * MS);
            start = shard.tickWhenDue().start();
        }
        assertThat(shard.counts.attempts(ShardCounts.Attempt.OVERLOADED)).isEqualTo(5);
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-12")
    void anAbsurdRetryAfterNeitherSpinsNorSleepsForYears() {
        for (var absurd : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MAX_VALUE / 2, Long.MIN_VALUE, -1}) {
            var shard = one(1);
            var start = shard.fullBatch(0).start();
            shard.end(
                    start.attempt(),
                    new WriteOutcome.Unavailable(TOO_MANY_PARTS, new WriteOutcome.Blame.Overload(absurd)));
            assertThat(shard.wakeMs()).as("%s", absurd).isBetween(80L, 3_600_000L);
            shard.written(shard.tickWhenDue().start());
            shard.assertAtRest();
        }
    }
}
