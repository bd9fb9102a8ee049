package dev.millrace.breaker;

import static dev.millrace.breaker.Driven.ANY;
import static dev.millrace.breaker.Driven.MS;
import static dev.millrace.breaker.Driven.PLAIN;
import static dev.millrace.breaker.Driven.SECOND;
import static dev.millrace.breaker.Driven.only;
import static dev.millrace.breaker.Driven.rather;
import static dev.millrace.breaker.Driven.settings;
import static dev.millrace.breaker.ReplicaView.Phase.CLOSED;
import static dev.millrace.breaker.ReplicaView.Phase.HALF_OPEN;
import static dev.millrace.breaker.ReplicaView.Phase.OPEN;
import static dev.millrace.breaker.ReplicaView.Phase.QUARANTINED;
import static dev.millrace.breaker.Verdict.HEALTHY;
import static dev.millrace.breaker.Verdict.SICK;
import static dev.millrace.breaker.Verdict.UNTRIED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a shard may do with its replicas while they fail, recover and stay silent.
class ReplicaSetTest {
    @Test
    @Tag("BRK-1")
    void closedReplicasTakeWritesInRotation() {
        assertThat(new Driven(3, PLAIN).rotation(7)).containsExactly(0, 1, 2, 0, 1, 2, 0);
    }

    @Test
    @Tag("BRK-1")
    void permitsThatAreOutDoNotHoldTheRotationUp() {
        Driven shard = new Driven(2, PLAIN);
        for (int i = 0; i < 10; i++) assertThat(shard.granted(ANY).replica()).isEqualTo(i % 2);
    }

    @Test
    @Tag("BRK-1")
    void failuresBelowTheThresholdRemoveNobody() {
        Driven shard = new Driven(2, PLAIN);
        assertThat(shard.write(0, SICK)).isFalse();
        assertThat(shard.write(0, SICK)).isFalse();
        assertThat(shard.rotation(2)).containsExactly(0, 1);
    }

    @Test
    @Tag("BRK-1")
    void aSuccessClearsAFailureStreak() {
        Driven shard = new Driven(1, PLAIN);
        for (Verdict verdict : new Verdict[] {SICK, SICK, HEALTHY, SICK, SICK, HEALTHY, SICK, SICK}) {
            shard.write(0, verdict);
            assertThat(shard.phase(0)).isEqualTo(CLOSED);
        }
        assertThat(shard.write(0, SICK)).isTrue();
        assertThat(shard.phase(0)).isEqualTo(OPEN);
    }

    @Test
    @Tag("BRK-1")
    void anotherThanTheOneThatFailedIsTakenIfAnotherIsClosed() {
        Driven shard = new Driven(2, PLAIN);
        assertThat(shard.granted(rather(0)).replica()).isEqualTo(1);
        assertThat(shard.granted(rather(0)).replica()).isEqualTo(1);
        shard.open(1);
        assertThat(shard.granted(rather(0)).replica()).isEqualTo(0);
    }

    @Test
    @Tag("BRK-2")
    void anOpenReplicaGetsNoWriteAndTheOthersCarryOn() {
        Driven shard = new Driven(3, PLAIN).open(1);
        assertThat(shard.openFor(1)).isEqualTo(5 * SECOND);
        assertThat(shard.rotation(4)).containsExactly(0, 2, 0, 2);
        assertThat(shard.set.probe(shard.now())).isNull();
        assertThat(shard.acquire(only(1))).isEqualTo(new Leave.Wait(shard.now() + 5 * SECOND));
        shard.pass(5 * SECOND - 1);
        assertThat(shard.tick()).isFalse();
        assertThat(shard.acquire(only(1))).isEqualTo(new Leave.Wait(shard.now() + 1));
    }

