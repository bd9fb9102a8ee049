package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Logs with offsets that hold no record: aborted transactions, markers, what compaction took.
@ExtendWith(LabExtension.class)
class GapsTest {
    private static final String TABLE = "create table t (id integer primary key, p integer)";

    @Test
    @Tag("CKP-5")
    @Tag("SRC-5")
    @Tag("OPS-9")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    void aLogOfTransactionsIsReadToLagZeroAndEveryCommittedRecordOnce(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute(TABLE);
            var topic = stage.topic("ledger");
            stage.topics().create(topic, 2);
            for (var partition = 0; partition < 2; partition++)
                transactions(stage.topics(), topic, partition, 1000 * partition);
            var run = stage.start(stage.recipe("[ " + topic + " ]", "t", ", on_conflict: error"))
                    .ready();
            run.await("all committed", () -> stage.caughtUp(topic));
            run.await("no lag", () -> lagIsZero(run, 2));
            assertThat(ids(stage)).isEqualTo(committedIds(stage, topic));

            // Markers and aborted records alone move the end: the lag comes back to zero without a row.
            stage.topics().produceAborted(Stage.rows(topic, 1, 5_000, 40));
            run.await("all committed", () -> stage.caughtUp(topic));
            run.await("no lag", () -> lagIsZero(run, 2));

            var committed = committedIds(stage, topic);
            var report = run.stop(0);
            assertThat(ids(stage)).isEqualTo(committed);
            assertThat(report.drained()).isTrue();
            assertThat(report.caughtUp()).isTrue();
            assertThat(report.rows().polled()).isEqualTo(committed.size());
            assertThat(report.rows().delivered()).isEqualTo(committed.size());
            assertThat(report.rows().duplicate()).isZero();
            var ends = stage.topics().endOffsets(topic);
            assertThat(report.partitions()).allSatisfy(partition -> {
                assertThat(partition.undelivered()).isZero();
                assertThat(partition.committed()).isEqualTo(ends.get(new TopicPartition(topic, partition.partition())));
            });
            assertThat(ends.values().stream().mapToLong(Long::longValue).sum())
                    .as("offsets, holes included")
                    .isGreaterThan(committed.size());
        }
    }

    /// Plain, committed and aborted ones between each other; aborted ones and their marker last.
    private static void transactions(Topics topics, String topic, int partition, int first) {
        topics.produceAborted(Stage.rows(topic, partition, first + 900, 7));
        topics.produce(Stage.rows(topic, partition, first, 50));
        topics.produceCommitted(Stage.rows(topic, partition, first + 50, 50));
        topics.produceAborted(Stage.rows(topic, partition, first + 910, 30));
        topics.produceCommitted(Stage.rows(topic, partition, first + 100, 1));
        topics.produceCommitted(Stage.rows(topic, partition, first + 101, 1));
        topics.produceAborted(Stage.rows(topic, partition, first + 950, 25));
    }

    @Test
    @Tag("CKP-5")
    @Tag("SRC-5")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    void whatCompactionTookStallsNothing(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute(TABLE);
            var topic = stage.topic("compacted");
            stage.topics()
                    .create(
                            topic,
                            1,
                            Map.of(
                                    "cleanup.policy", "compact",
                                    "min.cleanable.dirty.ratio", "0.01",
                                    "min.compaction.lag.ms", "0",
                                    "max.compaction.lag.ms", "100",
                                    "segment.ms", "100"));
            // The same ten keys again and again: all but the last of each may go.
            for (var round = 0; round < 10; round++) stage.topics().produce(keyed(topic, round * 100));
            var produced = 1_000;
            Deadline.in(Duration.ofSeconds(40))
                    .until(
                            "holes in the log",
                            () -> {
                                // The active segment is never compacted: one more record makes another of it.
                                stage.topics().produce(keyed(topic, 1_000).subList(0, 1));
                                return stage.topics().readAll(topic).size() < produced / 2;
                            },
                            () -> "records: " + stage.topics().readAll(topic).size());
            var there = stage.topics().readAll(topic);

            var run = stage.start(stage.recipe("[ " + topic + " ]", "t", ", on_conflict: ignore"))
                    .ready();
            run.await("all committed", () -> stage.caughtUp(topic));
            run.await("no lag", () -> lagIsZero(run, 1));
            var report = run.stop(0);

            assertThat(report.caughtUp()).isTrue();
            assertThat(report.rows().polled()).isLessThanOrEqualTo(there.size());
            assertThat(ids(stage)).isEqualTo(committedIds(stage, topic));
            System.err.printf(
                    "proof: %d records in %d offsets after compaction%n",
                    there.size(),
                    stage.topics().endOffsets(topic).values().iterator().next());
        }
    }

    private static List<ProducerRecord<byte[], byte[]>> keyed(String topic, int first) {
        return IntStream.range(first, first + 100)
                .mapToObj(id -> new ProducerRecord<>(
                        topic,
                        0,
                        ("key-" + id % 10).getBytes(StandardCharsets.UTF_8),
                        ("{\"id\":" + id + ",\"p\":0}").getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    private static boolean lagIsZero(InProcess run, int partitions) throws Exception {
        var lags = run.metrics().of("millrace_lag");
        return lags.size() == partitions && lags.values().stream().allMatch(lag -> lag == 0);
    }

    private static Set<Integer> ids(Stage stage) {
        return stage.query("select id from t").stream().map(Integer::valueOf).collect(Collectors.toSet());
    }

    /// What another consumer reads that sees committed records only.
    private static Set<Integer> committedIds(Stage stage, String topic) {
        return stage.topics().readAll(topic).stream()
                .map(record -> new String(record.value(), StandardCharsets.UTF_8))
                .map(value -> Integer.valueOf(value.substring("{\"id\":".length(), value.indexOf(','))))
                .collect(Collectors.toSet());
    }
}
