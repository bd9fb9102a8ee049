package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Rows that cannot become rows, and batches that the database refuses.
@ExtendWith(LabExtension.class)
class PoisonTest {
    private static final int BEFORE = 100;
    private static final int AFTER = 50;

    @Test
    @Tag("POI-6")
    @Tag("POI-7")
    @Tag("CKP-4")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    @DisplayName("CASES 40: a record that nobody can read ends the process where the policy says stop, at every start"
            + " and with the same reason, and nowhere else")
    void stopEndsAtThePoisonRowNamesItAndCommitsWhatIsBeforeIt(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = poisoned(stage);

            var report = stage.start(recipe(stage, topic).set("poison.action", "stop"))
                    .awaitEnd(5);

            assertThat(report.reason()).startsWith(topic + "-0@" + BEFORE + ": not_an_object at byte 0");
            assertThat(stage.topics().committed(stage.group()))
                    .isEqualTo(Map.of(new TopicPartition(topic, 0), (long) BEFORE));
            assertThat(stage.count("t")).isEqualTo(BEFORE);
            assertThat(report.rows().delivered()).isEqualTo(BEFORE);
            assertThat(report.drained()).isFalse();
            assertThat(report.partitions()).singleElement().satisfies(partition -> {
                assertThat(partition.committed()).isEqualTo(BEFORE);
                assertThat(partition.blockedBy()).isNotBlank();
            });

            // Nothing is skipped by a restart either; nor written twice.
            var again = stage.start(recipe(stage, topic).set("poison.action", "stop"))
                    .awaitEnd(5);
            assertThat(again.reason()).isEqualTo(report.reason());
            assertThat(again.rows().delivered()).isZero();

            var mended = stage.start(recipe(stage, topic).set("poison.action", "skip"));
            mended.await("all committed", () -> stage.caughtUp(topic));
            assertThat(mended.stop(0).rows().duplicate()).isZero();
            assertThat(stage.count("t")).isEqualTo(BEFORE + AFTER);
        }
    }

    @Test
    @Tag("POI-6")
    @Tag("POI-7")
    @Tag("CKP-2")
    @Tag("OPS-9")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void skipCountsWhatItLeavesOutTellsTheFirstAndGoesOn(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var log = LogLines.capture()) {
            var topic = poisoned(stage);

            var run = stage.start(recipe(stage, topic).set("poison.action", "skip"))
                    .ready();
            run.await("all committed", () -> stage.caughtUp(topic));
            assertThat(run.metrics().sum("millrace_rows_skipped_total")).isEqualTo(bad().size());
            var report = run.stop(0);

            assertThat(report.rows().polled()).isEqualTo(BEFORE + bad().size() + AFTER);
            assertThat(report.rows().skipped()).isEqualTo(bad().size());
            assertThat(report.rows().delivered()).isEqualTo(BEFORE + AFTER).isEqualTo(stage.count("t"));
            assertThat(report.caughtUp()).isTrue();
            assertThat(log.lines().stream().filter(line -> line.contains("row_skipped")))
                    .as("the first of each reason is told where it is")
                    .anySatisfy(line -> assertThat(line).contains(topic + "-0@" + BEFORE + ": not_an_object at byte 0"))
                    .hasSizeBetween(3, bad().size());
        }
    }

    @Test
    @Tag("CKP-4")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    @DisplayName(
            "POI-6: under stop a row that the table refuses ends the process, which names it and commits nothing past it")
    void stopEndsAtARowThatTheTableRefuses(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = refused(stage);
            var recipe = stage.recipe("[ " + topic + " ]", "t", ", on_conflict: ignore")
                    .set("poison.action", "stop");

            var report = stage.start(recipe).awaitEnd(5);

            assertThat(report.reason()).contains(topic + "-0@" + BEFORE, "23514", "constraint lucky");
            assertThat(stage.topics().committed(stage.group()).get(new TopicPartition(topic, 0)))
                    .isLessThanOrEqualTo(BEFORE);
            assertThat(report.drained()).isFalse();

            stage.execute("alter table t drop constraint lucky");
            var mended = stage.start(recipe);
            mended.await("all committed", () -> stage.caughtUp(topic));
            mended.stop(0);
            assertThat(stage.count("t")).isEqualTo(BEFORE + 1 + AFTER);
        }
    }

    @Test
    @Tag("CKP-2")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    @DisplayName("POI-6: under skip a row that the table refuses is left out, counted and told where it is")
    void skipLeavesOutARowThatTheTableRefuses(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var log = LogLines.capture()) {
            var topic = refused(stage);
            var run = stage.start(recipe(stage, topic).set("poison.action", "skip"));
            run.await("all committed", () -> stage.caughtUp(topic));
            var report = run.stop(0);

            assertThat(report.rows().skipped()).isEqualTo(1);
            assertThat(report.rows().deadLettered()).isZero();
            assertThat(stage.count("t")).isEqualTo(BEFORE + AFTER);
            assertThat(log.lines())
                    .anySatisfy(line -> assertThat(line).contains("row_skipped", topic + "-0@" + BEFORE, "23514"));
        }
    }

    private static String refused(Stage stage) {
        stage.execute("create table t (id integer primary key, p integer, constraint lucky check (p <> 7))");
        var topic = stage.topic("refused");
        stage.topics().create(topic, 1);
        stage.topics().produce(Stage.rows(topic, 0, 0, BEFORE));
        stage.topics().produce(List.of(Stage.row(topic, 0, "{\"id\":1000,\"p\":7}")));
        stage.topics().produce(Stage.rows(topic, 0, BEFORE, AFTER));
        return topic;
    }

    private static Recipe recipe(Stage stage, String topic) {
        return stage.recipe("[ " + topic + " ]", "t", ", on_conflict: error");
    }

    /// Good rows, bad rows, good rows, all in one poll.
    private static String poisoned(Stage stage) {
        stage.execute("create table t (id integer primary key, p integer)");
        var topic = stage.topic("mixed");
        stage.topics().create(topic, 1);
        var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
        records.addAll(Stage.rows(topic, 0, 0, BEFORE));
        bad().forEach(value -> records.add(Stage.row(topic, 0, value)));
        records.addAll(Stage.rows(topic, 0, BEFORE, AFTER));
        stage.topics().produce(records);
        return topic;
    }

    private static List<String> bad() {
        return List.of(
                "[1]",
                "{\"id\":1,",
                "{\"id\":1}{\"id\":2}",
                "",
                "{\"id\":1,\"nobody\":2}",
                "{\"id\":\"\\u0000\"}",
                "nonsense");
    }
}
