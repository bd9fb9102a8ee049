package dev.millrace.sinkpool;

import static dev.millrace.sinkpool.Shard.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.breaker.ReplicaView.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the machine makes of attempts: their deadlines, outcomes and repeats.
final class AttemptTest {
    private static final Failure REFUSAL = new Failure("469", "violates a constraint", false);

    private static Shard small(int replicas) {
        return new Shard(s -> {
            s.replicas = replicas;
            s.maxRows = 10;
        });
    }

    private static ShardCommand.StartAttempt next(Shard shard) {
        Step step;
        do step = shard.tickWhenDue();
        while (step.started().isEmpty());
        return step.start();
    }

    @Test
    @Tag("WRT-1")
    void anAttemptAtItsDeadlineIsCancelledCountsAsFailedAndIsRetried() {
        var shard = small(2);
        var start = shard.fullBatch(0).start();
        assertThat(start.deadlineNanos()).isEqualTo(shard.nanosAt(30_000));
        assertThat(shard.atNanos(shard.nanosAt(30_000) - 1)
                        .on(new ShardEvent.Tick())
                        .commands())
                .isEmpty();
        var step = shard.tickAt(30_000);
        assertThat(step.cancelled()).containsExactly(start.attempt());
        assertThat(step.settled()).isEmpty();
        assertThat(shard.counts.attempts(ShardCounts.Attempt.TIMED_OUT)).isOne();
        var failure = shard.view().held().getFirst().failure();
        assertThat(failure).isEqualTo(new Failure("timeout", "no answer in 30000 ms", true));
        var again = next(shard);
        assertThat(again.replica()).isNotEqualTo(start.replica());
        shard.written(again);
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-1")
    void aLateOutcomeIsCountedAndChangesNothing() {
        var shard = small(1);
        var start = shard.fullBatch(0).start();
        shard.tickAt(30_000);
        var again = next(shard);
        assertThat(shard.written(start).commands()).as("a late success").isEmpty();
        assertThat(shard.counts.lateOutcomes()).isOne();
        assertThat(shard.counts.rowsWritten()).isZero();
        assertThat(shard.view().unfinished()).isZero();
        assertThat(shard.written(start).commands()).as("the same a second time").isEmpty();
        assertThat(shard.counts.lateOutcomes()).isOne();
        assertThat(shard.written(again).endings()).containsExactly(Ending.WRITTEN);
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-1")
    void aLateOutcomeAfterTheBatchWasWrittenChangesNothing() {
        var shard = small(1);
        var start = shard.fullBatch(0).start();
        shard.tickAt(30_000);
        shard.written(next(shard));
        assertThat(shard.end(start.attempt(), new WriteOutcome.Refused(REFUSAL, 0))
                        .commands())
                .isEmpty();
        assertThat(shard.lost(start.attempt()).commands()).isEmpty();
        assertThat(shard.counts.rowsWritten()).isEqualTo(10);
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-1")
    void anOutcomeAndTheDeadlineAtOneInstantCountAsTheOutcome() {
        var shard = small(1);
        var start = shard.fullBatch(0).start();
        var step = shard.at(30_000).written(start);
        assertThat(step.cancelled()).isEmpty();
        assertThat(step.endings()).containsExactly(Ending.WRITTEN);
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-2")
    void retriesDoubleFromTheFirstStepToTheCap() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.jitter = 0;
            s.failures = 1000;
        });
        var start = shard.fullBatch(0).start();
        var sleeps = new ArrayList<Long>();
        for (var i = 0; i < 10; i++) {
            shard.sick(start);
            sleeps.add(shard.view().sleepNanos() / MS);
            start = shard.tickWhenDue().start();
        }
        assertThat(sleeps).containsExactly(100L, 200L, 400L, 800L, 1600L, 3200L, 6400L, 10_000L, 10_000L, 10_000L);
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-2")
    void jitterIsAppliedAfterTheCapAndStaysWithinItsShare() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.failures = 1_000_000;
        });
        var start = shard.fullBatch(0).start();
        var sleeps = new ArrayList<Long>();
        for (var i = 0; i < 300; i++) {
            shard.sick(start);
            sleeps.add(shard.view().sleepNanos());
            start = shard.tickWhenDue().start();
        }
        var capped = sleeps.subList(10, sleeps.size());
        assertThat(capped).allMatch(sleep -> sleep >= 8000 * MS && sleep <= 12_000 * MS);
        assertThat(capped).anyMatch(sleep -> sleep > 11_000 * MS).anyMatch(sleep -> sleep < 9000 * MS);
        assertThat(capped.stream().distinct().count())
                .as("they do not line up at the cap")
                .isGreaterThan(280);
        assertThat(sleeps.getFirst()).isBetween(80 * MS, 120 * MS);
        shard.written(start);
        assertThat(shard.counts.attempts(ShardCounts.Attempt.UNAVAILABLE))
                .as("unlimited")
                .isEqualTo(300);
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-2")
    void aRetryPrefersAnotherReplicaThanTheOneThatFailed() {
        var shard = small(3);
        var start = shard.fullBatch(0).start();
        for (var round = 0; round < 6; round++) {
            shard.sick(start);
            var again = next(shard);
            assertThat(again.replica()).isNotEqualTo(start.replica());
            start = again;
            if (round == 2) shard.written(shard.fullBatch(1).start());
        }
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-2")
    void aRetryPassesOverTheReplicaThatFailedThoughItIsItsTurn() {
        var shard = small(2);
        var start = shard.fullBatch(0).start();
        var other = shard.fullBatch(1).start();
        assertThat(other.replica()).isNotEqualTo(start.replica());
        shard.sick(start);
        shard.written(other);
        var again = next(shard);
        assertThat(again.replica()).isEqualTo(other.replica());
        shard.written(again);
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-2")
    void anySuccessOfTheShardStartsTheLadderAfresh() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.jitter = 0;
            s.failures = 1000;
        });
        var start = shard.fullBatch(0).start();
        for (var i = 0; i < 5; i++) {
            shard.sick(start);
            start = shard.tickWhenDue().start();
        }
        shard.written(shard.fullBatch(1).start());
        shard.sick(start);
        assertThat(shard.view().sleepNanos()).isEqualTo(100 * MS);
        shard.written(shard.tickWhenDue().start());
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-3")
    void unavailableIsRetriedAndSaysWhetherItMayHaveStored() {
        for (var mayHaveStored : new boolean[] {true, false}) {
            var shard = small(1);
            var start = shard.fullBatch(0).start();
            assertThat(shard.end(start.attempt(), Shard.sick(mayHaveStored)).settled())
                    .isEmpty();
            shard.drainBy(10);
            var ending = mayHaveStored ? Ending.IN_DOUBT : Ending.ABANDONED;
            assertThat(shard.tickAt(10).endings()).containsExactly(ending);
            shard.assertAtRest();
        }
    }

