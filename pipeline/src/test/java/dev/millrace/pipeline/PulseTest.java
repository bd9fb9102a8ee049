package dev.millrace.pipeline;

import static dev.millrace.pipeline.Moment.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PulseTest {
    private final Moment moment = new Moment();

    private void beat(long second, long polled) {
        moment.now = second * SECOND;
        moment.partitions.clear();
        moment.partition(polled, 0, null, null);
        moment.pulse.beat(moment.snapshot());
    }

    @Test
    void aRateIsUnknownBeforeTheSecondBeatAndThenOverTenSeconds() {
        assertThat(moment.pulse.inPerSecond()).isNull();
        beat(0, 1_000);
        assertThat(moment.pulse.inPerSecond()).as("what was there is no rate").isNull();
        for (var second = 1; second <= 10; second++) beat(second, 1_000 + 500L * second);
        assertThat(moment.pulse.inPerSecond()).isEqualTo(500);
        for (var second = 11; second <= 15; second++) beat(second, 6_000);
        assertThat(moment.pulse.inPerSecond()).as("half of the time").isEqualTo(250);
        assertThat(moment.pulse.in()).hasSize(15).startsWith(500.0).endsWith(0.0);
    }

    @Test
    void aBeatThatComesLateCountsItsTime() {
        beat(0, 0);
        beat(4, 400);
        assertThat(moment.pulse.in()).containsExactly(100.0);
    }

    @Test
    void itKeepsThreeMinutes() {
        for (var second = 0; second < 500; second++) beat(second, second);
        assertThat(moment.pulse.in()).hasSize(180);
    }
}
