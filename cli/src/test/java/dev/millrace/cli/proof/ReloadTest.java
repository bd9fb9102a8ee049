package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.millrace.cli.NotifySocket;
import dev.millrace.lab.ChaosProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
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

    /// In one step, so that nobody reads half of it.
    private static void give(Path file, String text) throws IOException {
        var next = Files.writeString(file.resolveSibling("next.yaml"), text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void readsOn(Scene scene, Trial trial) throws Exception {
        scene.orders().produce(ROWS);
        trial.awaitCaughtUp();
    }

    @Test
    @DisplayName("--watch: a changed file is taken up in place, a bad one changes nothing, and where one does not start"
            + " after all, the one before runs again")
    void aWatchedFileIsTakenUp(SharedLab lab) throws Exception {
        try (var scene = lab.scene(SHAPE, directory);
                var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var yaml = scene.yaml();
            var good = by(scene, yaml, 1);
            var file = directory.resolve("pipeline.yaml");
            Files.writeString(file, by(scene, yaml, 0));
            try (var trial = Trial.start(
                    scene, yaml, () -> MillraceProcess.of("watched", file, "run", "--watch", file.toString()))) {
                trial.awaitReady();
                give(file, good);
                awaitReloads(trial, 1);
                scene.proxiesOf(0).getFirst().refuse();
                readsOn(scene, trial);
                var runs = configuration(trial).get("digest").asText();

                give(file, good.replace("linger: 100ms", "linger: 100"));
                trial.await("it is refused", () -> configuration(trial).hasNonNull("refused"));
                assertThat(configuration(trial).at("/refused/reasons").toString())
                        .contains("has no unit");
                assertThat(trial.process().stderr())
                        .contains("event=reload_refused")
                        .doesNotContain("event=reload_failed");
                readsOn(scene, trial);

                // Nobody looks before whether a port is free.
                give(file, good.replace(":" + yaml.port(), ":" + taken.getLocalPort()));
                trial.await(
                        "the one before runs again",
                        () -> trial.pages().code("/readyz") == 200
                                && configuration(trial)
                                        .at("/refused/reasons")
                                        .toString()
                                        .contains("admin.listen"));
                assertThat(configuration(trial).get("digest").asText()).isEqualTo(runs);
                assertThat(configuration(trial).get("reloads").asInt()).isOne();
                assertThat(trial.process().stderr()).contains("event=reload_failed");
                readsOn(scene, trial);

                trial.process().terminate();
                assertThat(trial.process().awaitExit(Duration.ofSeconds(12)))
                        .as(trial.process()::evidence)
                        .isZero();
                assertThat(trial.process().stdout().lines().map(ReloadTest::report))
                        .containsExactly("reload", "reload", "SIGTERM");
            }
            assertThat(scene.store().against(scene.orders())).isEqualTo(Store.Difference.NONE);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    @Tag("DRN-6")
    @DisplayName("DRN-8: SIGTERM amid a reload ends the process with the code of what its drain left, and"
            + " a service manager hears how long that may take")
    void aSignalAmidAReloadWins(SharedLab lab) throws Exception {
        try (var scene = lab.scene(SHAPE, directory);
                var manager = NotifySocket.listen(directory.resolve("notify").toString(), Duration.ofSeconds(40))) {
            var yaml = scene.yaml().drainTimeout(Duration.ofSeconds(2));
            var file = directory.resolve("pipeline.yaml");
            Files.writeString(file, by(scene, yaml, 0));
            try (var trial = Trial.start(scene, yaml, () -> MillraceProcess.managed("managed", file, manager.name()))) {
                assertThat(manager.next()).contains(" starts");
                assertThat(manager.next()).startsWith("READY=1\n");
                trial.awaitReady();
                scene.eachProxy(ChaosProxy::refuse);
                scene.orders().produce(ROWS);
                trial.await("it holds rows", () -> trial.pages().metric("millrace_inflight_rows") == ROWS);
                trial.process().hangUp();
                trial.await(
                        "it drains",
                        () -> trial.pages().status().get("state").asText().equals("draining"));

                trial.process().terminate();

                assertThat(manager.next()).startsWith("STOPPING=1\n").endsWith("\nEXTEND_TIMEOUT_USEC=7000000");
                var report = trial.awaitEnd(3);
                assertThat(report.reason()).isEqualTo("reload");
                assertThat(report.left()).isEqualTo(ROWS);
                assertThat(trial.process().stderr()).contains("event=signal").doesNotContain("event=reloaded");
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    @DisplayName("DRN-8: a file that does not start and falls back is no end to a service manager")
    void aFallbackIsNoEnd(SharedLab lab) throws Exception {
        try (var scene = lab.scene(SHAPE, directory);
                var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var manager = NotifySocket.listen(directory.resolve("notify").toString(), Duration.ofSeconds(40))) {
            var yaml = scene.yaml();
            var file = directory.resolve("pipeline.yaml");
            var good = by(scene, yaml, 0);
            Files.writeString(file, good);
            try (var trial = Trial.start(scene, yaml, () -> MillraceProcess.managed("managed", file, manager.name()))) {
                assertThat(manager.next()).contains(" starts");
                assertThat(manager.next()).startsWith("READY=1\n");
                give(file, good.replace(":" + yaml.port(), ":" + taken.getLocalPort()));
                trial.process().hangUp();
                assertThat(manager.next()).contains(" starts");
                assertThat(manager.next()).contains(" starts");
                assertThat(manager.next()).startsWith("READY=1\n");
                readsOn(scene, trial);
                trial.process().terminate();
                assertThat(manager.next()).startsWith("STOPPING=1\n");
                assertThat(trial.process().awaitExit(Duration.ofSeconds(12)))
                        .as(trial.process()::evidence)
                        .isZero();
            }
        }
    }
}
