package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.millrace.lab.ChaosProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A process that is given another file while it runs.
@ExtendWith(LabExtension.class)
class ReloadTest {
    /// One shard by two ways, of which a file names one; without a key, so that a row that comes twice is seen.
    private static final Scene.Shape SHAPE = new Scene.Shape(1, 2, 2, Set.of(0));

    private static final int ROWS = 300;

    @TempDir
    private Path directory;

    /// The file with one of the two ways.
    private static String by(Scene scene, PipelineYaml yaml, int way) {
        var other = scene.proxiesOf(0).get(1 - way).port();
        return yaml.text()
                .replaceAll("\"postgres://127\\.0\\.0\\.1:" + other + "/[a-z0-9_]+\"(, )?", "")
                .replace(", ]", "]");
    }

    private static JsonNode configuration(Trial trial) throws IOException {
        return trial.pages().status().get("configuration");
    }

    private static void awaitReloads(Trial trial, int count) throws Exception {
        trial.await(
                count + " reloads",
                () -> trial.pages().code("/readyz") == 200
                        && configuration(trial).get("reloads").asInt() == count);
    }

    /// How many threads there are of each name without its numbers; virtual ones, and those that carry them, left out.
    private Map<String, Integer> threads(Trial trial) throws Exception {
        var kinds = new TreeMap<String, Integer>();
        for (var line : new Jcmd(trial.process().pid(), directory.resolve("threads")).ask("Thread.print"))
            if (line.startsWith("\"") && line.contains(" prio=") && !line.startsWith("\"ForkJoinPool"))
                kinds.merge(line.substring(1, line.indexOf('"', 1)).replaceAll("[0-9]+", "#"), 1, Integer::sum);
        return kinds;
    }

    private boolean noMoreThan(Map<String, Integer> before, Trial trial) throws Exception {
        return threads(trial).entrySet().stream()
                .allMatch(kind -> kind.getValue() <= before.getOrDefault(kind.getKey(), 0));
    }

    @Test
    @DisplayName("a reload moves a shard to another address with nothing lost or doubled; a bad file changes nothing")
    void aReloadLosesAndDoublesNothing(SharedLab lab) throws Exception {
        try (var scene = lab.scene(SHAPE, directory)) {
            var yaml = scene.yaml();
            var file = directory.resolve("pipeline.yaml");
            Files.writeString(file, by(scene, yaml, 0));
            try (var trial = Trial.start(scene, file, yaml)) {
                trial.awaitReady();
                scene.orders().produce(ROWS);
                trial.awaitCaughtUp();
                var before = threads(trial);

                Files.writeString(file, by(scene, yaml, 1));
                scene.orders().produce(ROWS);
                trial.process().hangUp();
                awaitReloads(trial, 1);
                scene.proxiesOf(0).getFirst().refuse();
                scene.orders().produce(ROWS);
                trial.awaitCaughtUp();

                var runs = configuration(trial).get("digest").asText();
                Files.writeString(file, by(scene, yaml, 1).replace("linger: 100ms", "linger: 100"));
                trial.process().hangUp();
                trial.await("it is refused", () -> configuration(trial).hasNonNull("refused"));
                var told = configuration(trial);
                assertThat(told.get("digest").asText()).isEqualTo(runs);
                assertThat(told.at("/refused/digest").asText()).isNotEqualTo(runs);
                assertThat(told.at("/refused/reasons").toString()).contains("batch.linger", "has no unit");
                assertThat(trial.pages().metric("millrace_file_refused")).isEqualTo(1);
                assertThat(trial.process().stderr()).contains("event=reload_refused");
                scene.orders().produce(ROWS);
                trial.awaitCaughtUp();

                Files.writeString(file, by(scene, yaml, 1));
                twiceWhileItDrains(scene, trial);
                assertThat(configuration(trial).get("refused").isNull()).isTrue();
                trial.awaitCaughtUp();
                trial.await("nothing of the three before is left", () -> noMoreThan(before, trial));
                assertThat(HeapHistogram.of(new Jcmd(trial.process().pid(), directory.resolve("heap")))
                                .of("dev.millrace.pipeline.Pipeline")
                                .instances())
                        .isEqualTo(1);

                trial.process().terminate();
                assertThat(trial.process().awaitExit(Duration.ofSeconds(12)))
                        .as(trial.process()::evidence)
                        .isZero();
                var reasons =
                        trial.process().stdout().lines().map(ReloadTest::report).toList();
                assertThat(reasons).containsExactly("reload", "reload", "reload", "SIGTERM");
            }
            assertThat(scene.store().against(scene.orders())).isEqualTo(Store.Difference.NONE);
        }
    }

    private static String report(String line) {
        try {
            return Report.parse(line).reason();
        } catch (IOException wrong) {
            throw new AssertionError(line, wrong);
        }
    }

    /// The second SIGHUP comes in the middle of the reload that the first asked for.
    private static void twiceWhileItDrains(Scene scene, Trial trial) throws Exception {
        scene.eachProxy(ChaosProxy::refuse);
        scene.orders().produce(ROWS);
        trial.await("it holds rows", () -> trial.pages().metric("millrace_inflight_rows") == ROWS);
        trial.process().hangUp();
        trial.await(
                "it drains", () -> trial.pages().status().get("state").asText().equals("draining"));
        trial.process().hangUp();
        scene.heal();
        awaitReloads(trial, 3);
    }

    @Test
    @Tag("DRN-6")
    @DisplayName("DRN-8: SIGTERM amid a reload ends the process with the code of what its drain left")
    void aSignalAmidAReloadWins(SharedLab lab) throws Exception {
        try (var scene = lab.scene(SHAPE, directory)) {
            var yaml = scene.yaml().drainTimeout(Duration.ofSeconds(2));
            var file = directory.resolve("pipeline.yaml");
            Files.writeString(file, by(scene, yaml, 0));
            try (var trial = Trial.start(scene, file, yaml)) {
                trial.awaitReady();
                scene.eachProxy(ChaosProxy::refuse);
                scene.orders().produce(ROWS);
                trial.await("it holds rows", () -> trial.pages().metric("millrace_inflight_rows") == ROWS);
                trial.process().hangUp();
                trial.await(
                        "it drains",
                        () -> trial.pages().status().get("state").asText().equals("draining"));

                trial.process().terminate();

                var report = trial.awaitEnd(3);
                assertThat(report.reason()).isEqualTo("reload");
                assertThat(report.left()).isEqualTo(ROWS);
                assertThat(trial.process().stderr()).contains("event=signal").doesNotContain("event=reloaded");
            }
        }
    }
}