    @Test
    @Tag("WRT-3")
    void aConflictThatIsNobodysFaultIsRetriedAndOpensNoReplica() {
        var shard = small(1);
        var start = shard.fullBatch(0).start();
        for (var i = 0; i < 10; i++) {
            shard.end(
                    start.attempt(),
                    new WriteOutcome.Unavailable(
                            new Failure("40001", "serialization", false), new WriteOutcome.Blame.Nobody()));
            start = shard.tickWhenDue().start();
        }
        assertThat(shard.view().replicas().getFirst().state().phase()).isEqualTo(Phase.CLOSED);
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-3")
    void whatAPersonMustMendIsHeldWholeLoudAndRetriedAtTheLongestStep() {
        var stored = new Failure(REFUSAL.code(), REFUSAL.message(), true);
        var held = List.<WriteOutcome>of(
                new WriteOutcome.Refused(stored, 4),
                new WriteOutcome.TooLarge(stored),
                new WriteOutcome.Misconfigured(REFUSAL));
        for (var outcome : held) {
            var shard = new Shard(s -> {
                s.maxRows = 10;
                s.jitter = 0;
            });
            var start = shard.fullBatch(0).start();
            var first = shard.end(start.attempt(), outcome);
            assertThat(first.told(ShardNote.Blocked.class))
                    .extracting(note -> note.failure().code())
                    .containsExactly(REFUSAL.code());
            assertThat(shard.view().blocked()).isTrue();
            assertThat(shard.view().sleepNanos()).isEqualTo(10_000 * MS);
            for (var i = 0; i < 5; i++) {
                start = shard.tickWhenDue().start();
                var again = shard.end(start.attempt(), outcome);
                assertThat(again.told(ShardNote.Blocked.class)).as("told once").isEmpty();
                assertThat(again.settled()).as("nothing is dropped").isEmpty();
            }
            shard.written(shard.tickWhenDue().start());
            assertThat(shard.view().blocked()).isFalse();
            shard.assertAtRest();
        }
    }

    @Test
    @Tag("WRT-3")
    void eachOutcomeIsCountedUnderItsName() {
        var shard = small(1);
        var start = shard.fullBatch(0).start();
        var nobody = new WriteOutcome.Blame.Nobody();
        var stored = new Failure(REFUSAL.code(), REFUSAL.message(), true);
        shard.end(start.attempt(), new WriteOutcome.Refused(stored, -1));
        shard.end(next(shard).attempt(), new WriteOutcome.TooLarge(stored));
        shard.end(next(shard).attempt(), new WriteOutcome.Misconfigured(REFUSAL));
        shard.end(next(shard).attempt(), new WriteOutcome.Unavailable(REFUSAL, new WriteOutcome.Blame.Overload(0)));
        shard.end(next(shard).attempt(), new WriteOutcome.Unavailable(REFUSAL, nobody));
        shard.lost(next(shard).attempt());
        start = next(shard);
        shard.end(start.attempt(), new WriteOutcome.Written(6, 4));
        for (var how : List.of(
                ShardCounts.Attempt.REFUSED,
                ShardCounts.Attempt.TOO_LARGE,
                ShardCounts.Attempt.MISCONFIGURED,
                ShardCounts.Attempt.OVERLOADED,
                ShardCounts.Attempt.UNAVAILABLE,
                ShardCounts.Attempt.LOST,
                ShardCounts.Attempt.WRITTEN)) {
            assertThat(shard.counts.attempts(how)).as("%s", how).isOne();
        }
        assertThat(shard.counts.attemptsOf(0)).isEqualTo(7);
        assertThat(shard.counts.failuresOf(0)).isEqualTo(6);
        assertThat(shard.counts.rowsWritten()).isEqualTo(10);
        assertThat(shard.counts.rowsDuplicate()).isEqualTo(4);
        assertThat(shard.counts.rowsWrittenTo(0)).isEqualTo(10);
        assertThat(shard.counts.batchesWritten()).isOne();
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-4")
    void aReceiptThatDoesNotAddUpIsAFailedAttempt() {
        for (var receipt : List.of(
                new WriteOutcome.Written(9, 0),
                new WriteOutcome.Written(10, 1),
                new WriteOutcome.Written(0, 0),
                new WriteOutcome.Written(Long.MAX_VALUE, Long.MAX_VALUE))) {
            var shard = small(1);
            var start = shard.fullBatch(0).start();
            var step = shard.end(start.attempt(), receipt);
            assertThat(step.settled()).isEmpty();
            var failure = Objects.requireNonNull(shard.view().held().getFirst().failure());
            assertThat(failure.code()).isEqualTo("receipt");
            assertThat(failure.mayHaveStored()).isTrue();
            assertThat(shard.counts.attempts(ShardCounts.Attempt.WRITTEN)).isZero();
            assertThat(shard.written(next(shard)).endings()).containsExactly(Ending.WRITTEN);
            shard.assertAtRest();
        }
    }

    @Test
    @Tag("WRT-4")
    void aReceiptCannotBeNegative() {
        assertThatThrownBy(() -> new WriteOutcome.Written(-1, 11))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
        assertThatThrownBy(() -> new WriteOutcome.Written(11, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Tag("WRT-4")
    void aSinkThatCountsNothingIsBelieved() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.countsRows = false;
        });
        var step = shard.end(shard.fullBatch(0).start().attempt(), new WriteOutcome.Written(0, 0));
        assertThat(step.endings()).containsExactly(Ending.WRITTEN);
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-5")
    void anAttemptThatEndsWithoutAnOutcomeFailsAloneAndItsBatchIsWrittenOnce() {
        var shard = small(1);
        var first = shard.fullBatch(0).start();
        var second = shard.fullBatch(1).start();
        assertThat(shard.lost(first.attempt()).settled()).isEmpty();
        assertThat(shard.written(second).endings()).containsExactly(Ending.WRITTEN);
        for (var i = 0; i < 10; i++) shard.lost(next(shard).attempt());
        assertThat(shard.view().replicas().getFirst().state().phase())
                .as("nothing was said of the replica")
                .isEqualTo(Phase.CLOSED);
        assertThat(shard.written(next(shard)).endings()).containsExactly(Ending.WRITTEN);
        assertThat(shard.counts.rowsWritten()).isEqualTo(20);
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-6")
    void aFailedAttemptOfOneShardDelaysNoOther() {
        var source = new Source();
        var sick = new Shard(s -> s.maxRows = 10, source, TokenMint.perRun("a"));
        var well = new Shard(s -> s.maxRows = 10, source, TokenMint.perRun("b"));
        var ill = sick.arrive(source.chunk("orders", 0, 1, 0, 10, 20, sick.nanosAt(0)))
                .start();
        for (var ms = 0; ms < 100; ms++) {
            sick.at(ms).sick(ill);
            well.at(ms);
            var start = well.arrive(source.chunk("orders", 1, 1, 10L * ms, 10, 20, well.nanosAt(ms)))
                    .start();
            assertThat(well.written(start).endings()).containsExactly(Ending.WRITTEN);
        }
        sick.written(next(sick));
        source.assertNothingLeaks();
    }

    @Test
    @Tag("WRT-7")
    void theNextBatchIsStartedBeforeTheLastOneIsSettled() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 1;
        });
        var first = shard.fullBatch(0).start();
        shard.fullBatch(1);
        var commands = shard.written(first).commands().stream()
                .filter(command -> !(command instanceof ShardCommand.Tell))
                .toList();
        assertThat(commands).hasSize(2);
        assertThat(commands.getFirst()).isInstanceOf(ShardCommand.StartAttempt.class);
        assertThat(commands.getLast()).isInstanceOf(ShardCommand.Settle.class);
        shard.written((ShardCommand.StartAttempt) commands.getFirst());
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-9")
    void bytesStayAsTheyWereWhileAnAttemptThatHasThemGoesOn() {
        var shard = small(1);
        var start = shard.fullBatch(0).start();
        var bytes = Bytes.sent(start.rows());
        var slab = start.rows().slices().getFirst().chunk().array();
        shard.tickAt(30_000);
        shard.written(next(shard));
        assertThat(shard.view().unfinished())
                .as("the first attempt still holds the bytes of a settled batch")
                .isOne();
        var arrays = new ArrayList<byte[]>();
        for (var i = 1; i < 200; i++) {
            var chunk = shard.rows(10L * i, 10);
            arrays.add(chunk.array());
            shard.written(shard.arrive(chunk).start());
        }
        assertThat(arrays.getFirst())
                .as("later chunks are cut from the same slab")
                .isSameAs(slab);
        assertThat(Bytes.sent(start.rows())).isEqualTo(bytes);
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-10")
    void aReplicaWithTooManyAttemptsThatDoNotEndIsNotEligibleUntilOneEnds() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 2;
            s.failures = 1000;
        });
        var stuck = new ArrayList<ShardCommand.StartAttempt>();
        stuck.add(shard.fullBatch(0).start());
        stuck.add(shard.fullBatch(1).start());
        while (stuck.size() < 4) stuck.addAll(shard.tickWhenDue().started());
        shard.at(100_000).on(new ShardEvent.Tick());
        assertThat(shard.view().unfinished()).isEqualTo(4);
        assertThat(shard.view().replicas().getFirst().state().unfinished()).isTrue();
        assertThat(shard.view().usable()).isFalse();
        for (var i = 0; i < 10; i++)
            assertThat(shard.tickWhenDue().started()).as("it waits").isEmpty();
        var both = shard.written(stuck.getFirst()).started();
        assertThat(both).as("both start at once").hasSize(2);
        assertThat(shard.view().unfinished()).isEqualTo(3);
        both.forEach(shard::written);
        stuck.subList(1, 4).forEach(shard::sick);
        assertThat(shard.view().unfinished()).isZero();
        assertThat(shard.counts.lateOutcomes()).isEqualTo(4);
        shard.assertAtRest();
    }

