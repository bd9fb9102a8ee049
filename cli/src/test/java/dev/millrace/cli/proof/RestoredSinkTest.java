package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.MillraceCommandLine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A database that is not what it was when Millrace last wrote to it.
@ExtendWith(LabExtension.class)
@Tag("EO-13")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RestoredSinkTest {
    private static final int FIRST = 400;
    private static final int MORE = 300;
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path directory = Path.of("");

    private int files;

    private MillraceProcess start(Stage good, Stage bad, String more) throws Exception {
        var recipe = recipe(good, bad);
        if (!more.isEmpty()) recipe.set("token_epoch", more);
        return MillraceProcess.run(
                Files.writeString(directory.resolve("restored-" + files++ + ".yaml"), recipe.text()));
    }

    private static Recipe recipe(Stage good, Stage bad) {
        return good.recipe("[ " + good.topic("orders") + " ]")
                .postgres(good.postgres().user(), "t", "", good.endpoint(), bad.endpoint())
                .set("delivery", "effectively_once")
                .set("require", "L4")
                .set("poison.topic", good.topic("dead"));
    }

    private void init(Stage good, Stage bad) throws Exception {
        for (var one : new Stage[] {good, bad}) one.execute("create table t (id integer, p integer)");
        good.topics().create(good.topic("orders"), 2);
        var file = Files.writeString(
                directory.resolve("init.yaml"), recipe(good, bad).text());
        var ended = MillraceCommandLine.run("init", file.toString());
        assertThat(ended.code()).as(ended.toString()).isZero();
    }

    /// Rows for both shards: routed by their keys.
    private static void produce(Stage good, int first, int count) {
        good.topics()
                .produce(Stage.rows(good.topic("orders"), first % 2, first, count).stream()
                        .map(row -> new ProducerRecord<>(row.topic(), row.partition(), row.value(), row.value()))
                        .toList());
    }

    private static void awaitCaughtUp(Stage good, MillraceProcess process) throws Exception {
        Deadline.in(LONG).until("all committed", () -> good.caughtUp(good.topic("orders")), process::evidence);
    }

    private static void drain(MillraceProcess process) throws Exception {
        process.terminate();
        assertThat(process.awaitExit(LONG)).as(process::evidence).isZero();
    }

    @ParameterizedTest(name = "emptied: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "EO-13: a database that was restored to an older state, or emptied, ends the next start, which names its shard")
    void aRestoredDatabaseEndsTheNextStart(boolean emptied, SharedLab lab) throws Exception {
        try (var good = new Stage(lab);
                var bad = new Stage(lab)) {
            init(good, bad);
            produce(good, 0, FIRST);
            try (var process = start(good, bad, "")) {
                awaitCaughtUp(good, process);
                // What a dump holds that is made while it runs.
                bad.execute("create table t_then as select * from t; create table tokens_then as select * from"
                        + " millrace_segments");
                produce(good, FIRST, MORE);
                produce(good, FIRST + MORE + 1, MORE);
                awaitCaughtUp(good, process);
                drain(process);
            }
            assertThat(good.count("t") + bad.count("t")).isEqualTo(FIRST + 2L * MORE);
            var committed = good.topics().committed(good.group());
            bad.execute("truncate t; truncate millrace_segments");
            if (!emptied)
                bad.execute("insert into t select * from t_then; insert into millrace_segments select * from"
                        + " tokens_then");
            var before = bad.count("t");

            try (var process = start(good, bad, "")) {
                assertThat(process.awaitExit(LONG)).as(process::evidence).isEqualTo(5);
                var report = Report.parse(process.stdout());
                assertThat(report.reason())
                        .contains("warehouse/s1 does not have the token ", "millrace verify", "token_epoch")
                        .doesNotContain("warehouse/s0");
            }
            assertThat(good.topics().committed(good.group())).isEqualTo(committed);
            assertThat(bad.count("t")).isEqualTo(before);
        }
    }

    @Test
    @DisplayName(
            "EO-13: a database that is what it was starts as ever, and so does an emptied one under a higher token_epoch")
    void aHigherTokenEpochStartsWithoutAsking(SharedLab lab) throws Exception {
        try (var good = new Stage(lab);
                var bad = new Stage(lab)) {
            init(good, bad);
            produce(good, 0, FIRST);
            for (var round = 1; round <= 2; round++) {
                try (var process = start(good, bad, "")) {
                    awaitCaughtUp(good, process);
                    produce(good, round * FIRST, FIRST);
                    awaitCaughtUp(good, process);
                    drain(process);
                }
            }
            assertThat(good.count("t") + bad.count("t")).isEqualTo(3L * FIRST);
            bad.execute("truncate t; truncate millrace_segments");

            try (var process = start(good, bad, "2")) {
                produce(good, 3 * FIRST, FIRST);
                awaitCaughtUp(good, process);
                drain(process);
            }
            assertThat(good.query("select count(*) from t where id >= " + 3 * FIRST)
                            .getFirst())
                    .isNotEqualTo("0");
        }
    }
}
