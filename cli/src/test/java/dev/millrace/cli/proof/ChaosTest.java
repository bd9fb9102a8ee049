package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.Cue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Ways to the databases break in a seeded order while orders stream in, and the process is stopped or killed amid
/// it.
@ExtendWith(LabExtension.class)
class ChaosTest {
    private static final long SEED = 7;
    private static final int ROUNDS = 5;
    private static final int FAULTS = 4;
    private static final int APART_MILLIS = 600;
    private static final int SHARDS = 2;

    @Test
    @Tag("DRN-2")
    @Tag("DRN-4")
    @Tag("DRN-9")
    @Tag("CKP-1")
    @Timeout(value = 240, unit = TimeUnit.SECONDS)
    void whateverBreaksNothingIsLostAndEveryReportIsTrue(SharedLab lab, @TempDir Path directory) throws Exception {
        var chance = new SplittableRandom(SEED);
        try (var scene = lab.scene(new Scene.Shape(SHARDS, 2, 4), directory);
                var watch = DurabilityWatch.over(scene)) {
            try (var _ = SteadyLoad.start(scene.orders(), scene.bootstrapServers())) {
                for (var round = 0; round < ROUNDS; round++) round(scene, chance);
            }
            scene.heal();
            var last = scene.startReady(scene.yaml());
            last.awaitCaughtUp();
            last.terminate(0);
            assertThat(scene.store().against(scene.orders()))
                    .as("seed %d", SEED)
                    .isEqualTo(Store.Difference.NONE);
            assertThat(watch.end()).isPositive();
        }
    }

    private static void round(Scene scene, SplittableRandom chance) throws Exception {
        scene.heal();
        var trial = scene.startReady(scene.yaml()
                .sink("write", "{ timeout: 1s }")
                .sink("breaker", "{ failures: 2, open_for: 500ms }")
                .drainTimeout(Duration.ofMillis(1_500)));
        for (var fault = 0; fault < FAULTS; fault++) {
            var moment = Deadline.in(Duration.ofMillis(chance.nextInt(APART_MILLIS)));
            trial.await("the moment of a fault", moment::passed);
            var ways = scene.proxiesOf(chance.nextInt(SHARDS));
            if (chance.nextBoolean()) ways = ways.subList(0, 1);
            for (var way : ways) breaks(way, chance);
        }
        if (chance.nextInt(3) == 0) {
            trial.process().kill();
            return;
        }
        trial.process().terminate();
        var report = trial.awaitEnd(0, 3);
        trial.agreesWithTheBroker(report);
        // What an earlier process has sent may still come, so there is no upper bound here.
        assertThat(trial.rowsThatCame())
                .isGreaterThanOrEqualTo(
                        report.rows().delivered() - report.rows().duplicate());
    }

    private static void breaks(ChaosProxy way, SplittableRandom chance) {
        switch (chance.nextInt(5)) {
            case 0 -> way.refuse();
            case 1 -> way.blackHole();
            case 2 -> way.cutAfterUp(chance.nextInt(20_000));
            case 3 -> way.cutAfterDown(chance.nextInt(500));
            default -> way.dropAnswers(Cue.POSTGRES_COMMITTED);
        }
    }
}
