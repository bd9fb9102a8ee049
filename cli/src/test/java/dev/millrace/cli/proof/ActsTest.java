package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.MillraceCommandLine;
import dev.millrace.cli.MillraceCommandLine.Ended;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// What a person does to a running pipeline by the commands that speak to it.
@ExtendWith(LabExtension.class)
class ActsTest {
    private static final String TOKEN = "0123456789abcdef";
    private static final String TABLE = "create table t (id integer primary key, p integer)";

    @TempDir
    private Path directory = Path.of("");

    private Path file = Path.of("");

    private Ended millrace(String command, String... more) {
        var line = new String[2 + more.length];
        line[0] = command;
        line[1] = file.toString();
        System.arraycopy(more, 0, line, 2, more.length);
        return MillraceCommandLine.run(line);
    }

    private void does(String command, String says, String... more) {
        var ended = millrace(command, more);
        assertThat(ended.code()).as(ended.toString()).isZero();
        assertThat(ended.out()).startsWith(says);
    }

    @Test
    @Tag("OPS-1")
    @Tag("DRN-1")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName(
            "pause reads nothing more and finishes what was taken; quarantine keeps a replica from writes; drain ends it"
                    + " like SIGTERM")
    void aPersonPausesQuarantinesAndDrains(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute(TABLE);
            var topic = stage.topic("a");
            stage.topics().create(topic, 1);
            var token = Files.writeString(directory.resolve("token"), TOKEN);
            var recipe = stage.recipe("[ " + topic + " ]", "t", "").set("admin.token_file", token.toString());
            file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
            var run = stage.start(recipe).ready();
            stage.topics().produce(Stage.rows(topic, 0, 0, 100));
            run.await("all committed", () -> stage.caughtUp(topic));
            does("status", "proof  running");
            does("top", "proof  running");
            does("stuck", "OK     All is well.");

            does("pause", "paused");
            assertThat(run.pages().code("/readyz")).isEqualTo(503);
            run.await("its partition is paused", () -> {
                var paused = run.pages().status().at("/partitions/0/blocked_by");
                return paused.asText().equals("paused");
            });
            stage.topics().produce(Stage.rows(topic, 0, 100, 100));
            run.await("Kafka has more", () -> stage.topics().endOffsets(topic).containsValue(200L));
            var turns = Deadline.in(Duration.ofMillis(600));
            run.await("some turns of the loop", turns::passed);
            assertThat(run.pages().status().at("/partitions/0/polled").asLong()).isEqualTo(100);
            assertThat(run.metrics().sum("millrace_inflight_rows"))
                    .as("a pause is no row")
                    .isZero();
            does("stuck", "WATCH  Paused by hand");
            does("resume", "resumed");
            run.await("all committed", () -> stage.caughtUp(topic));
            run.ready();

            var replica = stage.postgres().host() + ":" + stage.postgres().port();
            does("quarantine", "in quarantine", "--shard", "warehouse/s0", "--replica", replica);
            run.await("in quarantine", () -> run.pages().code("/readyz") == 503);
            stage.topics().produce(Stage.rows(topic, 0, 200, 100));
            run.await(
                    "its rows wait",
                    () -> run.pages().status().at("/in_flight/rows").asLong() == 100);
            var stuck = millrace("stuck");
            assertThat(stuck.code()).as("something is to be mended").isOne();
            assertThat(stuck.out())
                    .startsWith("WRONG  Shard warehouse/s0 takes nothing: its only replica is in quarantine");
            assertThat(stage.count("t")).isEqualTo(200);
            does("release", "released", "--shard", "warehouse/s0", "--replica", replica);
            run.await("all committed", () -> stage.caughtUp(topic));
            assertThat(millrace("release", "--shard", "warehouse/s9", "--replica", replica)
                            .code())
                    .isEqualTo(2);

            does("pause", "paused");
            does("drain", "draining");
            var report = run.awaitEnd(0);
            assertThat(report.drained()).isTrue();
            assertThat(report.rows().delivered()).isEqualTo(300);
            assertThat(millrace("status").code()).as("nobody answers any more").isEqualTo(5);
        }
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void withoutTheTokenNobodyActs(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = stage.topic("a");
            stage.topics().create(topic, 1);
            var recipe = stage.recipe("[ " + topic + " ]").blackhole();
            file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
            var run = stage.start(recipe).ready();
            var drain = millrace("drain");
            assertThat(drain.code()).isEqualTo(2);
            assertThat(drain.err()).contains("set admin.token_file");
            var token = Files.writeString(directory.resolve("token"), TOKEN);
            var refused = millrace("drain", "--token-file", token.toString());
            assertThat(refused.code()).isEqualTo(2);
            assertThat(refused.err()).contains("403 nobody may: set admin.token_file");
            assertThat(run.pages().code("/readyz")).isEqualTo(200);
            run.stop(0);
        }
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void commandsReadWithTheTokenWhereItTakesThat(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = stage.topic("a");
            stage.topics().create(topic, 1);
            var token = Files.writeString(directory.resolve("token"), TOKEN);
            var recipe = stage.recipe("[ " + topic + " ]")
                    .blackhole()
                    .set("admin.token_file", token.toString())
                    .set("admin.readers", "token");
            file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
            var run = stage.start(recipe).ready();
            does("status", "proof  running");
            does("stuck", "OK     All is well.");
            var url = "http://127.0.0.1:" + run.pages().port();
            var stranger = MillraceCommandLine.run("status", "--url", url);
            assertThat(stranger.code()).isEqualTo(2);
            assertThat(stranger.err()).contains("401 Authorization: Bearer with the token of admin.token_file");
            assertThat(MillraceCommandLine.run("status", "--url", url, "--token-file", token.toString())
                            .out())
                    .startsWith("proof  running");
            run.stop(0);
        }
    }

    @Test
    void aTokenFileThatHoldsNoneEndsTheStart(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var token = Files.writeString(directory.resolve("token"), "short");
            var recipe = stage.recipe("[ a ]").blackhole().set("admin.token_file", token.toString());
            assertThat(stage.start(recipe).startFailure())
                    .hasMessageStartingWith("admin.token_file " + token + " holds no token");
        }
    }
}
