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

    @Test
    @Tag("CFG-9")
    void propertiesThatWouldBreakAGuaranteeAreRefusedWithTheReason() {
        var refused = KafkaClients.refused(Map.of(
                "enable.auto.commit",
                "true",
                "isolation.level",
                "read_uncommitted",
                "fetch.min.bytes",
                "64",
                "fetch.min.byte",
                "1"));
        assertThat(refused).containsOnlyKeys("enable.auto.commit", "isolation.level", "fetch.min.byte");
        assertThat(refused.get("enable.auto.commit")).contains("durable");
        assertThatThrownBy(() -> new KafkaClients(Bench.settings().properties(Map.of("auto.offset.reset", "latest"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("auto.offset.reset");
    }

    @Test
    @Tag("CFG-9")
    void ourDefaultsGiveWayToAUsersAndOwnedOnesDoNot() {
        var properties = new KafkaClients(
                        Bench.settings().consumers(2).properties(Map.of("max.poll.records", "7", "group.instance.id", "blue")))
                .consumerProperties(1);
        assertThat(properties)
                .containsEntry("max.poll.records", "7")
                .containsEntry("group.instance.id", "blue-1")
                .containsEntry("fetch.max.bytes", 16 << 20)
                .containsEntry("isolation.level", "read_committed")
                .containsEntry("auto.offset.reset", "none")
                .containsEntry("enable.auto.commit", false)
                .containsEntry("group.protocol", "classic");
    }
}
