package dev.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ProcessClockTest {
    private final Agenda agenda = new Agenda();

    private void pass(long nanos) {
        agenda.in(nanos, () -> {});
        assertThat(agenda.step(Long.MAX_VALUE)).isTrue();
    }

    @Test
    void aFastClockShowsMoreThanPassed() {
        var clock = new ProcessClock(agenda, 100, 10_000);
        pass(1_000_000_000);
        assertThat(clock.now()).isEqualTo(100 + 1_010_000_000L);
    }

    @Test
    void itNeverGoesBackWhateverDisturbsIt() {
        var chance = new SplittableRandom(1);
        var clock = new ProcessClock(agenda, 0, -10_000);
        var before = clock.now();
        for (var i = 0; i < 100_000; i++) {
            switch (chance.nextInt(8)) {
                case 0 -> clock.jump(chance.nextLong(5_000));
                case 1 -> clock.stand(chance.nextLong(5_000));
                default -> pass(chance.nextLong(3_000));
            }
            assertThat(clock.now()).isGreaterThanOrEqualTo(before);
            before = clock.now();
        }
    }

    @Test
    void aDelayEndsWhenTheClockShowsIt() {
        var chance = new SplittableRandom(2);
        for (var i = 0; i < 1_000; i++) {
            var clock = new ProcessClock(agenda, chance.nextLong(), chance.nextInt(-10_000, 10_001));
            if (chance.nextBoolean()) clock.stand(1_000_000);
            pass(chance.nextLong(2_000_000));
            var then = clock.now() + chance.nextLong(1, 4_000_000_000_000L);
            pass(clock.delay(then - clock.now()));
            assertThat(clock.now() - then).isBetween(0L, 100L);
        }
    }

    @Test
    void aClockThatStandsGoesOnAfterwards() {
        var clock = new ProcessClock(agenda, 7, 0);
        clock.stand(1_000);
        pass(400);
        assertThat(clock.now()).isEqualTo(7);
        assertThat(clock.disturbedWithin(1)).isTrue();
        pass(700);
        assertThat(clock.now()).isEqualTo(107);
    }
}
