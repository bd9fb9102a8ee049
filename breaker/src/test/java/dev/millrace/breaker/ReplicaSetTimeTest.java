package dev.millrace.breaker;

import static dev.millrace.breaker.Driven.ANY;
import static dev.millrace.breaker.Driven.HOUR;
import static dev.millrace.breaker.Driven.PLAIN;
import static dev.millrace.breaker.Driven.SECOND;
import static dev.millrace.breaker.Driven.YEAR;
import static dev.millrace.breaker.Driven.only;
import static dev.millrace.breaker.Driven.settings;
import static dev.millrace.breaker.ReplicaView.Phase.HALF_OPEN;
import static dev.millrace.breaker.ReplicaView.Phase.OPEN;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Instants at which numbers overflow, and open times of nothing, a year and for ever.
class ReplicaSetTimeTest {
    @ParameterizedTest
    @Tag("TIM-1")
    @ValueSource(
            longs = {
                Long.MIN_VALUE,
                Long.MIN_VALUE + 1,
                -HOUR,
                -1,
                0,
                1,
                HOUR,
                Long.MAX_VALUE - HOUR,
                Long.MAX_VALUE - 12 * SECOND,
                Long.MAX_VALUE - 3 * SECOND,
                Long.MAX_VALUE - 1,
                Long.MAX_VALUE
            })
    void theOriginOfTimeChangesNothing(long startNanos) {
        assertThat(story(startNanos)).isEqualTo(story(1_000_000 * HOUR / 1_000));
    }

    /// Open, half-open, lost probe, re-open, close: what is told and when, relative to the start.
    private static List<String> story(long startNanos) {
        Driven shard = new Driven(2, PLAIN, startNanos);
        List<String> told = new ArrayList<>();
        shard.open(0).pass(SECOND).open(1);
        List<Permit> out = new ArrayList<>();
        for (int i = 0; i < 80; i++) {
            boolean changed = shard.tick();
            String leave = switch (shard.acquire(ANY)) {
                case Leave.Granted(Permit permit) -> {
                    out.add(permit);
                    yield "granted " + permit.replica() + " " + permit.probe();
                }
                case Leave.Wait(long until) -> "wait " + (until - startNanos);
                case Leave.WaitForProbe(long until) -> "wait for probe " + (until - startNanos);
            };
            if (i % 9 == 8 && !out.isEmpty()) {
                shard.report(out.removeLast(), i % 27 == 8 ? Verdict.HEALTHY : Verdict.SICK);
            }
            told.add(shard.elapsed / SECOND + " s: " + changed + " " + leave + " " + shard.phase(0) + " "
                    + shard.phase(1));
            shard.pass(SECOND);
        }
        return told;
    }

    @Test
    @Tag("TIM-1")
    void aClockThatStandsStillChangesNothing() {
        Driven shard = new Driven(1, PLAIN).open(0);
        for (int i = 0; i < 100; i++) assertThat(shard.tick()).isFalse();
        assertThat(shard.phase(0)).isEqualTo(OPEN);
    }

    @Test
    @Tag("TIM-1")
    void anOutcomeFromBeforeItsGrantTookNoTime() {
        BreakerSettings slow = new BreakerSettings(1, 1, 100, 1, 100, SECOND, SECOND, 1, SECOND);
        Driven shard = new Driven(1, slow);
        Permit permit = shard.granted(ANY);
        assertThat(shard.pass(-HOUR).report(permit, Verdict.HEALTHY)).isFalse();
    }

    @Test
    @Tag("TIM-1")
    void whatWouldFallDueAtTheInstantThatMeansNeverIsANanosecondLate() {
        Driven shard = new Driven(1, PLAIN, Long.MAX_VALUE - 5 * SECOND).open(0);
        assertThat(shard.set.wakeAtNanos()).isEqualTo(Long.MIN_VALUE);
        assertThat(shard.acquire(ANY)).isEqualTo(new Leave.Wait(Long.MIN_VALUE));
        assertThat(shard.pass(5 * SECOND).tick()).isFalse();
        assertThat(shard.pass(1).tick()).isTrue();
    }

