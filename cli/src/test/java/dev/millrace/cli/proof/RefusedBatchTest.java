package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A table that takes no row at all says nothing of any of them: the batch is held whole and told loudly, until
/// somebody
/// mends the cause.
@ExtendWith(LabExtension.class)
class RefusedBatchTest {
    private static final int ROWS = 200;

    @Test
    @Tag("POI-3")
    @Tag("WRT-3")
    @Tag("WRT-6")
    @Tag("BRK-11")
    @Tag("OPS-7")
    @Tag("OPS-13")
    @DisplayName("CASES 36: refused rows are contact with the replica: they open no breaker, and hold the batch alone")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    void itGoesThroughWhenTheConstraintIsDroppedAndNothingIsDroppedMeanwhile(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var log = LogLines.capture()) {
            var topic = refused(stage);
            var run = stage.start(recipe(stage, topic)).begun();
            run.await(
                    "refused",
                    () -> run.pages().code("/readyz") == 503
                            && run.metrics().sum("millrace_attempts_total", "outcome=\"refused\"") >= 3);

            assertThat(run.pages().code("/healthz")).isEqualTo(200);
            var metrics = run.metrics();
            assertThat(metrics.sum("millrace_shard_blocked", "shard=\"s0\"")).isEqualTo(1);
            assertThat(metrics.sum("millrace_shard_usable", "shard=\"s0\""))
                    .as("a refusal is an answer")
                    .isEqualTo(1);
            assertThat(metrics.sum("millrace_breaker_state")).isZero();
            assertThat(metrics.sum("millrace_held_rows")).isEqualTo(ROWS);
            assertThat(metrics.sum("millrace_backoff_seconds")).isBetween(0.0, 0.4);
            assertThat(metrics.sum("millrace_sink_silent_seconds")).isBetween(0.0, 10.0);
            assertThat(stage.caughtUp(topic)).isFalse();
            assertThat(stage.count("t")).isZero();
            assertThat(log.lines().stream().filter(line -> line.contains("batch_blocked")))
                    .hasSize(1);

            stage.execute("alter table t drop constraint lucky");
            run.await("all committed", () -> stage.caughtUp(topic));
            run.await("ready again", () -> run.pages().code("/readyz") == 200);
            assertThat(run.metrics().sum("millrace_shard_blocked")).isZero();

            var report = run.stop(0);
            assertThat(report.rows().delivered()).isEqualTo(ROWS).isEqualTo(stage.count("t"));
            assertThat(report.rows().duplicate()).isZero();
            assertThat(report.rows().skipped()).isZero();
            assertThat(report.rows().deadLettered()).isZero();
            assertThat(report.drained()).isTrue();
        }
    }

    @Test
    @Tag("DRN-5")
    @Tag("DRN-8")
    @Tag("DRN-9")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    void aStopWhileItIsHeldLeavesItAndSaysWhat(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = refused(stage);
            // Asleep when the drain's time is over: an attempt that is out then is in doubt.
            var run = stage.start(recipe(stage, topic)
                            .set("sinks.warehouse.retry", "{ initial: 30s, max: 30s }")
                            .set("drain.timeout", "1s"))
                    .begun();
            run.await(
                    "refused, and asleep",
                    () -> run.pages().code("/readyz") == 503
                            && run.metrics().sum("millrace_attempts_total", "outcome=\"refused\"") >= 1
                            && run.metrics().sum("millrace_backoff_seconds") > 1);

            var report = run.stop(3);

            assertThat(report.drained()).isFalse();
            assertThat(report.rows().abandoned()).isEqualTo(ROWS);
            assertThat(report.rows().inDoubt())
                    .as("the server said that it stored nothing")
                    .isZero();
            assertThat(report.partitions())
                    .singleElement()
                    .satisfies(partition -> assertThat(partition.blockedBy())
                            .startsWith("warehouse/s0 batch ")
                            .contains("23514", "constraint lucky"));

            stage.execute("alter table t drop constraint lucky");
            var next = stage.start(recipe(stage, topic));
            next.await("all committed", () -> stage.caughtUp(topic));
            assertThat(next.stop(0).rows().delivered()).isEqualTo(ROWS);
            assertThat(stage.count("t")).isEqualTo(ROWS);
        }
    }

    @Test
    @Tag("WRT-6")
    @Tag("CKP-1")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    void aShardThatRefusesHoldsUpNoOtherShard(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer primary key check (id > 1000000), p integer)");
            var good = stage.name() + "_good";
            stage.postgres().createDatabase(good);
            stage.postgres().execute(good, "create table t (id integer primary key, p integer)");
            var topic = stage.topic("two");
            stage.topics().create(topic, 2);
            // Without keys a partition is a shard.
            var run = stage.start(stage.recipe("[ " + topic + " ]")
                            .postgres(stage.postgres().user(), "t", "", stage.endpoint(), stage.endpoint() + "_good"))
                    .ready();
            stage.topics().produce(Stage.rows(topic, 0, 0, ROWS));
            run.await("refused", () -> run.metrics().sum("millrace_shard_blocked", "shard=\"s0\"") == 1);

            stage.topics().produce(Stage.rows(topic, 1, 0, ROWS));
            run.await("the other shard's rows", () -> stage.postgres().count(good, "t") == ROWS);
            run.await("committed", () -> run.metrics().sum("millrace_watermark", "partition=\"1\"") == ROWS);

            assertThat(run.metrics().sum("millrace_watermark", "partition=\"0\""))
                    .isZero();
            stage.execute("alter table t drop constraint t_id_check");
            run.await("all committed", () -> stage.caughtUp(topic));
            assertThat(run.stop(0).rows().delivered()).isEqualTo(2 * ROWS);
        }
    }

    private static Recipe recipe(Stage stage, String topic) {
        return stage.recipe("[ " + topic + " ]", "t", ", on_conflict: error");
    }

    private static String refused(Stage stage) {
        stage.execute("create table t (id integer primary key, p integer, constraint lucky check (id > " + ROWS + "))");
        var topic = stage.topic("refused");
        stage.topics().create(topic, 1);
        stage.topics().produce(Stage.rows(topic, 0, 0, ROWS));
        return topic;
    }
}