    @Test
    void aReplicaInQuarantineIsGrantedNothingWhateverItsBreakerSays() {
        Driven shard = new Driven(2, PLAIN);
        Permit out = shard.granted(only(0));
        assertThat(shard.set.quarantine(0, true, shard.now())).isFalse();
        assertThat(shard.phase(0)).isEqualTo(QUARANTINED);
        assertThat(shard.rotation(3)).containsExactly(1, 1, 1);
        assertThat(shard.acquire(only(0))).isEqualTo(new Leave.Wait(Long.MAX_VALUE));

        // What was on its way reports as ever, and the breaker goes on behind the quarantine.
        assertThat(shard.report(out, HEALTHY)).isFalse();
        shard.open(1).pass(5 * SECOND).tick();
        assertThat(shard.granted(ANY).replica()).as("a probe of the other").isEqualTo(1);

        assertThat(shard.set.quarantine(0, false, shard.now())).isTrue();
        assertThat(shard.phase(0)).isEqualTo(CLOSED);
        assertThat(shard.granted(ANY).replica()).isZero();
    }

    @Test
    void withEveryReplicaInQuarantineNobodyIsUsableUntilOneIsReleased() {
        Driven shard = new Driven(2, PLAIN).halfOpen(0);
        shard.set.quarantine(0, true, shard.now());
        assertThat(shard.set.probe(shard.now())).as("no probe, no ping").isNull();
        shard.set.quarantine(1, true, shard.now());
        assertThat(shard.set.usable()).isFalse();
        assertThat(shard.acquire(ANY)).isEqualTo(new Leave.Wait(Long.MAX_VALUE));
        shard.set.quarantine(1, false, shard.now());
        assertThat(shard.set.usable()).isTrue();
        shard.set.quarantine(0, false, shard.now());
        assertThat(shard.probed().replica()).isZero();
    }

