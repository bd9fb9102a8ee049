package dev.millrace.sinkpool;

import static dev.millrace.sinkpool.Shard.MS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.breaker.ReplicaView.Phase;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a shard does while its sink says that it is overloaded.
@Tag("BRK-12")
final class OverloadTest {
    private static final WriteOutcome OVERLOAD = overload(0);

    private static WriteOutcome overload(long retryAfterMs) {
        return new WriteOutcome.Unavailable(
                new Failure("252", "too many parts", false), new WriteOutcome.Blame.Overload(retryAfterMs * MS));
    }

    private static Shard shard(int maxInFlight) {
        return new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = maxInFlight;
            s.jitter = 0;
        });
    }

    private static List<ShardCommand.StartAttempt> started(Shard shard, int batches) {
        var out = new ArrayList<ShardCommand.StartAttempt>();
        for (var i = 0; i < batches; i++) out.addAll(shard.fullBatch(i).started());
        return out;
    }

    /// Writes what is out, and what then starts, until the shard is at rest.
    private static int writeAll(Shard shard, List<ShardCommand.StartAttempt> out) {
        var queue = new ArrayDeque<>(out);
        var written = 0;
        while (!shard.view().held().isEmpty() || !queue.isEmpty()) {
            while (!queue.isEmpty()) {
                queue.addAll(shard.written(queue.removeFirst()).started());
                written++;
            }
            if (!shard.view().held().isEmpty()) queue.addAll(shard.tickWhenDue().started());
        }
        return written;
    }

    /// So many batches one after the other that are answered so.
    private static Step answers(Shard shard, int batches, long from, WriteOutcome outcome) {
        for (var i = 0; i < batches - 1; i++)
            shard.end(shard.fullBatch(from + i).start().attempt(), outcome);
        return shard.end(shard.fullBatch(from + batches - 1).start().attempt(), outcome);
    }

    private static final WriteOutcome WRITTEN = new WriteOutcome.Written(10, 0);

    @Test
    void anOverloadAnswerHalvesHowManyBatchesAreOnTheirWayDownToOne() {
        var shard = shard(10);
        assertThat(shard.view().limit()).isEqualTo(10);
        var limits = new ArrayList<Integer>();
        var start = shard.fullBatch(0).start();
        for (var i = 0; i < 5; i++) {
            shard.end(start.attempt(), OVERLOAD);
            limits.add(shard.view().limit());
            start = shard.tickWhenDue().start();
        }
        assertThat(limits).containsExactly(5, 2, 1, 1, 1);
        writeAll(shard, List.of(start));
        shard.assertAtRest();
    }

    @Test
    void attemptsThatWereOutTogetherAndFailTogetherCountOnce() {
        var shard = shard(8);
        var out = started(shard, 8);
        for (var start : out) shard.end(start.attempt(), OVERLOAD);
        assertThat(shard.view().limit()).isEqualTo(4);
        assertThat(shard.view().lingerNanos()).isEqualTo(2000 * MS);
        assertThat(shard.counts.attempts(ShardCounts.Attempt.OVERLOADED)).isEqualTo(8);
        writeAll(shard, List.of());
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-7")
    void batchesKeepTheirPermitsButNoMoreAreWrittenThanTheLimitAllows() {
        var shard = shard(8);
        var out = started(shard, 8);
        for (var start : out) shard.end(start.attempt(), OVERLOAD);
        var again = shard.tickWhenDue().started();
        assertThat(again.stream().map(start -> start.batch().id()))
                .as("the oldest four of eight that have slept")
                .containsExactly(1L, 2L, 3L, 4L);
        assertThat(shard.fullBatch(8).started()).as("no permit for a ninth").isEmpty();
        assertThat(shard.written(again.getFirst()).start().batch().id()).isEqualTo(5);
        assertThat(shard.view().held().stream().filter(held -> held.attempts() > 0))
                .as("eight had one, one is written, and the ninth has none")
                .hasSize(7);
        shard.on(new ShardEvent.DrainBy(shard.now()));
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-5")
    void aBatchThatWaitsForTheLimitGatesIntakeAndIsNotDropped() {
        var shard = shard(2);
        var first = shard.fullBatch(0).start();
        shard.end(first.attempt(), overload(20_000));
        assertThat(shard.view().limit()).isOne();
        assertThat(shard.machine.wantsChunks()).isTrue();
        assertThat(shard.fullBatch(1).started()).isEmpty();
        assertThat(shard.machine.wantsChunks()).isFalse();
        assertThat(shard.tickAt(19_999).started())
                .as("the retry-after of the first holds the shard")
                .isEmpty();
        first = shard.tickAt(20_000).start();
        assertThat(first.batch().id()).isOne();
        assertThat(writeAll(shard, List.of(first))).isEqualTo(2);
        assertThat(shard.counts.rowsWritten()).isEqualTo(20);
        shard.assertAtRest();
    }

    @Test
    void eachOverloadDoublesTheLingerUpToEightTimes() {
        var shard = shard(1);
        var lingers = new ArrayList<Long>();
        var start = shard.fullBatch(0).start();
        for (var i = 0; i < 5; i++) {
            shard.end(start.attempt(), OVERLOAD);
            lingers.add(shard.view().lingerNanos() / MS);
            start = shard.tickWhenDue().start();
        }
        assertThat(lingers).containsExactly(2000L, 4000L, 8000L, 8000L, 8000L);
        writeAll(shard, List.of(start));
        shard.assertAtRest();
    }

    @Test
    void theLingerIsAtMostTheLongestRetryUnlessItIsSetLonger() {
        for (var linger : new long[] {0, 50, 3000, 10_000, 60_000}) {
            var shard = new Shard(s -> {
                s.linger = linger;
                s.maxRows = 10;
            });
            var start = shard.fullBatch(0).start();
            var lingers = new ArrayList<Long>();
            for (var i = 0; i < 3; i++) {
                shard.end(start.attempt(), OVERLOAD);
                lingers.add(shard.view().lingerNanos() / MS);
                start = shard.tickWhenDue().start();
            }
            switch ((int) linger) {
                case 0, 50 ->
                    assertThat(lingers).as("of the first retry's 100 ms").containsExactly(200L, 400L, 800L);
                case 3000 -> assertThat(lingers).containsExactly(6000L, 10_000L, 10_000L);
                default -> assertThat(lingers).containsOnly(linger);
            }
            writeAll(shard, List.of(start));
            shard.assertAtRest();
        }
    }

    @Test
    @Tag("SEAL-1")
    void anOpenBatchSealsWhenTheLongerLingerIsOver() {
        var shard = shard(2);
        shard.end(shard.fullBatch(0).start().attempt(), OVERLOAD);
        assertThat(shard.tickAt(100).start().batch().id()).isOne();
        shard.arrive(shard.rows(10, 3));
        assertThat(shard.tickAt(2099).sealed()).isEmpty();
        assertThat(shard.tickAt(2100).sealed()).hasSize(1);
        assertThat(shard.counts.sealedFor(SealReason.LINGER)).isOne();
        shard.drainBy(2100);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-1")
    void aLingerThatGetsShorterSealsAtOnceWhatIsOlder() {
        var shard = shard(2);
        shard.end(shard.fullBatch(0).start().attempt(), OVERLOAD);
        shard.written(shard.tickAt(100).start());
        answers(shard, 2, 1, WRITTEN);
        var fourth = shard.fullBatch(3).start();
        shard.arrive(shard.rows(40, 3));
        assertThat(shard.tickAt(1500).sealed()).isEmpty();
        var back = shard.written(fourth);
        assertThat(shard.view().lingerNanos()).isEqualTo(1000 * MS);
        assertThat(back.sealed()).hasSize(1);
        writeAll(shard, back.started());
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-5")
    void underPressureNothingLingersLongerThanItIsSet() {
        var shard = shard(2);
        shard.end(shard.fullBatch(0).start().attempt(), OVERLOAD);
        var first = shard.tickAt(100).start();
        shard.arrive(shard.rows(10, 1));
        assertThat(shard.at(599).on(new ShardEvent.Pressure()).sealed()).isEmpty();
        assertThat(shard.at(600).on(new ShardEvent.Pressure()).sealed()).hasSize(1);
        writeAll(shard, List.of(first));
        shard.assertAtRest();
    }

    @Test
    void fourOtherAnswersInARowAreOneStepBack() {
        var shard = shard(8);
        var start = shard.fullBatch(0).start();
        for (var i = 0; i < 3; i++) {
            shard.end(start.attempt(), OVERLOAD);
            start = shard.tickWhenDue().start();
        }
        assertThat(shard.view().limit()).isOne();
        shard.written(start);
        answers(shard, 2, 1, WRITTEN);
        assertThat(shard.view().limit()).isOne();
        answers(shard, 1, 3, WRITTEN);
        assertThat(shard.view().limit()).isEqualTo(2);
        assertThat(shard.view().lingerNanos()).isEqualTo(4000 * MS);
        answers(shard, 4, 4, WRITTEN);
        assertThat(shard.view().limit()).isEqualTo(3);
        assertThat(shard.view().lingerNanos()).isEqualTo(2000 * MS);
        answers(shard, 4, 8, WRITTEN);
        assertThat(shard.view().lingerNanos()).isEqualTo(1000 * MS);
        answers(shard, 16, 12, WRITTEN);
        assertThat(shard.view().limit()).isEqualTo(8);
        answers(shard, 40, 28, WRITTEN);
        assertThat(shard.view().limit()).as("as set, not more").isEqualTo(8);
        assertThat(shard.view().lingerNanos()).isEqualTo(1000 * MS);
        shard.assertAtRest();
    }

    @Test
    void anOverloadAmongTheAnswersBeginsTheirCountAnew() {
        var shard = shard(4);
        shard.end(shard.fullBatch(0).start().attempt(), OVERLOAD);
        shard.written(shard.tickWhenDue().start());
        answers(shard, 2, 1, WRITTEN);
        shard.end(shard.fullBatch(3).start().attempt(), OVERLOAD);
        assertThat(shard.view().limit()).isOne();
        shard.written(shard.tickWhenDue().start());
        answers(shard, 2, 4, WRITTEN);
        assertThat(shard.view().limit()).isOne();
        answers(shard, 1, 6, WRITTEN);
        assertThat(shard.view().limit()).isEqualTo(2);
        shard.assertAtRest();
    }

    @Test
    void whatWasUnderWayAtAnOverloadIsNoStepBack() {
        var shard = shard(8);
        var out = started(shard, 8);
        shard.end(out.getFirst().attempt(), OVERLOAD);
        for (var start : out.subList(1, 8)) shard.written(start);
        assertThat(shard.view().limit()).isEqualTo(4);
        shard.written(shard.tickWhenDue().start());
        answers(shard, 3, 8, WRITTEN);
        assertThat(shard.view().limit()).isEqualTo(5);
        shard.assertAtRest();
    }

    @Test
    void aRefusalIsAnAnswerOfASinkThatHasTimeSoABatchThatIsHeldHoldsNoLimit() {
        var shard = shard(2);
        var start = shard.fullBatch(0).start();
        shard.end(start.attempt(), OVERLOAD);
        shard.fullBatch(1);
        for (var i = 0; i < 4; i++) {
            assertThat(shard.view().limit()).isOne();
            start = shard.tickWhenDue().start();
            var step = shard.end(
                    start.attempt(), new WriteOutcome.Misconfigured(new Failure("42501", "permission", false)));
            if (i < 3) assertThat(step.started()).isEmpty();
            else assertThat(step.start().batch().id()).isEqualTo(2);
        }
        assertThat(shard.view().limit()).isEqualTo(2);
        shard.drainBy(60_000);
        shard.tickAt(60_000);
        shard.assertAtRest();
    }

    @Test
    void aFailureThatIsNoAnswerChangesNothing() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.failures = 100;
        });
        shard.end(shard.fullBatch(0).start().attempt(), OVERLOAD);
        for (var i = 0; i < 10; i++) shard.sick(shard.tickWhenDue().start());
        shard.lost(shard.tickWhenDue().start().attempt());
        assertThat(shard.view().limit()).isOne();
        assertThat(shard.view().lingerNanos()).isEqualTo(2000 * MS);
        writeAll(shard, List.of());
        shard.assertAtRest();
    }

    @Test
    void itIsToldOnceWhenItBeginsAndOnceWhenItEnds() {
        var shard = shard(2);
        var start = shard.fullBatch(0).start();
        var began = shard.at(100).end(start.attempt(), OVERLOAD).told(ShardNote.OverloadBegan.class);
        assertThat(began).hasSize(1);
        assertThat(began.getFirst().first().code()).isEqualTo("252");
        for (var i = 0; i < 2; i++)
            assertThat(shard.end(shard.tickWhenDue().start().attempt(), OVERLOAD)
                            .told(ShardNote.OverloadBegan.class))
                    .isEmpty();
        assertThat(shard.written(shard.tickAt(5_000).start()).told(ShardNote.OverloadEnded.class))
                .isEmpty();
        answers(shard, 10, 1, WRITTEN);
        var ended = answers(shard, 1, 11, WRITTEN).told(ShardNote.OverloadEnded.class);
        assertThat(ended).containsExactly(new ShardNote.OverloadEnded(3, 4_900 * MS));
        assertThat(answers(shard, 8, 12, WRITTEN).told(ShardNote.OverloadEnded.class))
                .isEmpty();
        start = shard.fullBatch(20).start();
        assertThat(shard.end(start.attempt(), OVERLOAD).told(ShardNote.OverloadBegan.class))
                .as("another one")
                .hasSize(1);
        writeAll(shard, List.of());
        shard.assertAtRest();
    }

    @Test
    void slowOverloadAnswersEjectNoReplicaEither() {
        var shard = new Shard(s -> {
            s.replicas = 2;
            s.maxRows = 10;
            s.slow = 100;
            s.failures = 1;
        });
        var start = shard.fullBatch(0).start();
        for (var i = 0; i < 10; i++) {
            var wake = (shard.now() - shard.nanosAt(0)) / MS + 5_000;
            shard.at(wake).end(start.attempt(), OVERLOAD);
            for (var replica : shard.view().replicas())
                assertThat(replica.state().phase()).isEqualTo(Phase.CLOSED);
            start = shard.tickWhenDue().start();
        }
        writeAll(shard, List.of(start));
        shard.assertAtRest();
    }

    @Test
    @Tag("BRK-7")
    void aPingThatIsAnsweredWithAnOverloadHoldsNoBatchBack() {
        var shard = new Shard(s -> {
            s.replicas = 2;
            s.maxRows = 10;
            s.failures = 1;
        });
        shard.sick(shard.fullBatch(0).start());
        shard.written(shard.tickWhenDue().start());
        shard.at(5000);
        var step = shard.fullBatch(1);
        assertThat(shard.end(step.ping().attempt(), OVERLOAD).told(ShardNote.OverloadBegan.class))
                .isEmpty();
        assertThat(shard.view().limit()).isEqualTo(2);
        shard.written(step.start());
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-9")
    void aDrainWritesWithinTheLimitAndSealsWhatIsOpen() {
        var shard = shard(2);
        shard.end(shard.fullBatch(0).start().attempt(), OVERLOAD);
        shard.arrive(shard.rows(10, 3));
        shard.closeInput();
        assertThat(shard.drainBy(60_000).started()).as("the first still sleeps").isEmpty();
        var first = shard.tickAt(100).start();
        var second = shard.written(first).start();
        assertThat(second.rows().rows()).isEqualTo(3);
        assertThat(shard.written(second).finished()).isTrue();
        shard.assertAtRest();
    }

    @Test
    void aThrottleNeverLeavesItsBounds() {
        for (var most = 1; most <= 9; most++) {
            var max = most;
            var throttle = new Throttle(new Shard(s -> s.maxInFlight = max).setup.settings());
            var random = new SplittableRandom(most);
            var last = 0L;
            var began = 0;
            for (var i = 0; i < 10_000; i++) {
                last += random.nextInt(3);
                // Some began long ago: before a limit that is long as set again.
                var attempt = Math.max(1, last - random.nextInt(random.nextInt(10) == 0 ? 200 : 4));
                var slowed = throttle.slowed();
                if (random.nextInt(6) == 0) {
                    if (throttle.overloaded(attempt, last, i)) began++;
                } else if (throttle.answered(attempt)) began--;
                assertThat(throttle.limit()).isBetween(1, most);
                assertThat(throttle.lingerNanos()).isBetween(1000 * MS, 8000 * MS);
                assertThat(began).as("told in turn").isEqualTo(throttle.slowed() ? 1 : 0);
                if (!slowed && throttle.slowed())
                    assertThat(throttle.overloads()).isOne();
            }
        }
    }
}
