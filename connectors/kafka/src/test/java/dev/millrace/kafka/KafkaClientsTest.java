package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class KafkaClientsTest {
    private static KafkaClients with(Map<String, String> properties) {
        return new KafkaClients(Bench.settings().properties(properties));
    }

    @Test
    @Tag("CFG-9")
    void aValueThatTheClientDoesNotTakeIsRefusedByItsNameBeforeAnythingRuns() {
        assertThatThrownBy(() -> with(Map.of("max.poll.interval.ms", "5m", "fetch.min.bytes", "-7")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("max.poll.interval.ms", "fetch.min.bytes")
                .hasMessageNotContainingAny("5m", "-7");
    }

    @Test
    @Tag("CFG-9")
    void theBoundOfAPollLoopIsReadAsTheClientReadsIt() {
        assertThat(with(Map.of("max.poll.interval.ms", " 60000 ")).maxPollIntervalNanos())
                .isEqualTo(TimeUnit.SECONDS.toNanos(60));
        assertThat(with(Map.of()).maxPollIntervalNanos()).isEqualTo(TimeUnit.MINUTES.toNanos(5));
    }
}
