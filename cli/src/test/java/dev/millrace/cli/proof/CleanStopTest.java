package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.FreePort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Stops with nothing in the way: under load, at rest, and before anything has begun; and where the report goes.
@ExtendWith(LabExtension.class)
class CleanStopTest {
    private static final int ENOUGH = 5_000;
    private static final int FEW = 300;
    private static final int SEED = 41;
    private static final int MOMENTS = 6;
    private static final int LATEST_MILLIS = 2_500;
    private static final Scene.Shape SHAPE = new Scene.Shape(2, 2, 4);

    @Test
    @Tag("DRN-1")
    @Tag("DRN-2")
    @Tag("DRN-9")
    @Tag("OPS-9")
    void aStopUnderLoadLeavesNothingItHasTaken(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var scene = lab.scene(SHAPE, directory)) {
            var trial = scene.startReady(scene.yaml());
            Report underLoad;
            try (var _ = SteadyLoad.start(scene.orders(), scene.bootstrapServers())) {
                trial.await(ENOUGH + " rows stored", () -> scene.store().rows() >= ENOUGH);
                underLoad = trial.terminate(0);
            }
            assertThat(underLoad.drained()).isTrue();
            assertThat(underLoad.left()).isZero();
            assertThat(underLoad.caughtUp()).as("the backlog was read in time").isNotNull();
            assertThat(underLoad.partitions()).hasSize(SHAPE.partitions());
            assertThat(underLoad.shards()).extracting(Report.Shard::state).containsOnly("finished");
            assertThat(underLoad.replicas()).extracting(Report.Replica::breaker).containsOnly("closed");
            assertThat(underLoad.rows().duplicate()).isZero();

            var rest = scene.startReady(scene.yaml());
            rest.awaitCaughtUp();
            var atRest = rest.terminate(0);
            assertThat(atRest.caughtUp()).isTrue();
            assertThat(atRest.partitions())
                    .allSatisfy(partition -> assertThat(partition.undelivered()).isZero());
            assertThat(underLoad.rows().delivered() + atRest.rows().delivered())
                    .isEqualTo(scene.orders().ids().size());
            assertThat(scene.store().against(scene.orders())).isEqualTo(Store.Difference.NONE);
        }
    }

    @Test
    @Tag("DRN-1")
    @Tag("DRN-2")
    @Tag("DRN-9")
    @Tag("DRN-11")
    void aStopAtAnyMomentUnderLoadIsCleanAndItsReportTrue(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var scene = lab.scene(SHAPE, directory)) {
            var chance = new SplittableRandom(SEED);
            var delivered = 0L;
            try (var _ = SteadyLoad.start(scene.orders(), scene.bootstrapServers())) {
                for (var round = 0; round < MOMENTS; round++) {
                    var trial = scene.start(scene.yaml());
                    trial.await("alive", () -> trial.pages().code("/healthz") == 200);
                    var moment = Deadline.in(Duration.ofMillis(chance.nextInt(LATEST_MILLIS)));
                    trial.await("the moment to stop", moment::passed);
                    var report = trial.terminate(0);
                    assertThat(report.drained()).isTrue();
                    delivered += report.rows().delivered();
                }
            }
            var last = scene.startReady(scene.yaml());
            last.awaitCaughtUp();
            delivered += last.terminate(0).rows().delivered();
            assertThat(delivered)
                    .as("nothing was delivered twice")
                    .isEqualTo(scene.orders().ids().size());
            assertThat(scene.store().against(scene.orders())).isEqualTo(Store.Difference.NONE);
        }
    }

    @Test
    @Tag("DRN-11")
    void aStopBeforeAnyBrokerAnsweredIsClean(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var scene = lab.scene(SHAPE, directory)) {
            var trial = scene.start(scene.yaml("127.0.0.1:" + FreePort.take()));
            trial.await("alive", () -> trial.pages().code("/healthz") == 200);
            assertThat(trial.pages().code("/readyz")).isEqualTo(503);

            var report = trial.terminate(0);

            assertThat(report.reason()).isEqualTo("SIGTERM");
            assertThat(report.partitions()).isEmpty();
            assertThat(report.rows().polled()).isZero();
            assertThat(report.drained()).isTrue();
            assertThat(report.caughtUp()).as("no backlog was read").isNull();
        }
    }

    @Test
    @Tag("DRN-11")
    @Tag("OPS-7")
    void aStopBeforeTheSinkWasEverReachedIsClean(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var scene = lab.scene(SHAPE, directory)) {
            scene.eachProxy(ChaosProxy::refuse);
            var trial = scene.start(scene.yaml());
            trial.await("alive", () -> trial.pages().code("/healthz") == 200);
            assertThat(trial.pages().code("/readyz")).isEqualTo(503);

            var report = trial.terminate(0);

            assertThat(report.rows().polled()).isZero();
            assertThat(report.drained()).isTrue();
            assertThat(report.caughtUp()).as("no backlog was read").isNull();
        }
    }

    @Test
    @Tag("DRN-2")
    void theReportGoesToTheFileThatIsNamed(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var scene = lab.scene(SHAPE, directory)) {
            var file = directory.resolve("report.json");
            var trial = scene.startReady(scene.yaml().reportTo(file.toString()));
            scene.orders().produce(FEW);
            trial.awaitCaughtUp();

            trial.process().terminate();
            var code = trial.process().awaitExit(Duration.ofSeconds(12));

            assertThat(code).as(trial.process()::evidence).isZero();
            assertThat(trial.process().stdout()).isEmpty();
            var report = trial.read(Files.readString(file));
            trial.isTrue(report, 0);
            assertThat(report.rows().delivered()).isEqualTo(FEW);
        }
    }

    @Test
    @Tag("DRN-2")
    @Tag("DRN-8")
    void aReportThatItsFileDoesNotTakeGoesToStandardOutput(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var scene = lab.scene(SHAPE, directory)) {
            var trial = scene.startReady(scene.yaml()
                    .sink("breaker", "{ failures: 1, open_for: 50s }")
                    .drainTimeout(Duration.ofSeconds(1))
                    .reportTo("/dev/full"));
            scene.eachProxy(ChaosProxy::refuse);
            scene.orders().produce(FEW);
            trial.awaitPolled(FEW);

            var report = trial.terminate(3);

            assertThat(report.left()).isEqualTo(FEW);
            assertThat(trial.process().stderr()).contains("report_not_written");
        }
    }
}
