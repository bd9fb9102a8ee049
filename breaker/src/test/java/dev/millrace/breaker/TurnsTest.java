package dev.millrace.breaker;

import static dev.millrace.breaker.Driven.ANY;
import static dev.millrace.breaker.Driven.HOUR;
import static dev.millrace.breaker.Driven.MS;
import static dev.millrace.breaker.Driven.PLAIN;
import static dev.millrace.breaker.Driven.SECOND;
import static dev.millrace.breaker.Driven.only;
import static dev.millrace.breaker.Driven.rather;
import static dev.millrace.breaker.Driven.settings;
import static dev.millrace.breaker.ReplicaView.Phase.CLOSED;
import static dev.millrace.breaker.Verdict.HEALTHY;
import static dev.millrace.breaker.Verdict.OVERLOADED;
import static dev.millrace.breaker.Verdict.SICK;
import static dev.millrace.breaker.Verdict.UNTRIED;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How the load comes back to a replica that closed again.
@Tag("BRK-13")
class TurnsTest {
    private static Driven closedAgain(int replicas, int replica) {
        Driven shard = new Driven(replicas, PLAIN).halfOpen(replica);
        shard.write(replica, HEALTHY);
        assertThat(shard.phase(replica)).isEqualTo(CLOSED);
        return shard;
    }

    private static long of(Driven shard, int replica, int grants) {
        return shard.rotation(grants).stream().filter(seen -> seen == replica).count();
    }

    /// One step up: its time passes, and a write succeeds.
    private static void step(Driven shard, int replica) {
        shard.pass(5 * SECOND).write(replica, HEALTHY);
    }

    @Test
    void fromTheStartEveryReplicaTakesAllItsTurns() {
        Driven shard = new Driven(2, PLAIN);
        assertThat(shard.view(0).oneTurnIn()).isOne();
        assertThat(shard.view(1).oneTurnIn()).isOne();
    }

    @Test
    void aReplicaThatClosedAgainTakesOneTurnIn16ThenIn8In4In2ThenAll() {
        Driven shard = closedAgain(2, 0);
        for (int oneIn = 16; oneIn > 1; oneIn /= 2) {
            assertThat(shard.view(0).oneTurnIn()).isEqualTo(oneIn);
            assertThat(of(shard, 0, 10 * (oneIn + 1))).as("one in %s", oneIn).isEqualTo(10);
            step(shard, 0);
        }
        assertThat(shard.view(0).oneTurnIn()).isOne();
        assertThat(of(shard, 0, 10)).isEqualTo(5);
    }

    @Test
    void theOthersShareWhatItPassesOn() {
        Driven shard = closedAgain(3, 1);
        assertThat(of(shard, 1, 33)).isOne();
        assertThat(of(shard, 0, 33)).isEqualTo(16);
        assertThat(of(shard, 1, 33)).isOne();
        assertThat(of(shard, 2, 33)).isEqualTo(16);
    }

    @Test
    void aStepTakesItsTimeHoweverManyWritesSucceed() {
        Driven shard = closedAgain(2, 0).pass(5 * SECOND - 1);
        for (int i = 0; i < 1_000; i++) shard.write(0, HEALTHY);
        assertThat(shard.view(0).oneTurnIn()).isEqualTo(16);
        shard.pass(1).write(0, HEALTHY);
        assertThat(shard.view(0).oneTurnIn()).isEqualTo(8);
        shard.write(0, HEALTHY);
        assertThat(shard.view(0).oneTurnIn()).isEqualTo(8);
    }

    @Test
    void aStepNeedsAWriteThatSucceedsHoweverMuchTimePasses() {
        Driven shard = closedAgain(2, 0).pass(HOUR);
        shard.tick();
        shard.write(0, UNTRIED);
        shard.write(0, OVERLOADED);
        assertThat(shard.view(0).oneTurnIn()).isEqualTo(16);
        shard.write(0, HEALTHY);
        assertThat(shard.view(0).oneTurnIn())
                .as("one step, whatever time went by")
                .isEqualTo(8);
    }

    @Test
    void aFailureBeginsTheStepsAnew() {
        Driven shard = closedAgain(2, 0);
        step(shard, 0);
        step(shard, 0);
        shard.write(0, SICK);
        assertThat(shard.phase(0)).isEqualTo(CLOSED);
        assertThat(shard.view(0).oneTurnIn()).isEqualTo(16);
        shard.pass(5 * SECOND - 1).write(0, HEALTHY);
        assertThat(shard.view(0).oneTurnIn()).as("the time too").isEqualTo(16);
    }

