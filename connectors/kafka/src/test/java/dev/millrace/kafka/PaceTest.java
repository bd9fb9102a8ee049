package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How a replay keeps to its rate, in time that the test drives.
final class PaceTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    @Tag("POI-10")
    void onNoStretchDoMoreRowsGoThanTheRateAndARound() {
        for (var rate : new int[] {1, 7, 10, 99, 1000, 100_000}) {
            var pace = new Pace(rate);
            var now = -5 * SECOND;
            var began = now;
            var rows = 0L;
            for (var i = 0; i < 1000; i++) {
                now += pace.waitNanos(now);
                pace.took(pace.round(), now);
                rows += pace.round();
                // Some rounds take longer than their share.
                if (i % 100 == 50) now += 3 * SECOND;
                assertThat(rows * SECOND)
                        .as("rate %s, round %s", rate, i)
                        .isLessThanOrEqualTo((now - began) * rate + pace.round() * SECOND);
            }
        }
    }

    @Test
    @Tag("POI-10")
    void withoutARateNothingWaits() {
        var pace = new Pace(0);
        pace.took(pace.round(), 7);
        assertThat(pace.waitNanos(7)).isZero();
        assertThat(pace.round()).isEqualTo(Pace.MOST_AT_ONCE);
    }

    @Test
    @Tag("POI-10")
    void whatWasLateIsNotCaughtUpOn() {
        var pace = new Pace(10);
        pace.took(1, 0);
        pace.took(1, 60 * SECOND);
        assertThat(pace.waitNanos(60 * SECOND)).isEqualTo(SECOND / 10);
    }
}
