package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.MillraceCommandLine;
import dev.millrace.cli.MillraceCommandLine.Ended;
import dev.millrace.lab.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// `millrace init`: what it makes, what it prints, and its exit codes.
@Tag("EO-11")
@ExtendWith(LabExtension.class)
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class InitTest {
    @TempDir
    private Path directory = Path.of("");

    private Ended init(Recipe recipe, String... more) throws IOException {
        var file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
        var arguments = new ArrayList<>(List.of("init", file.toString()));
        arguments.addAll(List.of(more));
        return MillraceCommandLine.run(arguments.toArray(String[]::new));
    }

    private static long tables(Stage stage) {
        return Long.parseLong(stage.query("select count(*) from pg_class where relname = 'millrace_segments'")
                .getFirst());
    }

    @Test
    @DisplayName("EO-11: it makes the table in every shard's database, and once, in a process as a user starts it")
    void itMakesTheTableInEveryShardsDatabase(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var second = new Stage(lab)) {
            for (var one : List.of(stage, second)) one.execute("create table t (id integer)");
            var recipe = stage.recipe("[ a ]")
                    .postgres(stage.postgres().user(), "t", "", stage.endpoint(), second.endpoint());
            var ended = init(recipe);
            assertThat(ended.code()).as(ended.toString()).isZero();
            assertThat(ended.out().lines())
                    .containsExactly(
                            "sinks.warehouse.shards.s0 " + stage.endpoint() + ": made table public.millrace_segments",
                            "sinks.warehouse.shards.s1 " + second.endpoint() + ": made table public.millrace_segments");
            assertThat(ended.err()).isEmpty();
            stage.execute("insert into millrace_segments values ('\\x01', 'p', 's', 'h', 't', 0, 1)");

            var path = directory.resolve("pipeline.yaml");
            try (var process = MillraceProcess.of("init", path, "init", path.toString())) {
                assertThat(process.awaitExit(Duration.ofSeconds(60)))
                        .as(process.evidence())
                        .isZero();
                assertThat(process.stdout().lines())
                        .hasSize(2)
                        .allMatch(line -> line.endsWith(": table public.millrace_segments was there"));
            }
            assertThat(stage.count("millrace_segments")).isOne();
        }
    }

    @Test
    @DisplayName("EO-11: --print connects nowhere, and what it prints makes what init finds good")
    void printConnectsNowhere(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create schema s; create table s.t (id integer)");
            var good = stage.recipe("[ a ]").postgres(stage.postgres().user(), "s.t", "", stage.endpoint());
            var printed = init(good, "--print");
            assertThat(printed.code()).isZero();
            assertThat(tables(stage)).isZero();
            stage.execute(printed.out());
            assertThat(init(good).out()).contains(": table s.millrace_segments was there");

            var nowhere = "postgres://127.0.0.1:" + FreePort.take() + "/shop";
            var sql = init(stage.recipe("[ a ]").postgres("nobody", "t", "", nowhere), "--sql");
            assertThat(sql.code()).as(sql.toString()).isZero();
            assertThat(sql.out())
                    .contains("-- sinks.warehouse.shards.s0: in the database at " + nowhere)
                    .contains("create table if not exists millrace_segments");
        }
    }

    @Test
    @DisplayName(
            "EO-11: what has to be mended ends it with 2, what does not answer with 5, and others are made all the same")
    void itsExitCodesTellWhy(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer)");
            var nowhere = "postgres://127.0.0.1:" + FreePort.take() + "/shop";
            var dead = init(
                    stage.recipe("[ a ]").postgres(stage.postgres().user(), "t", "", nowhere, stage.endpoint()),
                    "--timeout",
                    "5s");
            assertThat(dead.code()).as(dead.toString()).isEqualTo(5);
            assertThat(dead.err()).contains("sinks.warehouse.shards.s0 " + nowhere);
            assertThat(dead.out()).contains("sinks.warehouse.shards.s1 " + stage.endpoint() + ": made table");
            assertThat(tables(stage)).isOne();

            var missing = init(
                    stage.recipe("[ a ]").postgres(stage.postgres().user(), "misspelt", "", stage.endpoint(), nowhere));
            assertThat(missing.code()).as(missing.toString()).isEqualTo(2);
            assertThat(missing.err()).contains("table misspelt does not exist", "  do: create it");

            assertThat(init(stage.recipe("[ a ]").blackhole().set("sinks.warehouse.shards.s0", "[ \"blackhole:a\" ]"))
                            .out())
                    .contains("there is nothing to make");
            assertThat(init(stage.recipe("[ a ]").set("nonsense", "1")).code()).isEqualTo(2);
            assertThat(init(stage.recipe("[ a ]"), "--timeout", "ten").code()).isEqualTo(2);
        }
    }
}
