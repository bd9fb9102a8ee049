package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A topic goes away, or becomes another of the same name, under a consumer that has a second topic to read.
@ExtendWith(LabExtension.class)
class TopicIdentityTest {
    private static final int ROWS = 300;
    private static final String TABLE = "create table t (id integer primary key, p integer)";

    @Test
    @Tag("SRC-6")
    @Timeout(value = 150, unit = TimeUnit.SECONDS)
    void aTopicDeletedUnderTheConsumerEndsTheProcessAndTheOtherTopicsRowsAreCommitted(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var doomed = stage.topic("doomed");
            var other = stage.topic("other");
            var run = startBoth(stage, doomed, other);
            var was = id(stage, doomed);

            stage.topics().delete(doomed);
            stage.topics().produce(Stage.rows(other, 0, 2 * ROWS, ROWS));

            var report = run.awaitEnd(5);
            assertThat(report.reason())
                    .contains("topic " + doomed)
                    .contains("its id was " + was)
                    .contains("it is gone");
            theOtherIsDone(stage, other, report);
        }
    }

    @Test
    @Tag("SRC-6")
    @Timeout(value = 150, unit = TimeUnit.SECONDS)
    void aTopicDeletedAndMadeAgainEndsTheProcessAndNamesBothIds(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var doomed = stage.topic("doomed");
            var other = stage.topic("other");
            var run = startBoth(stage, doomed, other);
            var was = id(stage, doomed);

            stage.topics().delete(doomed);
            stage.topics().create(doomed, 1);
            // More than was read of the first: a consumer that knows no ids would read on from its old position.
            stage.topics().produce(Stage.rows(doomed, 0, 10_000, 2 * ROWS));
            var is = id(stage, doomed);
            stage.topics().produce(Stage.rows(other, 0, 2 * ROWS, ROWS));

            var report = run.awaitEnd(5);
            assertThat(is).isNotEqualTo(was);
            assertThat(report.reason())
                    .contains("topic " + doomed)
                    .contains("its id was " + was)
                    .contains("is " + is + " now");
            theOtherIsDone(stage, other, report);

            aRestartSkipsNothing(stage, doomed, other, was, is);
        }
    }

    /// The broker forgets a group's offsets with a topic. If nothing was committed since, the new one is read from its
    /// beginning; what was committed before the change was seen is under the old id, and halts again.
    private static void aRestartSkipsNothing(Stage stage, String doomed, String other, String was, String is)
            throws Exception {
        var left = committed(stage, doomed);
        var again = stage.start(recipe(stage, doomed, other));
        if (left >= 0) {
            assertThat(again.awaitEnd(5).reason()).contains("its id was " + was).contains("is " + is + " now");
            assertThat(committed(stage, doomed)).isEqualTo(left);
            return;
        }
        again.await("all committed", () -> stage.caughtUp(doomed, other));
        assertThat(again.stop(0).drained()).isTrue();
        assertThat(stage.query("select count(*) from t where id >= 10000")).containsExactly(Integer.toString(2 * ROWS));
    }

    /// Both are read to their ends.
    private static InProcess startBoth(Stage stage, String doomed, String other) throws Exception {
        stage.execute(TABLE);
        stage.topics().create(doomed, 1);
        stage.topics().create(other, 1);
        stage.topics().produce(Stage.rows(doomed, 0, 0, ROWS));
        stage.topics().produce(Stage.rows(other, 0, ROWS, ROWS));
        var run = stage.start(recipe(stage, doomed, other)).ready();
        run.await("all committed", () -> stage.caughtUp(doomed, other));
        return run;
    }

    private static Recipe recipe(Stage stage, String doomed, String other) {
        return stage.recipe("[ " + doomed + ", " + other + " ]", "t", ", on_conflict: ignore")
                .set(
                        "source.kafka.properties",
                        "{ session.timeout.ms: 3000, heartbeat.interval.ms: 300, metadata.max.age.ms: 1000 }");
    }

    /// What was taken of it is in the table and committed, whenever the end came.
    private static void theOtherIsDone(Stage stage, String other, Report report) {
        var committed = committed(stage, other);
        assertThat(report.partitions()).anySatisfy(partition -> {
            assertThat(partition.topic()).isEqualTo(other);
            assertThat(partition.committed()).isEqualTo(committed).isGreaterThanOrEqualTo(ROWS);
            assertThat(partition.taken()).isEqualTo(committed);
        });
        assertThat(stage.query("select count(*) from t where id >= " + ROWS + " and id < 10000"))
                .isEqualTo(List.of(Long.toString(committed)));
        assertThat(report.rows().delivered() - report.rows().duplicate()).isEqualTo(stage.count("t"));
    }

    private static long committed(Stage stage, String topic) {
        return stage.topics().committed(stage.group()).getOrDefault(new TopicPartition(topic, 0), -1L);
    }

    private static String id(Stage stage, String topic) throws Exception {
        var described = Stage.done(stage.admin().describeTopics(List.of(topic)).allTopicNames());
        return Objects.requireNonNull(described.get(topic)).topicId().toString();
    }
}
