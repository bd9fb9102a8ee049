package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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
            assertThat(report.reason()).contains("topic " + doomed).contains("its id was " + was).contains("it is gone");
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
            var committed = stage.topics().committed(stage.group()).get(new TopicPartition(doomed, 0));

            stage.topics().delete(doomed);
            stage.topics().create(doomed, 1);
            // More than was read of the first: a consumer that knows no ids would read on from its old position.
            stage.topics().produce(Stage.rows(doomed, 0, 10_000, 2 * ROWS));
            var is = id(stage, doomed);
            stage.topics().produce(Stage.rows(other, 0, 2 * ROWS, ROWS));

            var report = run.awaitEnd(5);
            assertThat(is).isNotEqualTo(was);
            assertThat(report.reason()).contains("topic " + doomed).contains("its id was " + was).contains("is " + is + " now");
            theOtherIsDone(stage, other, report);
            var left = stage.topics().committed(stage.group()).get(new TopicPartition(doomed, 0));
            assertThat(left == null || left <= committed).as("nothing of the new one is committed: %s", left).isTrue();
        }
    }

    /// Both are read to their ends.
    private static InProcess startBoth(Stage stage, String doomed, String other) throws Exception {
        stage.execute(TABLE);
        stage.topics().create(doomed, 1);
        stage.topics().create(other, 1);
        stage.topics().produce(Stage.rows(doomed, 0, 0, ROWS));
        stage.topics().produce(Stage.rows(other, 0, ROWS, ROWS));
        var run = stage.start(stage.recipe("[ " + doomed + ", " + other + " ]", "t", ", on_conflict: ignore")
                        .set("source.kafka.properties", "{ session.timeout.ms: 3000, metadata.max.age.ms: 1000 }"))
                .ready();
        run.await("all committed", () -> stage.caughtUp(doomed, other));
        return run;
    }

    /// What was taken of it is in the table and committed, whenever the end came.
    private static void theOtherIsDone(Stage stage, String other, Report report) {
        var committed = stage.topics().committed(stage.group()).get(new TopicPartition(other, 0));
        assertThat(report.partitions()).anySatisfy(partition -> {
            assertThat(partition.topic()).isEqualTo(other);
            assertThat(partition.committed()).isEqualTo(committed).isGreaterThanOrEqualTo(ROWS);
            assertThat(partition.taken()).isEqualTo(committed);
        });
        assertThat(stage.query("select count(*) from t where id >= " + ROWS + " and id < 10000"))
                .isEqualTo(List.of(Long.toString(committed)));
        assertThat(report.rows().delivered() - report.rows().duplicate()).isEqualTo(stage.count("t"));
    }

    private static String id(Stage stage, String topic) throws Exception {
        return Stage.done(stage.admin().describeTopics(List.of(topic)).allTopicNames())
                .get(topic)
                .topicId()
                .toString();
    }
}