    @Test
    @Tag("BRK-3")
    void aReplicaHalfOpensAtExactlyTheEndOfItsOpenTime() {
        Driven shard = new Driven(1, PLAIN).open(0);
        assertThat(shard.wakesIn()).isEqualTo(5 * SECOND);
        assertThat(shard.pass(5 * SECOND - 1).tick()).isFalse();
        assertThat(shard.pass(1).tick()).isTrue();
        assertThat(shard.phase(0)).isEqualTo(HALF_OPEN);
        assertThat(shard.tick()).isFalse();
        assertThat(shard.set.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @Tag("BRK-3")
    void atMostHalfOpenProbesAreOutAtATime() {
        Driven shard = new Driven(1, settings(3, 5 * SECOND, 60 * SECOND, 2)).halfOpen(0);
        Permit first = shard.granted(ANY);
        Permit second = shard.granted(ANY);
        assertThat(first.probe()).isTrue();
        assertThat(shard.view(0).probesOut()).isEqualTo(2);
        assertThat(shard.acquire(ANY)).isInstanceOf(Leave.WaitForProbe.class);
        assertThat(shard.report(second, UNTRIED)).isTrue();
        assertThat(shard.granted(ANY).probe()).isTrue();
        assertThat(shard.acquire(ANY)).isInstanceOf(Leave.WaitForProbe.class);
    }

    @Test
    @Tag("BRK-3")
    void oneSuccessfulProbeClosesAndOneFailedProbeReopens() {
        Driven shard = new Driven(1, settings(3, 5 * SECOND, 60 * SECOND, 3)).halfOpen(0);
        assertThat(shard.write(0, SICK)).isTrue();
        assertThat(shard.phase(0)).isEqualTo(OPEN);
        assertThat(shard.pass(shard.openFor(0)).tick()).isTrue();
        assertThat(shard.write(0, HEALTHY)).isTrue();
        assertThat(shard.phase(0)).isEqualTo(CLOSED);
        assertThat(shard.granted(ANY).probe()).isFalse();
    }

    @Test
    @Tag("BRK-3")
    void theOpenTimeDoublesWhileProbesFailAndAProbesSuccessResetsIt() {
        Driven shard = new Driven(1, PLAIN).open(0);
        for (long seconds : new long[] {5, 10, 20, 40, 60, 60, 60}) {
            assertThat(shard.openFor(0)).isEqualTo(seconds * SECOND);
            assertThat(shard.pass(seconds * SECOND).tick()).isTrue();
            shard.write(0, SICK);
        }
        assertThat(shard.view(0).openings()).isEqualTo(8);
        assertThat(shard.pass(60 * SECOND).tick()).isTrue();
        shard.write(0, HEALTHY);
        assertThat(shard.view(0).openings()).isZero();
        assertThat(shard.open(0).openFor(0)).isEqualTo(5 * SECOND);
    }

    @Test
    @Tag("BRK-3")
    void theFailuresBeforeItOpenedAreForgottenWhenItCloses() {
        Driven shard = new Driven(1, PLAIN).halfOpen(0);
        shard.write(0, HEALTHY);
        shard.write(0, SICK);
        shard.write(0, SICK);
        assertThat(shard.phase(0)).isEqualTo(CLOSED);
    }

    @Test
    @Tag("BRK-3")
    void aReplicaThatStaysDownIsProbedEverMoreRarely() {
        Driven shard = new Driven(2, PLAIN).open(0);
        int probes = 0;
        for (; shard.elapsed < 600 * SECOND; shard.pass(SECOND / 10)) {
            shard.tick();
            Permit probe = shard.set.probe(shard.now());
            if (probe == null) continue;
            probes++;
            shard.report(probe, SICK);
        }
        assertThat(probes).as("at 5, 15, 35, 75, then every 60 s").isEqualTo(12);
    }

    @Test
    @Tag("BRK-4")
    void aProbeWithoutAnOutcomeGivesItsSlotBackAndSaysNothing() {
        Driven shard = new Driven(1, PLAIN).halfOpen(0);
        for (int i = 0; i < 10; i++) {
            Permit probe = shard.granted(ANY);
            assertThat(shard.acquire(ANY)).isInstanceOf(Leave.WaitForProbe.class);
            assertThat(shard.report(probe, UNTRIED)).isTrue();
            assertThat(shard.phase(0)).isEqualTo(HALF_OPEN);
        }
        assertThat(shard.view(0).openings()).isOne();
    }

    @Test
    @Tag("BRK-4")
    void aLostProbeGivesItsSlotBackAtItsDeadline() {
        Driven shard = new Driven(1, PLAIN).halfOpen(0);
        Permit lost = shard.pass(SECOND).granted(ANY);
        assertThat(shard.acquire(ANY)).isEqualTo(new Leave.WaitForProbe(shard.now() + 5 * SECOND));
        assertThat(shard.wakesIn()).isEqualTo(5 * SECOND);
        assertThat(shard.pass(5 * SECOND - 1).tick()).isFalse();
        assertThat(shard.pass(1).tick()).isTrue();
        assertThat(shard.tick()).isFalse();
        Permit next = shard.granted(ANY);
        assertThat(next.probe()).isTrue();
        assertThat(next.id()).isNotEqualTo(lost.id());
    }

    @Test
    @Tag("BRK-4")
    void aProbeThatAnswersAfterItsDeadlineChangesNothing() {
        for (Verdict verdict : Verdict.values()) {
            Driven shard = new Driven(1, PLAIN).halfOpen(0);
            Permit late = shard.granted(ANY);
            assertThat(shard.pass(5 * SECOND).tick()).isTrue();
            shard.granted(ANY);
            assertThat(shard.report(late, verdict)).isFalse();
            assertThat(shard.phase(0)).isEqualTo(HALF_OPEN);
            assertThat(shard.view(0).probesOut())
                    .as("slots out after a late %s", verdict)
                    .isOne();
        }
    }

    @Test
    @Tag("BRK-4")
    void aTimedOutProbeReportedBeforeTheTickCounts() {
        Driven shard = new Driven(1, PLAIN).halfOpen(0);
        Permit probe = shard.granted(ANY);
        assertThat(shard.pass(5 * SECOND).report(probe, SICK)).isTrue();
        assertThat(shard.openFor(0)).isEqualTo(10 * SECOND);
    }

    @Test
    @Tag("BRK-4")
    void aWriteWithoutAnOutcomeRecordsNothing() {
        Driven shard = new Driven(1, PLAIN);
        shard.write(0, SICK);
        shard.write(0, SICK);
        assertThat(shard.write(0, UNTRIED)).isFalse();
        assertThat(shard.phase(0)).isEqualTo(CLOSED);
        assertThat(shard.write(0, SICK)).as("the streak was not broken either").isTrue();
    }

    @Test
    @Tag("BRK-5")
    void aLateSuccessFromBeforeItOpenedNeitherClosesNorFreesASlot() {
        Driven shard = new Driven(1, PLAIN);
        Permit[] early = {shard.granted(ANY), shard.granted(ANY), shard.granted(ANY)};
        shard.open(0);
        assertThat(shard.report(early[0], HEALTHY)).isFalse();
        assertThat(shard.phase(0)).isEqualTo(OPEN);
        shard.pass(5 * SECOND).tick();
        Permit probe = shard.granted(ANY);
        assertThat(shard.report(early[1], HEALTHY)).isFalse();
        assertThat(shard.report(early[2], UNTRIED)).isFalse();
        assertThat(shard.phase(0)).isEqualTo(HALF_OPEN);
        assertThat(shard.acquire(ANY)).isInstanceOf(Leave.WaitForProbe.class);
        assertThat(shard.report(probe, HEALTHY)).isTrue();
        assertThat(shard.phase(0)).isEqualTo(CLOSED);
    }

    @Test
    @Tag("BRK-5")
    void aLateFailureFromBeforeItOpenedNeitherReopensNorCounts() {
        Driven shard = new Driven(1, PLAIN);
        Permit[] early = {shard.granted(ANY), shard.granted(ANY), shard.granted(ANY), shard.granted(ANY)};
        shard.halfOpen(0);
        assertThat(shard.report(early[0], SICK)).isFalse();
        assertThat(shard.phase(0)).isEqualTo(HALF_OPEN);
        shard.write(0, HEALTHY);
        for (int i = 1; i < early.length; i++)
            assertThat(shard.report(early[i], SICK)).isFalse();
        assertThat(shard.phase(0)).isEqualTo(CLOSED);
    }

    @Test
    @Tag("BRK-5")
    void aProbeOfAnEarlierHalfOpenStayChangesNothing() {
        for (Verdict verdict : Verdict.values()) {
            Driven shard = new Driven(1, settings(3, 5 * SECOND, 60 * SECOND, 2)).halfOpen(0);
            Permit earlier = shard.granted(ANY);
            shard.write(0, SICK);
            assertThat(shard.pass(10 * SECOND).tick()).isTrue();
            shard.granted(ANY);
            shard.granted(ANY);
            assertThat(shard.report(earlier, verdict)).isFalse();
            assertThat(shard.phase(0)).isEqualTo(HALF_OPEN);
            assertThat(shard.acquire(ANY)).isInstanceOf(Leave.WaitForProbe.class);
        }
    }

    @Test
    @Tag("BRK-5")
    void aPermitReportedTwiceCountsOnce() {
        Driven shard = new Driven(1, PLAIN);
        Permit once = shard.granted(ANY);
        for (int i = 0; i < 5; i++) shard.report(once, SICK);
        assertThat(shard.phase(0)).isEqualTo(CLOSED);

        shard.halfOpen(0);
        Permit probe = shard.granted(ANY);
        assertThat(shard.report(probe, UNTRIED)).isTrue();
        shard.granted(ANY);
        assertThat(shard.report(probe, UNTRIED)).isFalse();
        assertThat(shard.report(probe, HEALTHY)).isFalse();
        assertThat(shard.acquire(ANY)).isInstanceOf(Leave.WaitForProbe.class);
    }

    @Test
    @Tag("BRK-5")
    void everyChangeOfPhaseIsAnEpisodeSoThatEachIsToldOnce() {
        Driven shard = new Driven(1, PLAIN);
        assertThat(shard.view(0).episode()).isZero();
        assertThat(shard.open(0).view(0).episode()).isEqualTo(1);
        assertThat(shard.pass(5 * SECOND).tick()).isTrue();
        assertThat(shard.view(0).episode()).isEqualTo(2);
        assertThat(shard.write(0, HEALTHY)).isTrue();
        assertThat(shard.view(0).episode()).isEqualTo(3);
        assertThat(shard.view(0).phaseBeganNanos()).isEqualTo(shard.now());
    }

    @Test
    @Tag("BRK-6")
    void withEveryReplicaOpenTheEarliestProbeTimeIsTold() {
        Driven shard =
                new Driven(3, PLAIN).open(2).pass(SECOND).open(0).pass(SECOND).open(1);
        assertThat(shard.acquire(ANY)).isEqualTo(new Leave.Wait(shard.now() + 3 * SECOND));
        assertThat(shard.acquire(rather(2))).isEqualTo(new Leave.Wait(shard.now() + 3 * SECOND));
        assertThat(shard.acquire(only(1))).isEqualTo(new Leave.Wait(shard.now() + 5 * SECOND));
        assertThat(shard.wakesIn()).isEqualTo(3 * SECOND);
        shard.pass(3 * SECOND);
        assertThat(shard.tick()).isTrue();
        assertThat(shard.granted(ANY).replica()).isEqualTo(2);
    }

    @Test
    @Tag("BRK-6")
    void withAllProbesOutAnOutcomeOrTheEarliestInstantIsAwaited() {
        Driven shard = new Driven(2, PLAIN).open(0).pass(3 * SECOND).open(1).pass(2 * SECOND);
        shard.tick();
        Permit probe = shard.granted(ANY);
        assertThat(shard.acquire(ANY))
                .as("the sibling opens up in 3 s, the probe's deadline is in 5 s")
                .isEqualTo(new Leave.WaitForProbe(shard.now() + 3 * SECOND));
        assertThat(shard.acquire(only(0))).isEqualTo(new Leave.WaitForProbe(shard.now() + 5 * SECOND));
        assertThat(shard.report(probe, HEALTHY)).isTrue();
        assertThat(shard.granted(ANY).replica()).isZero();
    }

    @Test
    @Tag("BRK-6")
    void aFailedProbeTellsThoseWhoWaitToAskAnew() {
        Driven shard = new Driven(1, PLAIN).halfOpen(0);
        Permit probe = shard.granted(ANY);
        assertThat(shard.acquire(ANY)).isInstanceOf(Leave.WaitForProbe.class);
        assertThat(shard.report(probe, SICK)).isTrue();
        assertThat(shard.acquire(ANY)).isEqualTo(new Leave.Wait(shard.now() + 10 * SECOND));
    }

    @Test
    @Tag("BRK-6")
    void whatAcquireFoundDueIsToldByTheNextTick() {
        Driven shard =
                new Driven(1, settings(3, 5 * SECOND, 60 * SECOND, 2)).open(0).pass(7 * SECOND);
        assertThat(shard.granted(ANY).probe()).isTrue();
        assertThat(shard.wakesIn()).as("others may ask too").isZero();
        assertThat(shard.tick()).isTrue();
        assertThat(shard.wakesIn()).isEqualTo(5 * SECOND);
        assertThat(shard.tick()).isFalse();
    }

    @Test
    @Tag("BRK-7")
    void aHundredBatchesOnAReplicaThatHalfOpensMakeOneProbe() {
        for (int probes = 1; probes <= 3; probes++) {
            Driven shard = new Driven(1, settings(3, 5 * SECOND, 60 * SECOND, probes))
                    .open(0)
                    .pass(5 * SECOND);
            int granted = 0;
            for (int i = 0; i < 100; i++) if (shard.acquire(ANY) instanceof Leave.Granted) granted++;
            assertThat(granted).isEqualTo(probes);
        }
    }

    @Test
    @Tag("BRK-7")
    void withAClosedSiblingAProbeIsGivenOnlyToWhoAsksForOne() {
        Driven shard = new Driven(3, PLAIN).halfOpen(1);
        assertThat(shard.rotation(6)).containsExactly(0, 2, 0, 2, 0, 2);
        assertThat(shard.granted(rather(0)).replica()).isEqualTo(2);
        Permit probe = shard.probed();
        assertThat(probe.replica()).isEqualTo(1);
        assertThat(probe.probe()).isTrue();
        assertThat(shard.set.probe(shard.now())).isNull();
        shard.report(probe, HEALTHY);
        assertThat(shard.phase(1)).isEqualTo(CLOSED);
        assertThat(shard.rotation(33)).contains(1);
    }

    @Test
    @Tag("BRK-7")
    void withoutAClosedSiblingABatchIsTheProbe() {
        Driven shard = new Driven(2, PLAIN).open(0).open(1).pass(5 * SECOND);
        assertThat(shard.set.probe(shard.now())).isNull();
        assertThat(shard.granted(ANY).replica()).isZero();
        assertThat(shard.granted(ANY).replica()).isEqualTo(1);
        assertThat(shard.acquire(ANY)).isInstanceOf(Leave.WaitForProbe.class);
    }

    @Test
    @Tag("BRK-7")
    void probesOfSeveralReplicasTakeTurns() {
        Driven shard = new Driven(3, PLAIN).open(0).open(2).pass(5 * SECOND);
        for (int replica : new int[] {0, 2, 0, 2}) {
            Permit probe = shard.probed();
            assertThat(probe.replica()).isEqualTo(replica);
            shard.report(probe, UNTRIED);
        }
    }

    @Test
    @Tag("BRK-7")
    void aBatchPinnedToAHalfOpenReplicaProbesIt() {
        Driven shard = new Driven(2, PLAIN).halfOpen(1);
        assertThat(shard.granted(only(1)).probe()).isTrue();
        assertThat(shard.acquire(only(1))).isInstanceOf(Leave.WaitForProbe.class);
        assertThat(shard.granted(ANY).replica()).isZero();
    }

    @Test
    @Tag("BRK-9")
    void aRateIsJudgedOverTheWindowOnceThereAreEnoughCalls() {
        BreakerSettings half =
                new BreakerSettings(20, 5, 50, Long.MAX_VALUE, 100, 5 * SECOND, 60 * SECOND, 1, 5 * SECOND);
        Driven shard = new Driven(1, half);
        for (int i = 0; i < 4; i++) assertThat(shard.write(0, SICK)).isFalse();
        assertThat(shard.write(0, HEALTHY)).as("4 of 5").isTrue();
        assertThat(shard.phase(0)).isEqualTo(OPEN);

        Driven mild = new Driven(1, half);
        for (int i = 0; i < 100; i++) mild.write(0, i % 5 < 3 ? HEALTHY : SICK);
        assertThat(mild.phase(0)).as("8 of 20").isEqualTo(CLOSED);
        assertThat(mild.write(0, SICK)).as("9 of 20").isFalse();
        assertThat(mild.write(0, SICK)).as("10 of 20").isTrue();
    }

    @Test
    @Tag("BRK-9")
    void aReplicaThatIsSlowIsEjectedLikeOneThatRefuses() {
        Driven shard = new Driven(1, slow());
        for (int i = 0; i < 3; i++) writeFor(shard, 100 * MS);
        assertThat(shard.phase(0)).as("100 ms is not longer than 100 ms").isEqualTo(CLOSED);
        for (int i = 0; i < 2; i++) assertThat(writeFor(shard, 100 * MS + 1)).isFalse();
        assertThat(writeFor(shard, 100 * MS + 1)).isTrue();
        assertThat(shard.phase(0)).isEqualTo(OPEN);
    }

    @Test
    @Tag("BRK-9")
    void aProbeThatSucceedsTooSlowlyReopens() {
        Driven shard = new Driven(1, slow()).halfOpen(0);
        assertThat(writeFor(shard, SECOND)).isTrue();
        assertThat(shard.openFor(0)).isEqualTo(10 * SECOND);
        assertThat(shard.pass(10 * SECOND).tick()).isTrue();
        assertThat(writeFor(shard, MS)).isTrue();
        assertThat(shard.phase(0)).isEqualTo(CLOSED);
    }

    @Test
    @Tag("BRK-9")
    void everyReplicaHasAWindowOfItsOwn() {
        Driven shard = new Driven(2, PLAIN);
        for (int i = 0; i < 2; i++) {
            shard.write(0, SICK);
            shard.write(1, SICK);
        }
        assertThat(shard.set.usable()).isTrue();
        assertThat(shard.write(1, SICK)).isTrue();
        assertThat(shard.phase(0)).isEqualTo(CLOSED);
        assertThat(shard.phase(1)).isEqualTo(OPEN);
    }

    @Test
    @Tag("BRK-8")
    @Tag("BRK-10")
    void aShardIsUsableUntilItsLastReplicaOpensAndFromTheNextSuccess() {
        Driven shard = new Driven(2, PLAIN).open(0);
        assertThat(shard.set.usable()).isTrue();
        shard.open(1);
        assertThat(shard.set.usable()).isFalse();
        shard.pass(5 * SECOND).tick();
        assertThat(shard.set.usable()).as("half-open is not closed").isFalse();
        shard.write(1, HEALTHY);
        assertThat(shard.set.usable()).isTrue();
    }

    @Test
    @Tag("BRK-11")
    void anAnswerNeverCountsAgainstTheReplica() {
        Driven shard = new Driven(1, PLAIN);
        for (int i = 0; i < 1_000; i++) assertThat(shard.write(0, HEALTHY)).isFalse();
        assertThat(shard.phase(0)).isEqualTo(CLOSED);
        shard.halfOpen(0);
        shard.write(0, HEALTHY);
        assertThat(shard.phase(0)).as("a refused probe is contact too").isEqualTo(CLOSED);
    }

    @Test
    @Tag("WRT-10")
    void aReplicaAtItsBoundOfUnfinishedAttemptsIsNotEligibleUntilOneEnds() {
        Driven shard = new Driven(2, PLAIN);
        assertThat(shard.set.unfinished(0, true)).isFalse();
        assertThat(shard.view(0).unfinished()).isTrue();
        assertThat(shard.rotation(3)).containsExactly(1, 1, 1);
        assertThat(shard.granted(rather(1)).replica()).isEqualTo(1);
        assertThat(shard.acquire(only(0))).isEqualTo(new Leave.Wait(Long.MAX_VALUE));
        shard.set.unfinished(1, true);
        assertThat(shard.set.usable()).isFalse();
        assertThat(shard.acquire(ANY)).isEqualTo(new Leave.Wait(Long.MAX_VALUE));
        assertThat(shard.set.unfinished(0, false)).isTrue();
        assertThat(shard.set.unfinished(0, false)).isFalse();
        assertThat(shard.granted(ANY).replica()).isZero();
    }

    @Test
    @Tag("WRT-10")
    void aHalfOpenReplicaAtItsBoundIsNotProbed() {
        Driven shard = new Driven(2, PLAIN).halfOpen(0);
        shard.set.unfinished(0, true);
        assertThat(shard.set.probe(shard.now())).isNull();
        shard.open(1);
        assertThat(shard.acquire(ANY)).isEqualTo(new Leave.Wait(shard.now() + 5 * SECOND));
        shard.set.unfinished(0, false);
        assertThat(shard.granted(ANY).replica()).isZero();
    }

    @Test
    @Tag("WRT-10")
    void aReplicaAtItsBoundLeavesTheProbeToItsHalfOpenSibling() {
        Driven shard = new Driven(2, PLAIN).halfOpen(0);
        shard.set.unfinished(1, true);
        assertThat(shard.set.probe(shard.now())).as("nobody is usable").isNull();
        assertThat(shard.granted(ANY).probe()).isTrue();
        assertThat(shard.set.wakeAtNanos()).isEqualTo(shard.now() + 5 * SECOND);
    }

    @Test
    void whatCannotBeIsRefused() {
        assertThatThrownBy(() -> new ReplicaSet(0, PLAIN, 0)).hasMessage("replicas 0 < 1");
        assertThatThrownBy(() -> rather(-1)).hasMessage("replica -1 < 0");
        assertThatThrownBy(() -> only(-1)).hasMessage("replica -1 < 0");
        assertThatThrownBy(() -> settings(0, 1, 1, 1)).hasMessage("window 0 < 1");
        assertThatThrownBy(() -> settings(1, 2, 1, 1)).hasMessage("open time 2 ns to 1 ns");
        assertThatThrownBy(() -> settings(1, 1, 1, 0)).hasMessage("halfOpenProbes 0 < 1");
        assertThatThrownBy(() -> new BreakerSettings(1, 1, Float.NaN, 1, 100, 1, 1, 1, 1))
                .hasMessage("failureRate NaN not in (0, 100]");
        Driven shard = new Driven(2, PLAIN);
        assertThatThrownBy(() -> shard.acquire(only(2))).isInstanceOf(IndexOutOfBoundsException.class);
    }

    /// Three slow calls (over 100 ms) in a row open it.
    private static BreakerSettings slow() {
        return new BreakerSettings(3, 3, 100, 100 * MS, 100, 5 * SECOND, 60 * SECOND, 1, 5 * SECOND);
    }

    private static boolean writeFor(Driven shard, long nanos) {
        Permit permit = shard.granted(ANY);
        return shard.pass(nanos).report(permit, HEALTHY);
    }
}
