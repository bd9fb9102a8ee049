package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A producer whose clock steps by hours: its records come from four hours ago and from four hours ahead.
///
/// The process's own clock cannot be set here; `WallClockTest` gives one that steps to the pool.
@ExtendWith(LabExtension.class)
class RecordTimesTest {
    private static final int ROWS = 400;
    private static final Duration STEP = Duration.ofHours(4);

    @Test
    @Tag("TIM-1")
    @Tag("OPS-3")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    @DisplayName("CASES 39: the times of records move no linger, and no figure is below zero")
    void theTimesOfRecordsMoveNoLinger(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer primary key, p integer)");
            var topic = stage.topic("a");
            stage.topics().create(topic, 1, Map.of("message.timestamp.after.max.ms", Long.toString(Long.MAX_VALUE)));
            var run = stage.start(stage.recipe("[ " + topic + " ]", "t", "")
                            .set("sinks.warehouse.batch", "{ linger: 1s }")
                            .set("checkpoint.interval", "2s")
                            .set("delivery", "at_least_once"))
                    .ready();
            var began = System.nanoTime();
            for (var part = 0; part < 4; part++)
                stage.topics().produce(from(topic, part * ROWS / 4, part % 2 == 0 ? STEP.negated() : STEP));
            run.await("all committed", () -> {
                var below = run.metrics().series().entrySet().stream()
                        // The JVM says −1 of a bound that it has not; a difference of counts that are not read at one
                        // instant is on either side of zero while rows move.
                        .filter(series -> series.getKey().startsWith("millrace_") && series.getValue() < 0)
                        .filter(series -> !series.getKey().startsWith("millrace_rows_unaccounted"))
                        .toList();
                assertThat(below).as("figures below zero").isEmpty();
                assertThat(run.pages().body("/status")).doesNotContain(":-");
                return stage.caughtUp(topic);
            });
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(40));
            assertThat(run.metrics().sum("millrace_batches_sealed_total", "reason=\"linger\""))
                    .as("batches sealed by a linger of one second")
                    .isBetween(1.0, 4.0);
            run.await("at rest, and all told", () -> run.metrics().sum("millrace_rows_unaccounted") == 0);
            assertThat(run.stop(0).rows().delivered()).isEqualTo(ROWS);
        }
    }

    private static List<ProducerRecord<byte[], byte[]>> from(String topic, int first, Duration ahead) {
        var millis = System.currentTimeMillis() + ahead.toMillis();
        return Stage.rows(topic, 0, first, ROWS / 4).stream()
                .map(row -> new ProducerRecord<>(topic, 0, millis, row.key(), row.value()))
                .toList();
    }
}
