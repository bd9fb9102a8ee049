package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.KafkaSourceConfig.GroupProtocol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A process stands still for longer than its session lasts, with a write in flight; another takes over; then it goes
/// on.
@ExtendWith(LabExtension.class)
class FrozenMemberTest {
    private static final int SETTLED = 500;
    private static final int IN_FLIGHT = 1_000;
    private static final int MORE = 800;

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    @Tag("SRC-4")
    @Tag("CKP-6")
    @Tag("CKP-8")
    @Tag("CKP-12")
    @DisplayName("CASES 32: a commit that is refused since others were given the partitions is no failure: it joins"
            + " again, and commits nothing stale")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void aProcessThatWakesAfterItsSessionCommitsNothingStale(
            GroupProtocol protocol, SharedLab lab, @TempDir Path directory) throws Exception {
        try (var scene = lab.scene(new Scene.Shape(2, 1, 4), directory);
                var commits = CommitWatch.over(scene::committed);
                var durable = DurabilityWatch.over(scene)) {
            var sleeper = scene.startReady(shortSession(scene, protocol));
            scene.orders().produce(SETTLED);
            sleeper.awaitCaughtUp();
            scene.holdCommits();
            scene.orders().produce(IN_FLIGHT);
            sleeper.await("commits without an answer", () -> scene.held() >= 2);
            signal("STOP", sleeper);
            awaitStopped(sleeper);
            scene.heal();

            var heir = scene.startReady(shortSession(scene, protocol));
            heir.awaitCaughtUp();
            var taken = scene.committed();
            scene.orders().produce(MORE);
            heir.awaitCaughtUp();
            signal("CONT", sleeper);
            sleeper.await(
                    "back in the group",
                    () -> sleeper.pages().code("/readyz") == 200
                            && sleeper.process().stderr().contains("event=lost"));
            scene.orders().produce(MORE);
            sleeper.await("all committed", scene::caughtUp);

            scene.committed()
                    .forEach((partition, offset) ->
                            assertThat(offset).as("%s", partition).isGreaterThanOrEqualTo(taken.get(partition)));
            var first = end(sleeper);
            var second = end(heir);
            assertThat(scene.store().against(scene.orders())).isEqualTo(Store.Difference.NONE);
            assertThat(first.rows().delivered()
                            + second.rows().delivered()
                            - first.rows().duplicate()
                            - second.rows().duplicate())
                    .as("accepted by the databases, of %s and %s", first, second)
                    .isEqualTo(scene.store().rows());
            assertThat(second.rows().duplicate())
                    .as("repeats of what the sleeper had stored")
                    .isPositive();
            assertThat(commits.end()).isPositive();
            assertThat(durable.end()).isPositive();
        }
    }

    private static PipelineYaml shortSession(Scene scene, GroupProtocol protocol) throws Exception {
        return scene.yaml(protocol, Duration.ofMillis(1500)).sink("write", "{ timeout: 60s }");
    }

    private static Report end(Trial trial) throws Exception {
        trial.process().terminate();
        var report = trial.awaitEnd(0);
        report.addsUp();
        assertThat(report.drained()).isTrue();
        return report;
    }

    /// The signal is told at once and obeyed a little later: what runs until then could still hear an answer.
    private static void awaitStopped(Trial of) throws Exception {
        var status = Path.of("/proc/" + of.process().pid() + "/status");
        Deadline.in(Duration.ofSeconds(10))
                .until(
                        "stopped",
                        () -> Files.readAllLines(status).stream().anyMatch(line -> line.matches("State:\\s*T.*")),
                        () -> of.process().evidence());
    }

    private static void signal(String name, Trial to) throws IOException, InterruptedException {
        var kill = new ProcessBuilder(
                        "kill", "-" + name, Long.toString(to.process().pid()))
                .inheritIO()
                .start();
        assertThat(kill.waitFor(Duration.ofSeconds(10))).isTrue();
        assertThat(kill.exitValue()).isZero();
    }
}
