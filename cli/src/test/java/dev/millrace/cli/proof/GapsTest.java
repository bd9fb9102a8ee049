package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.Topics;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Logs with offsets that hold no record: aborted transactions, markers, what compaction took.
@ExtendWith(LabExtension.class)
class GapsTest {
    private static final int HOLE = 1_000_000;
    private static final int MOST_LINES = 40;
    private static final String TABLE = "create table t (id integer primary key, p integer)";

    @Test
    @Tag("CKP-5")
    @Tag("SRC-5")
    @Tag("OPS-9")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName("CASES 29: markers and aborted transactions between records, and alone at the end, stall nothing")
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
    @DisplayName("CASES 29: what compaction took stalls nothing")
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

    /// The heap is smaller than a set of a million offsets.
    @Test
    @Tag("CKP-5")
    @Tag("SRC-5")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName("CASES 29: the watermark is the position after each marker, and steps over a million offsets at once;"
            + " nothing is kept or logged for each of them")
    void aHoleOfAMillionOffsetsIsOneStep(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute(TABLE);
            var hole = withAHole(stage);
            var ledger = stage.topic("ledger");
            stage.topics().create(ledger, 1);
            var recipe = stage.recipe("[ " + ledger + ", " + hole + " ]", "t", ", on_conflict: ignore");
            var file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
            try (var process = MillraceProcess.run(file, "-Xmx48m")) {
                var pages = new AdminPages(recipe.port());
                await(process, "the hole is behind it", () -> stage.caughtUp(hole));
                for (var id = 0; id < 4; id++) stage.topics().produceCommitted(Stage.rows(ledger, 0, -1 - id, 1));
                await(process, "0, 2, 4, 6 and their markers", () -> committed(stage, ledger) == 8);
                stage.topics().produceAborted(Stage.rows(ledger, 0, -100, 4));
                await(process, "8 to 11 and their marker", () -> committed(stage, ledger) == 13);
                await(
                        process,
                        "no lag",
                        () -> pages.body("/metrics").contains("millrace_lag") && pages.metric("millrace_lag") == 0);
                assertThat(process.stderr().lines()).as(process::evidence).hasSizeLessThan(MOST_LINES);
                process.terminate();
                assertThat(process.awaitExit(Duration.ofSeconds(15)))
                        .as(process::evidence)
                        .isZero();
                var report = Report.parse(process.stdout());
                assertThat(report.caughtUp()).isTrue();
                assertThat(report.rows().polled()).isBetween(4L, HOLE / 5L);
                assertThat(stage.count("t"))
                        .isEqualTo(report.rows().delivered() - report.rows().duplicate());
            }
        }
    }

    private static long committed(Stage stage, String topic) {
        return stage.topics().committed(stage.group()).getOrDefault(new TopicPartition(topic, 0), 0L);
    }

    private static void await(MillraceProcess process, String what, Callable<Boolean> holds) throws Exception {
        process.await(Duration.ofSeconds(40), what, holds);
    }

    /// A record, then a million offsets without one, then a few.
    private static String withAHole(Stage stage) throws Exception {
        var topic = stage.topic("hole");
        stage.topics()
                .create(
                        topic,
                        1,
                        Map.of(
                                "cleanup.policy", "compact",
                                "min.cleanable.dirty.ratio", "0.01",
                                "min.compaction.lag.ms", "0",
                                "max.compaction.lag.ms", "100",
                                "segment.ms", "500"));
        stage.topics()
                .produce(
                        Stage.rows(topic, 0, 0, 1).stream().map(GapsTest::alone).toList());
        produceUnderOneKey(stage, topic);
        Deadline.in(Duration.ofSeconds(60))
                .until(
                        "a hole in the log",
                        () -> {
                            stage.topics().produce(keyed(topic, HOLE + 1).subList(0, 1));
                            return firstBehind(stage, topic, 1) > HOLE * 9L / 10;
                        },
                        () -> "the first record behind the first: " + firstBehind(stage, topic, 1));
        return topic;
    }

    private static ProducerRecord<byte[], byte[]> alone(ProducerRecord<byte[], byte[]> row) {
        return new ProducerRecord<>(
                row.topic(), row.partition(), "alone".getBytes(StandardCharsets.UTF_8), row.value());
    }

    private static void produceUnderOneKey(Stage stage, String topic) {
        var failure = new AtomicReference<@Nullable Exception>();
        var key = "the same".getBytes(StandardCharsets.UTF_8);
        var settings = Map.<String, Object>of(
                "bootstrap.servers",
                stage.bootstrapServers(),
                "batch.size",
                1 << 18,
                "linger.ms",
                50,
                "compression.type",
                "lz4");
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (var id = 1; id <= HOLE; id++) {
                var value = ("{\"id\":" + id + ",\"p\":0}").getBytes(StandardCharsets.UTF_8);
                var _ = producer.send(new ProducerRecord<>(topic, 0, key, value), (_, cause) -> {
                    if (cause != null) failure.compareAndSet(null, cause);
                });
            }
        }
        assertThat(failure.get()).isNull();
    }

    private static long firstBehind(Stage stage, String topic, long offset) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", stage.bootstrapServers(), "enable.auto.commit", false, "max.poll.records", 1);
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var at = new TopicPartition(topic, 0);
            consumer.assign(List.of(at));
            consumer.seek(at, offset);
            var records = consumer.poll(Duration.ofSeconds(5)).records(at);
            return records.isEmpty() ? offset : records.getFirst().offset();
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
