package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.DlqCommandLine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// `millrace dlq` beside a pipeline that sets rows aside and takes them again.
@ExtendWith(LabExtension.class)
class DlqTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName("POI-10: a row is set aside, listed, shown, replayed when the table is mended, and lands")
    void aRowThatWasSetAsideLandsWhenItIsReplayed(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer primary key, p integer check (p <> 7))");
            var topic = stage.topic("mixed");
            var dead = stage.topic("dead");
            var box = new LetterBox(stage.topics(), dead);
            stage.topics().create(topic, 1);
            stage.topics().produce(Stage.rows(topic, 0, 0, 20));
            stage.topics().produce(List.of(Stage.row(topic, 0, "{\"id\":100,\"p\":7}")));
            stage.topics().produce(Stage.rows(topic, 0, 20, 20));
            stage.topics().produce(List.of(Stage.row(topic, 0, "nonsense")));
            var recipe = stage.recipe("[ " + topic + " ]", "t", ", on_conflict: error")
                    .set("poison.action", "dead_letter")
                    .set("poison.topic", dead);
            var file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text())
                    .toString();
            var run = stage.start(recipe).ready();
            run.await("all committed", () -> stage.caughtUp(topic));
            assertThat(stage.count("t")).isEqualTo(40);

            var list = DlqCommandLine.run("list", file);
            assertThat(list.code()).isZero();
            assertThat(list.out().lines())
                    .hasSize(2)
                    .anySatisfy(line ->
                            assertThat(line).contains(topic + "-0@20  warehouse/s0  23514  attempts ", ", repeats 0"))
                    .anySatisfy(line -> assertThat(line).contains(topic + "-0@41  warehouse  "));
            assertThat(DlqCommandLine.run("list", file, "--json", "--where", "reason=23514")
                            .out())
                    .contains("\"offset\":20,", "\"code\":\"23514\"")
                    .hasLineCount(1);
            assertThat(DlqCommandLine.run("show", file, topic + "-0@20").out())
                    .contains("header millrace-code: 23514", "key    null", "value  {\"id\":100,\"p\":7}");
            assertThat(DlqCommandLine.run("show", file, topic + "-0@0").code()).isEqualTo(1);

            var dry = DlqCommandLine.run("replay", file, "--where", "reason=23514", "--dry-run");
            assertThat(dry.code()).isZero();
            assertThat(dry.out()).isEqualToNormalizingNewlines("would replay 1, skipped 0, failed 0\n");

            // It is not mended yet: the row comes back, with its history and under another token.
            var vain = DlqCommandLine.run("replay", file, "--where", "reason=23514", "--rate", "50/s");
            assertThat(vain.out()).isEqualToNormalizingNewlines("replayed 1, skipped 0, failed 0\n");
            run.await("set aside again", () -> box.letters("23514").size() == 2);
            var letters = box.letters("23514");
            assertThat(letters.getLast().said("replays")).isEqualTo("1");
            assertThat(letters.getLast().said("history")).startsWith(topic + "-0@20 warehouse/s0 23514");
            assertThat(letters.getFirst().said("token"))
                    .isNotEqualTo(letters.getLast().said("token"));

            stage.execute("alter table t drop constraint t_p_check");
            var mended = DlqCommandLine.run("replay", file, "--where", "reason=23514");
            assertThat(mended.code()).isZero();
            assertThat(mended.out()).startsWith("replayed 1, skipped 1, failed 0");
            run.await("it lands", () -> stage.count("t") == 41);
            run.await("all committed", () -> stage.caughtUp(topic));
            assertThat(DlqCommandLine.run("list", file).out().lines()).hasSize(1);
            assertThat(DlqCommandLine.run("list", file, "--all").out().lines()).hasSize(3);
            run.stop(0);
        }
    }

    @Test
    @DisplayName("POI-10: what is asked wrongly is told with the remedy, with exit code 2")
    void whatIsAskedWronglyIsToldWithTheRemedy(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = stage.topic("some");
            var recipe = stage.recipe("[ " + topic + " ]").blackhole().set("poison.topic", stage.topic("none"));
            var file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text())
                    .toString();

            for (var asked : List.of(
                    List.of("list", file, "--where", "colour=red"),
                    List.of("replay", file, "--rate", "fast"),
                    List.of("replay", file, "--rate", "0"),
                    List.of("replay", file, "--max-replays", "0"),
                    List.of("show", file, "somewhere"),
                    List.of("list", directory.resolve("absent.yaml").toString()),
                    List.<String>of())) {
                var told = DlqCommandLine.run(asked.toArray(String[]::new));
                assertThat(told.code()).as("%s: %s", asked, told.err()).isEqualTo(2);
                assertThat(told.out()).isEmpty();
            }
            var absent = DlqCommandLine.run("list", file);
            assertThat(absent.code()).isEqualTo(2);
            assertThat(absent.err()).contains("no topic " + stage.topic("none"), "poison.topic");
        }
    }
}