    @Test
    void aSlowWriteThatSucceedsBeginsTheStepsAnew() {
        Driven shard = new Driven(
                        1, new BreakerSettings(3, 3, 100, 100 * MS, 100, 5 * SECOND, 60 * SECOND, 1, 5 * SECOND))
                .halfOpen(0);
        shard.write(0, HEALTHY);
        step(shard, 0);
        Permit slow = shard.granted(ANY);
        shard.pass(100 * MS + 1).report(slow, HEALTHY);
        assertThat(shard.view(0).oneTurnIn()).isEqualTo(16);
    }

    @Test
    void onceItIsFullyBackAFailureCostsNoTurn() {
        Driven shard = closedAgain(2, 0);
        for (int i = 0; i < 4; i++) step(shard, 0);
        shard.write(0, SICK);
        assertThat(shard.view(0).oneTurnIn()).isOne();
    }

    @Test
    void anOpeningInTheStepsBeginsThemAnewWhenItCloses() {
        Driven shard = closedAgain(2, 0);
        step(shard, 0);
        shard.halfOpen(0).write(0, HEALTHY);
        assertThat(shard.view(0).oneTurnIn()).isEqualTo(16);
    }

    @Test
    void aReplicaAloneTakesAllAtOnce() {
        Driven alone = closedAgain(1, 0);
        assertThat(of(alone, 0, 10)).isEqualTo(10);

        Driven left = closedAgain(2, 0).open(1);
        assertThat(of(left, 0, 10)).isEqualTo(10);

        Driven beside = closedAgain(2, 0);
        beside.set.unfinished(1, true);
        assertThat(of(beside, 0, 10)).isEqualTo(10);
    }

    @Test
    void replicasThatCameBackTogetherShareAlike() {
        Driven shard = new Driven(2, PLAIN).open(0).open(1).pass(5 * SECOND);
        shard.write(0, HEALTHY);
        assertThat(of(shard, 0, 10)).as("the sibling is still half-open").isEqualTo(10);
        shard.write(1, HEALTHY);
        assertThat(shard.rotation(6)).containsExactlyInAnyOrder(0, 1, 0, 1, 0, 1);
    }

    @Test
    void besideASiblingThatIsFurtherTheOneBehindStillTakesLittle() {
        Driven shard = closedAgain(2, 0);
        step(shard, 0);
        step(shard, 0);
        shard.halfOpen(1).write(1, HEALTHY);
        assertThat(shard.view(0).oneTurnIn()).isEqualTo(4);
        assertThat(of(shard, 1, 34)).isEqualTo(2);
    }

    @Test
    @Tag("WRT-2")
    void aRetryThatWantsAnotherGetsItWhateverItsStep() {
        Driven shard = closedAgain(2, 0);
        for (int i = 0; i < 5; i++)
            assertThat(shard.granted(rather(1)).replica()).isZero();
        shard.open(0);
        assertThat(shard.granted(rather(1)).replica()).isEqualTo(1);
        assertThat(shard.granted(only(1)).replica()).isEqualTo(1);
    }

    @Test
    void theTimeOfAStepIsBounded() {
        for (long openNanos : new long[] {0, SECOND, 30 * SECOND, HOUR}) {
            Driven shard = new Driven(2, settings(1, openNanos, openNanos, 1)).halfOpen(0);
            shard.write(0, HEALTHY);
            long least = Math.clamp(openNanos, 5 * SECOND, 30 * SECOND);
            shard.pass(least - 1).write(0, HEALTHY);
            assertThat(shard.view(0).oneTurnIn()).isEqualTo(16);
            for (int step = 0; step < 4; step++) shard.pass(least).write(0, HEALTHY);
            assertThat(shard.view(0).oneTurnIn()).isOne();
        }
    }

    @Test
    @Tag("BRK-12")
    void anOverloadAnswerIsContactAndNeverSlow() {
        BreakerSettings slow = new BreakerSettings(3, 3, 100, 100 * MS, 100, 5 * SECOND, 60 * SECOND, 1, 5 * SECOND);
        Driven shard = new Driven(1, slow);
        for (int i = 0; i < 20; i++) {
            Permit permit = shard.granted(ANY);
            assertThat(shard.pass(SECOND).report(permit, OVERLOADED)).isFalse();
        }
        assertThat(shard.phase(0)).isEqualTo(CLOSED);
        shard.write(0, SICK);
        shard.write(0, SICK);
        shard.write(0, OVERLOADED);
        shard.write(0, SICK);
        shard.write(0, SICK);
        assertThat(shard.phase(0)).as("it ends a streak of failures").isEqualTo(CLOSED);
        shard.halfOpen(0).write(0, OVERLOADED);
        assertThat(shard.phase(0)).as("a probe that it answers is contact").isEqualTo(CLOSED);
    }
}