    @Test
    @Tag("TIM-1")
    void whatAcquireFoundDueAtTheInstantThatMeansNeverStillWakes() {
        Driven shard = new Driven(1, PLAIN, Long.MAX_VALUE - 6 * SECOND).open(0).pass(6 * SECOND);
        shard.granted(ANY);
        assertThat(shard.set.wakeAtNanos()).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(shard.tick()).isTrue();
    }

    @Test
    @Tag("BRK-6")
    void anOpenTimeOfZeroIsOverAtOnceAndDoesNotSpin() {
        Driven shard = new Driven(1, settings(3, 0, 0, 1)).open(0);
        for (int i = 0; i < 100; i++) {
            assertThat(shard.phase(0)).isEqualTo(OPEN);
            assertThat(shard.wakesIn()).isZero();
            assertThat(shard.tick()).isTrue();
            assertThat(shard.phase(0)).isEqualTo(HALF_OPEN);
            assertThat(shard.set.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
            assertThat(shard.tick()).isFalse();
            Permit probe = shard.granted(ANY);
            assertThat(shard.wakesIn()).isEqualTo(5 * SECOND);
            assertThat(shard.report(probe, Verdict.SICK)).isTrue();
        }
    }

    @Test
    @Tag("BRK-6")
    void anOpenTimeOfAYearDoublesWithoutOverflow() {
        Driven shard = new Driven(1, settings(3, YEAR, 100 * YEAR, 1)).open(0);
        for (int years : new int[] {1, 2, 4, 8, 16, 32, 64, 100, 100}) {
            assertThat(shard.openFor(0)).isEqualTo(years * YEAR);
            assertThat(shard.pass(shard.openFor(0) - 1).tick()).isFalse();
            assertThat(shard.pass(1).tick()).isTrue();
            shard.write(0, Verdict.SICK);
        }
    }

    @Test
    @Tag("BRK-6")
    void anOpenTimeThatDoublesForEverStaysAtItsLongest() {
        Driven shard = new Driven(1, settings(3, 1, HOUR, 1)).open(0);
        long before = 0;
        for (int i = 0; i < 200; i++) {
            assertThat(shard.openFor(0)).isGreaterThanOrEqualTo(before).isLessThanOrEqualTo(HOUR);
            before = shard.openFor(0);
            shard.pass(before).tick();
            shard.write(0, Verdict.SICK);
        }
        assertThat(before).isEqualTo(HOUR);
    }

    @Test
    @Tag("BRK-6")
    void anOpenTimeForEverNeverEndsAndHidesNoOtherInstant() {
        BreakerSettings forEver =
                new BreakerSettings(1, 1, 100, Long.MAX_VALUE, 100, Long.MAX_VALUE, Long.MAX_VALUE, 1, Long.MAX_VALUE);
        Driven shard = new Driven(2, forEver, Long.MAX_VALUE - YEAR)
                .open(0)
                .pass(2 * YEAR)
                .open(1);
        assertThat(shard.tick()).isFalse();
        assertThat(shard.wakesIn()).as("the first of the two").isGreaterThan(140 * YEAR);
        assertThat(shard.acquire(only(1))).isInstanceOf(Leave.Wait.class);
    }

    @Test
    @Tag("BRK-6")
    void anInstantThatHasPassedComesBeforeOneThatNeverComes() {
        Driven shard = new Driven(2, settings(3, SECOND, Long.MAX_VALUE, 1)).open(0);
        for (int i = 0; i < 70; i++) {
            shard.pass(shard.openFor(0)).tick();
            shard.write(0, Verdict.SICK);
        }
        shard.pass(shard.openFor(0)).tick();
        Permit probe = shard.granted(only(0));
        shard.open(1).pass(2 * SECOND).report(probe, Verdict.SICK);
        assertThat(shard.openFor(0)).isGreaterThan(140 * YEAR);
        assertThat(shard.wakesIn()).isEqualTo(-SECOND);
    }
}