    @Test
    @Tag("WRT-10")
    void theBoundIsOfOneReplicaTheOtherCarriesOn() {
        var shard = new Shard(s -> {
            s.replicas = 2;
            s.maxRows = 10;
            s.maxInFlight = 1;
            s.failures = 1000;
        });
        var start = shard.fullBatch(0).start();
        var cancelled = new int[2];
        while (cancelled[0] < 2) {
            var ended = shard.tickWhenDue();
            if (!ended.cancelled().isEmpty()) cancelled[start.replica()]++;
            if (!ended.started().isEmpty()) start = ended.start();
        }
        shard.written(next(shard));
        for (var i = 1; i < 6; i++) {
            var one = shard.fullBatch(i).start();
            assertThat(one.replica()).as("the other").isOne();
            shard.written(one);
        }
        shard.assertAtRest();
    }

    @Test
    @Tag("CFG-11")
    void atMaxAttemptsTheRangeFailsAndTheWatermarkStandsBeforeIt() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxAttempts = 3;
            s.maxInFlight = 3;
        });
        shard.written(shard.fullBatch(0).start());
        var start = shard.fullBatch(1).start();
        shard.written(shard.fullBatch(2).start());
        shard.end(start.attempt(), Shard.sick(false));
        shard.end(next(shard).attempt(), Shard.sick(false));
        var last = shard.end(next(shard).attempt(), Shard.sick(false));
        assertThat(last.endings()).containsExactly(Ending.ABANDONED);
        assertThat(last.told(ShardNote.GaveUp.class)).hasSize(1);
        assertThat(last.told(ShardNote.GaveUp.class).getFirst().attempts()).isEqualTo(3);
        assertThat(shard.source.watermark("orders", 0, 1)).isEqualTo(10);
        assertThat(shard.source.tracker("orders", 0, 1).stalled()).isTrue();
        shard.assertAtRest();
    }

    @Test
    @Tag("CFG-11")
    void aBatchGivenUpAtMaxAttemptsAfterAnUnknownOutcomeIsInDoubt() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxAttempts = 2;
        });
        shard.fullBatch(0);
        shard.tickAt(30_000);
        assertThat(shard.sick(next(shard)).endings()).containsExactly(Ending.IN_DOUBT);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-7")
    void aBatchGivenUpFreesItsPermitForTheNextInTheSameStep() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxAttempts = 1;
            s.maxInFlight = 1;
        });
        var starts = IntStream.range(0, 3)
                .mapToObj(shard::fullBatch)
                .flatMap(step -> step.started().stream())
                .toList();
        var second = shard.sick(starts.getFirst()).start();
        var third = shard.sick(second).start();
        shard.written(third);
        shard.assertAtRest();
    }
}
