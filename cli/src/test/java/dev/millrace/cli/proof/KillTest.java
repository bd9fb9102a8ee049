package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.KafkaSourceConfig.GroupProtocol;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// SIGKILL at the worst moment: a transaction is committed, and its answer has not arrived.
///
/// One shard's table has a primary key, the other's has none, so that a replay leaves its mark there.
@ExtendWith(LabExtension.class)
class KillTest {
    private static final int ROUNDS = 10;
    private static final int TRIES = 15;
    private static final int PIECE = 200;
    private static final int WITH_KEY = 0;
    private static final int WITHOUT_KEY = 1;

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    @Tag("DRN-9")
    @Tag("CKP-1")
    @Tag("WRT-1")
    @Timeout(value = 240, unit = TimeUnit.SECONDS)
    void tenKillsWithACommitInFlightLoseNothing(GroupProtocol protocol, SharedLab lab, @TempDir Path directory)
            throws Exception {
        var shape = new Scene.Shape(2, 1, 4, Set.of(WITHOUT_KEY));
        try (var scene = lab.scene(shape, directory);
                var watch = DurabilityWatch.over(scene)) {
            var counted = 0;
            var tries = 0;
            while (counted < ROUNDS && tries++ < TRIES) {
                if (killedInFlight(scene, protocol, counted % 2 == 0)) counted++;
            }
            assertThat(counted)
                    .as("rounds with an attempt in flight, of %s", tries)
                    .isEqualTo(ROUNDS);

            var last = scene.startReady(quickToRejoin(scene, protocol));
            last.awaitCaughtUp();
            var report = last.terminate(0);

            var difference = scene.store().against(scene.orders());
            assertThat(difference.withoutRepeats()).isEqualTo(Store.Difference.NONE);
            assertThat(report.drained()).isTrue();
            var looks = watch.end();
            assertThat(looks)
                    .as("looks at what is committed and what is durable")
                    .isGreaterThan(ROUNDS);
            System.err.printf(
                    "proof: %d kills in %d tries, %d produced, %d in the database with a key, %d in the one without,"
                            + " %d repeats, %d looks%n",
                    counted,
                    tries,
                    scene.orders().ids().size(),
                    scene.store().rows(WITH_KEY),
                    scene.store().rows(WITHOUT_KEY),
                    difference.repeats(),
                    looks);
        }
    }

    /// Whether a commit was in flight when the signal went out. Either all before it is settled then, or a replay
    /// is under way.
    private static boolean killedInFlight(Scene scene, GroupProtocol protocol, boolean settled) throws Exception {
        var trial = scene.startReady(quickToRejoin(scene, protocol));
        if (settled) trial.awaitCaughtUp();
        scene.holdCommits();
        scene.orders().produce(PIECE);
        trial.await("a commit without its answer", () -> scene.held() >= 1);
        var writing =
                trial.pages().status().at("/shards").findValuesAsText("writing").contains("true");
        var held = scene.held();
        trial.process().kill();
        scene.heal();
        return writing && held >= 1;
    }

    private static PipelineYaml quickToRejoin(Scene scene, GroupProtocol protocol) throws Exception {
        return scene.yaml(protocol, Duration.ofMillis(1500)).drainTimeout(Duration.ofSeconds(10));
    }
}
