package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Several sinks in one pipeline, of which one has lost its table.
@ExtendWith(LabExtension.class)
class TwoSinksTest {
    private static final int ROWS = 200;
    private static final String COLUMNS = " (id integer primary key, p integer)";

    @Test
    @Tag("WRT-6")
    @Tag("CKP-3")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName(
            "CASE-25, CASES 40: a sink whose table is gone holds its own offsets, and those of no other sink; it is"
                    + " told with its attempts and the reason, and mends by itself")
    void aSinkWhoseTableIsGoneHoldsItsOwnOffsetsOnly(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var sinks = List.of("a", "b", "c");
            var recipe = stage.recipe(
                    "[ " + String.join(", ", sinks.stream().map(stage::topic).toList()) + " ]");
            for (var sink : sinks) {
                stage.execute("create table " + sink + COLUMNS);
                stage.topics().create(stage.topic(sink), 1);
                sink(stage, recipe, sink, "[ " + stage.topic(sink) + " ]");
            }
            var run = stage.start(recipe.without("sinks.warehouse")).ready();
            for (var sink : sinks) stage.topics().produce(Stage.rows(stage.topic(sink), 0, 0, ROWS));
            run.await("all committed", () -> caughtUp(stage, sinks));

            stage.execute("drop table b");
            for (var sink : sinks) stage.topics().produce(Stage.rows(stage.topic(sink), 0, ROWS, ROWS));
            run.await("held", () -> run.pages().body("/status").contains("42P01"));
            run.await("the others committed", () -> caughtUp(stage, List.of("a", "c")));
            assertThat(stage.count("a")).isEqualTo(2 * ROWS);
            assertThat(stage.count("c")).isEqualTo(2 * ROWS);
            assertThat(committed(stage, "b")).isEqualTo(ROWS);
            run.await("tried again and again", () -> held(run).at("/attempts").asInt() >= 3);
            assertThat(held(run).at("/last_failure").asText()).contains("42P01");
            assertThat(run.pages().code("/healthz")).isEqualTo(200);
            assertThat(run.pages().code("/readyz"))
                    .as("it does not say that all is well")
                    .isEqualTo(503);

            stage.execute("create table b" + COLUMNS);
            run.await("all committed", () -> caughtUp(stage, sinks));
            run.ready();
            assertThat(stage.count("b")).isEqualTo(ROWS);
            var report = run.stop(0);
            assertThat(report.rows().delivered()).isEqualTo(6 * ROWS);
            assertThat(report.rows().duplicate()).isZero();
            assertThat(report.rows().deadLettered()).isZero();
            assertThat(report.rows().skipped()).isZero();
        }
    }

    /// The first batch that a shard of the sink without a table holds.
    private static JsonNode held(InProcess run) throws Exception {
        for (var shard : run.pages().status().at("/shards"))
            if (shard.at("/shard").asText().equals("b/s0")) return shard.at("/batches/0");
        throw new AssertionError("no shard b/s0: " + run.pages().body("/status"));
    }

    @Test
    @Tag("WRT-6")
    @Tag("CKP-3")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName(
            "CASE-25: of a topic that two sinks take, the one that has its table gets its rows, and the offsets wait")
    void ofATopicThatTwoSinksTakeTheOneGetsItsRowsAndTheOffsetsWait(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = stage.topic("both");
            stage.topics().create(topic, 1);
            var recipe = stage.recipe("[ " + topic + " ]");
            for (var sink : List.of("a", "b")) {
                stage.execute("create table " + sink + COLUMNS);
                sink(stage, recipe, sink, "[ " + topic + " ]");
            }
            var run = stage.start(recipe.without("sinks.warehouse")).ready();
            stage.topics().produce(Stage.rows(topic, 0, 0, ROWS));
            run.await("all committed", () -> stage.caughtUp(topic));

            stage.execute("drop table b");
            stage.topics().produce(Stage.rows(topic, 0, ROWS, ROWS));
            run.await("held", () -> run.pages().body("/status").contains("42P01"));
            run.await("the other's rows", () -> stage.count("a") == 2 * ROWS);
            assertThat(committed(stage, "both")).isEqualTo(ROWS);

            stage.execute("create table b" + COLUMNS);
            run.await("all committed", () -> stage.caughtUp(topic));
            assertThat(stage.count("a")).isEqualTo(2 * ROWS);
            assertThat(stage.count("b")).isEqualTo(ROWS);
            for (var sink : List.of("a", "b")) {
                var labels = "sink=\"" + sink + "\"";
                assertThat(run.metrics().sum("millrace_rows_written_total", labels))
                        .isEqualTo(2 * ROWS);
                assertThat(run.metrics().sum("millrace_rows_duplicate_total", labels))
                        .isZero();
                assertThat(run.metrics().sum("millrace_rows_dead_lettered_total", labels))
                        .isZero();
            }
        }
    }

    private static void sink(Stage stage, Recipe recipe, String name, String topics) {
        var user = stage.postgres().user();
        recipe.set("sinks." + name + ".topics", topics)
                .set(
                        "sinks." + name + ".postgres",
                        "{ table: " + name + ", user: " + user + ", password: " + Recipe.password("none-needed") + " }")
                .set("sinks." + name + ".shards.s0", "[ \"" + stage.endpoint() + "\" ]")
                .set("sinks." + name + ".batch", "{ linger: 100ms }")
                .set("sinks." + name + ".retry", "{ initial: 50ms, max: 300ms }");
    }

    private static boolean caughtUp(Stage stage, List<String> suffixes) {
        return stage.caughtUp(suffixes.stream().map(stage::topic).toArray(String[]::new));
    }

    private static long committed(Stage stage, String suffix) {
        return stage.topics().committed(stage.group()).getOrDefault(new TopicPartition(stage.topic(suffix), 0), 0L);
    }
}
