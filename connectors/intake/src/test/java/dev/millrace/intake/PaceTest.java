package dev.millrace.intake;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PaceTest {
    private static final long SECOND = 1_000_000_000L;

    private final Pace pace = new Pace();

    @Test
    void whereNothingEndsItIsTheLatest() {
        assertThat(pace.seconds(0, 0, 1)).as("nobody has looked").isEqualTo(Pace.SOONEST);
        pace.look(0, 500);
        assertThat(pace.seconds(5 * SECOND, 500, 1)).isEqualTo(Pace.LATEST);
    }

    @Test
    void itIsWhenSoManyWillHaveEndedAtThePaceOfTheLastSeconds() {
        pace.look(0, 0);
        pace.look(SECOND, 100);
        assertThat(pace.seconds(2 * SECOND, 200, 450)).isEqualTo(5);
        assertThat(pace.seconds(2 * SECOND, 200, 1)).isEqualTo(Pace.SOONEST);
        assertThat(pace.seconds(2 * SECOND, 200, 1_000_000)).isEqualTo(Pace.LATEST);
    }

    @Test
    void afterALongPauseItBeginsAnew() {
        pace.look(0, 0);
        pace.look(3600 * SECOND, 1000);
        assertThat(pace.seconds(3600 * SECOND, 1000, 1_000_000)).isEqualTo(Pace.SOONEST);
        assertThat(pace.seconds(3601 * SECOND, 101_000, 1_000_000)).isEqualTo(10);
    }

    @Test
    void whatWasFastLongAgoDoesNotCount() {
        pace.look(0, 0);
        pace.look(SECOND, 1_000_000);
        for (var second = 2; second < 40; second++) pace.look(second * SECOND, 1_000_000 + second);
        assertThat(pace.seconds(40 * SECOND, 1_000_040, 10)).isEqualTo(10);
    }
}
