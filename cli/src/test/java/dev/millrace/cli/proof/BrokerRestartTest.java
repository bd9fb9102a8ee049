package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.BrokerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The broker goes and comes back while orders stream in, killed and stopped; the process is left alone.
@ExtendWith(LabExtension.class)
class BrokerRestartTest {
    private static final int MORE = 2_000;
    private static final int FEW = 300;

    @Test
    @Tag("SRC-7")
    @Tag("OPS-7")
    @Timeout(value = 180, unit = TimeUnit.SECONDS)
    void brokerRestartsLoseNothingAndNeedNobody(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var broker = BrokerProcess.launch(SharedLab.settings());
                var scene = lab.scene(new Scene.Shape(2, 2, 4), directory, broker.bootstrapServers())) {
            var trial = scene.startReady(scene.yaml());
            try (var _ = SteadyLoad.start(scene.orders(), scene.bootstrapServers())) {
                goesOn(scene, trial);
                broker.kill();
                assertThat(trial.pages().code("/healthz")).isEqualTo(200);
                broker.start();
                goesOn(scene, trial);
                broker.stop();
                broker.start();
                goesOn(scene, trial);
            }
            trial.awaitCaughtUp();

            var report = trial.terminate(0);

            assertThat(report.drained()).isTrue();
            assertThat(report.caughtUp()).isTrue();
            assertThat(scene.store().against(scene.orders())).isEqualTo(Store.Difference.NONE);
        }
    }

    @Test
    @Tag("DRN-1")
    @Tag("DRN-4")
    @Tag("DRN-9")
    void aStopWithoutABrokerEndsInTimeAndSaysThatNothingWasCommitted(SharedLab lab, @TempDir Path directory)
            throws Exception {
        try (var broker = BrokerProcess.launch(SharedLab.settings());
                var scene = lab.scene(new Scene.Shape(1, 1, 2), directory, broker.bootstrapServers())) {
            var trial = scene.startReady(
                    scene.yaml().checkpoint("{ interval: 10m }").drainTimeout(Duration.ofSeconds(3)));
            scene.orders().produce(FEW);
            trial.await("all stored", () -> scene.store().rows() == FEW);
            broker.kill();

            trial.process().terminate();
            var report = trial.awaitEnd(3);

            broker.start();
            trial.isTrue(report, 0);
            assertThat(report.drained()).isFalse();
            assertThat(report.caughtUp()).as("the backlog could not be read").isNotEqualTo(true);
            assertThat(report.rows().delivered()).isEqualTo(FEW);
            assertThat(report.partitions())
                    .extracting(Report.Partition::blockedBy)
                    .containsOnly("the broker has not taken the commit");
            var next = scene.startReady(scene.yaml());
            next.awaitCaughtUp();
            assertThat(next.terminate(0).rows().duplicate()).isEqualTo(FEW);
            assertThat(scene.store().against(scene.orders())).isEqualTo(Store.Difference.NONE);
        }
    }

    private static void goesOn(Scene scene, Trial trial) throws Exception {
        var before = scene.store().rows();
        trial.await(MORE + " rows more", () -> scene.store().rows() >= before + MORE);
    }
}
