package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LaneWatchTest {
    @Test
    void anInterruptThatAnEncoderLeftIsGoneBeforeTheRest() {
        Thread.currentThread().interrupt();
        try {
            new LaneWatch(NanoClock.SYSTEM).rest(0, () -> true, NanoClock.NEVER);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        } finally {
            var _ = Thread.interrupted();
        }
    }
}
