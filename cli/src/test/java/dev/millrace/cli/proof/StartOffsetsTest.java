package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Where reading begins: for a new group, after a loss, and in partitions and topics that come later.
@ExtendWith(LabExtension.class)
class StartOffsetsTest {
    private static final String TABLE = "create table t (id integer primary key, p integer)";
    private static final int COMMITTED = 100;
    private static final int LOG_START = 500;
    private static final int END = 700;

    @Test
    @Tag("SRC-6")
    @Tag("CFG-10")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void aNewGroupThatIsToldNothingDoesNotStartAndNamesTheTwoChoices(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = filled(stage);

            var failure = stage.start(stage.recipe("[ " + topic + " ]", "t", "").set("source.kafka.on_no_offset", "fail"))
                    .startFailure();

            assertThat(failure.exitCode().code()).isEqualTo(2);
            assertThat(failure)
                    .hasMessage("group " + stage.group() + " has no offset for [" + topic
                            + "]: set on_no_offset to earliest or to latest");
            assertThat(stage.topics().committed(stage.group())).isEmpty();
        }
    }

    @Test
    @Tag("SRC-6")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void aNewGroupStartsWhereItIsTold(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = filled(stage);

            var run = stage.start(stage.recipe("[ " + topic + " ]", "t", "").set("source.kafka.on_no_offset", "latest"))
                    .ready();
            assertThat(stage.topics().committed(stage.group()))
                    .as("the start is committed before the first poll")
                    .isEqualTo(Map.of(new TopicPartition(topic, 0), (long) END));
            stage.topics().produce(Stage.rows(topic, 0, END, 10));
            run.await("all committed", () -> stage.caughtUp(topic));
            assertThat(run.stop(0).rows().delivered()).isEqualTo(10);
            assertThat(stage.query("select min(id) from t")).containsExactly(Integer.toString(END));

            var recipe = stage.recipe("[ " + topic + " ]", "t", ", on_conflict: ignore").set("source.kafka.group_id", stage.name());
            var other = stage.start(recipe).ready();
            other.await("all rows", () -> stage.count("t") == END + 10);
            assertThat(other.stop(0).rows().duplicate()).isEqualTo(10);
        }
    }

    @Test
    @Tag("SRC-6")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    void aLostOffsetHaltsWithTheExactCountOrGoesOnAndSaysIt(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = filled(stage);
            var partition = new TopicPartition(topic, 0);
            stage.topics().commit(stage.group(), Map.of(partition, (long) COMMITTED));
            Stage.done(stage.admin()
                    .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(LOG_START)))
                    .all());

            var halted = stage.start(stage.recipe("[ " + topic + " ]", "t", "")).awaitEnd(5);

            assertThat(halted.reason())
                    .isEqualTo(topic + "-0: retention took 400 offsets that were not read, [100, 500)"
                            + "; on_lost_offset: continue goes on at the log's start");
            assertThat(halted.rows().polled()).isZero();
            assertThat(stage.topics().committed(stage.group())).isEqualTo(Map.of(partition, (long) COMMITTED));
            assertThat(stage.count("t")).isZero();
            goesOn(stage, topic);
        }
    }

    private static void goesOn(Stage stage, String topic) throws Exception {
        try (var log = LogLines.capture()) {
            var run = stage.start(stage.recipe("[ " + topic + " ]", "t", "").set("source.kafka.on_lost_offset", "continue"))
                    .begun();
            run.await("all committed", () -> stage.caughtUp(topic));
            assertThat(run.metrics().sum("millrace_offsets_lost_total")).isEqualTo(LOG_START - COMMITTED);
            var report = run.stop(0);
            assertThat(report.rows().delivered()).isEqualTo(END - LOG_START);
            assertThat(report.caughtUp()).isTrue();
            assertThat(stage.query("select min(id), max(id), count(*) from t")).containsExactly("500|699|200");
            assertThat(log.lines())
                    .anySatisfy(line -> assertThat(line)
                            .contains("offsets_lost", topic + "-0: retention took 400 offsets that were not read, [100, 500)"));
        }
    }

    @Test
    @Tag("SRC-9")
    @Tag("SRC-6")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    void partitionsAndTopicsThatComeLaterAreReadFromTheirBeginning(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var first = filled(stage);
            var pattern = "{ pattern: \"" + stage.topic("") + ".*\" }";
            // The group has offsets, so `latest` is not asked for what comes later.
            var run = stage.start(stage.recipe(pattern, "t", "")
                            .set("source.kafka.on_no_offset", "latest")
                            .set("source.kafka.properties", "{ session.timeout.ms: 3000, heartbeat.interval.ms: 300, metadata.max.age.ms: 500 }"))
                    .ready();

            Stage.done(stage.admin().createPartitions(Map.of(first, NewPartitions.increaseTo(2))).all());
            stage.topics().produce(Stage.rows(first, 1, 1_000, 50));
            var second = stage.topic("b");
            stage.topics().create(second, 1);
            stage.topics().produce(Stage.rows(second, 0, 2_000, 50));
            run.await("all committed", () -> stage.caughtUp(first, second));

            var report = run.stop(0);
            assertThat(report.rows().delivered()).isEqualTo(100);
            assertThat(report.partitions()).hasSize(3);
            assertThat(stage.query("select count(*), min(id), max(id) from t")).containsExactly("100|1000|2049");
            assertThat(report.caughtUp()).isTrue();
        }
    }

    /// A topic with rows from 0 to its end, and a table.
    private static String filled(Stage stage) {
        stage.execute(TABLE);
        var topic = stage.topic("a");
        stage.topics().create(topic, 1);
        stage.topics().produce(Stage.rows(topic, 0, 0, END));
        return topic;
    }
}
