package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.ChaosProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// SIGTERM while the sink takes nothing: the process ends in time, tells the truth to the row, and the next one
/// delivers the rest.
@ExtendWith(LabExtension.class)
class OutageDrainTest {
    private static final Duration BUDGET = Duration.ofSeconds(3);
    private static final Duration LONG_BUDGET = Duration.ofSeconds(20);
    private static final Duration AT_ONCE = Duration.ofSeconds(2);
    private static final int SETTLED = 1_000;
    private static final int CAUGHT = 3_000;
    private static final int BATCH = 500;
    private static final int BEHIND = 250;
    private static final int ROOM = 2_000;
    private static final int DEAD = 0;
    private static final int SHARDS = 2;
    private static final int REPLICAS = 2;
    private static final Scene.Shape WIDE = new Scene.Shape(SHARDS, REPLICAS, 4);
    private static final Scene.Shape NARROW = new Scene.Shape(1, 1, 1);

    /// Settles a first part, breaks the sink, and waits until the second part is taken and all breakers are open.
    private static Trial intoAnOutage(Scene scene, PipelineYaml yaml, Consumer<ChaosProxy> fault) throws Exception {
        var trial = scene.startReady(yaml);
        scene.orders().produce(SETTLED);
        trial.awaitCaughtUp();
        scene.eachProxy(fault);
        scene.orders().produce(CAUGHT);
        trial.awaitPolled(SETTLED + CAUGHT);
        trial.awaitAllOpen(SHARDS * REPLICAS);
        assertThat(trial.pages().code("/healthz")).isEqualTo(200);
        assertThat(trial.pages().code("/readyz")).isEqualTo(503);
        return trial;
    }

    /// Breakers open soon and stay open.
    private static PipelineYaml staysOpen(Scene scene) {
        return scene.yaml()
                .sink("write", "{ timeout: 1s }")
                .sink("breaker", "{ failures: 2, open_for: 50s }")
                .drainTimeout(BUDGET);
    }

    private static void tellsTheOutage(Report report) {
        assertThat(report.reason()).isEqualTo("SIGTERM");
        assertThat(report.cutShort()).isFalse();
        assertThat(report.drained()).isFalse();
        assertThat(report.caughtUp()).isFalse();
        assertThat(report.rows().polled()).isEqualTo(SETTLED + CAUGHT);
        assertThat(report.rows().delivered()).isEqualTo(SETTLED);
        assertThat(report.left()).isEqualTo(CAUGHT);
        assertThat(report.shards()).allSatisfy(shard -> {
            assertThat(shard.state()).isEqualTo("abandoned");
            assertThat(shard.lowerBound()).isFalse();
        });
        assertThat(report.shards().stream().mapToLong(Report.Shard::rowsLeft).sum())
                .isEqualTo(CAUGHT);
        assertThat(report.replicas()).allSatisfy(replica -> {
            assertThat(replica.breaker()).isEqualTo("open");
            assertThat(replica.failed()).isPositive();
            assertThat(replica.lastFailure()).isNotBlank();
        });
        var blocked = report.partitions().stream()
                .filter(partition -> !partition.done())
                .toList();
        assertThat(blocked)
                .isNotEmpty()
                .allSatisfy(partition -> assertThat(partition.blockedBy()).matches("warehouse/s[01] batch \\d+: .+"));
    }

    /// One shard takes nothing, and the process is full of what is meant for it.
    private static Trial besideADeadShard(Scene scene, Duration budget) throws Exception {
        var trial = scene.startReady(
                staysOpen(scene).admission("{ max_rows: " + ROOM + " }").drainTimeout(budget));
        scene.orders().produce(SETTLED);
        trial.awaitCaughtUp();
        scene.proxiesOf(DEAD).forEach(ChaosProxy::refuse);
        scene.orders().produce(4 * ROOM);
        trial.awaitAllOpen(REPLICAS);
        trial.await("paused", () -> trial.pages().metric("millrace_pauses_total") > 0);
        return trial;
    }

    private static void theNextStartDeliversAll(Scene scene) throws Exception {
        scene.heal();
        var next = scene.startReady(scene.yaml());
        next.awaitCaughtUp();
        var report = next.terminate(0);
        assertThat(report.drained()).isTrue();
        assertThat(report.caughtUp()).isTrue();
        assertThat(scene.store().against(scene.orders())).isEqualTo(Store.Difference.NONE);
    }

    @Test
    @Tag("DRN-1")
    @Tag("DRN-2")
    @Tag("DRN-4")
    @Tag("DRN-5")
    @Tag("DRN-8")
    @Tag("DRN-9")
    void aDrainWhileEveryReplicaRefusesEndsInTimeAndTellsWhatItLeft(SharedLab lab, @TempDir Path directory)
            throws Exception {
        try (var scene = lab.scene(WIDE, directory)) {
            var report =
                    intoAnOutage(scene, staysOpen(scene), ChaosProxy::refuse).terminate(3);

            tellsTheOutage(report);
            assertThat(report.rows().inDoubt())
                    .as("nothing can be stored where nobody answers")
                    .isZero();
            theNextStartDeliversAll(scene);
        }
    }

    @Test
    @Tag("DRN-1")
    @Tag("DRN-2")
    @Tag("DRN-4")
    @Tag("DRN-5")
    @Tag("DRN-9")
    @Tag("WRT-1")
    void aDrainWhileEveryReplicaHangsEndsInTimeAndTellsWhatItLeft(SharedLab lab, @TempDir Path directory)
            throws Exception {
        try (var scene = lab.scene(WIDE, directory)) {
            var report =
                    intoAnOutage(scene, staysOpen(scene), ChaosProxy::blackHole).terminate(3);

            tellsTheOutage(report);
            theNextStartDeliversAll(scene);
        }
    }

    @Test
    @Tag("DRN-1")
    @Tag("DRN-2")
    @Tag("DRN-3")
    @Tag("DRN-9")
    void aDrainBesideADeadShardAlsoCountsWhatThatHadNoRoomFor(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var scene = lab.scene(WIDE, directory)) {
            var trial = besideADeadShard(scene, BUDGET);

            var report = trial.terminate(3);

            assertThat(report.drained()).isFalse();
            assertThat(report.rows().inDoubt()).isZero();
            assertThat(report.left()).isPositive();
            assertThat(report.shards()).extracting(Report.Shard::state).containsExactly("abandoned", "finished");
            theNextStartDeliversAll(scene);
        }
    }

    @Test
    @Tag("DRN-2")
    @Tag("DRN-4")
    @Tag("DRN-9")
    void aBatchWhoseCommitIsNotAnsweredIsInDoubtAndTheOneBehindItIsAbandoned(SharedLab lab, @TempDir Path directory)
            throws Exception {
        try (var scene = lab.scene(NARROW, directory)) {
            var trial = scene.startReady(oneBatchAtATime(scene).drainTimeout(BUDGET));
            heldCommit(scene, trial);

            var report = trial.terminate(3, BATCH);

            assertThat(report.rows().delivered()).isZero();
            assertThat(report.rows().inDoubt()).isEqualTo(BATCH);
            assertThat(report.rows().abandoned()).isEqualTo(BEHIND);
            assertThat(report.drained()).isFalse();
            assertThat(scene.store().rows())
                    .as("what is in doubt is stored here")
                    .isEqualTo(BATCH);
            theNextStartDeliversAll(scene);
        }
    }

    private static PipelineYaml oneBatchAtATime(Scene scene) {
        return scene.yaml()
                .sink("batch", "{ max_rows: " + BATCH + ", linger: 30s }")
                .sink("inflight", "{ max_per_shard: 1 }")
                .checkpoint("{ interval: 40s }")
                .sink("write", "{ timeout: 60s }");
    }

    /// One batch is stored and does not know it, fewer rows are open behind it.
    private static void heldCommit(Scene scene, Trial trial) throws Exception {
        scene.holdCommits();
        scene.orders().produce(BATCH);
        trial.await("a commit without its answer", () -> scene.held() == 1);
        scene.orders().produce(BEHIND);
        trial.awaitPolled(BATCH + BEHIND);
    }

    @Test
    @Tag("DRN-6")
    @Tag("DRN-8")
    @DisplayName("CASES 33: a second SIGTERM ends at once, with 143 and a report that says that it was cut short")
    void aSecondSignalEndsADrainAtOnceWithAReportThatSaysSo(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var scene = lab.scene(WIDE, directory)) {
            var trial = intoAnOutage(scene, staysOpen(scene).drainTimeout(LONG_BUDGET), ChaosProxy::refuse);
            trial.process().terminate();
            trial.await("the drain began", () -> trial.process().stderr().contains("SIGTERM: draining"));

            var second = System.nanoTime();
            trial.process().terminate();
            var report = trial.awaitEnd(143);

            assertThat(Duration.ofNanos(System.nanoTime() - second)).isLessThan(AT_ONCE);
            assertThat(report.cutShort()).isTrue();
            assertThat(report.reason()).isEqualTo("SIGTERM");
            assertThat(report.drained()).isNotEqualTo(true);
            assertThat(report.rows().delivered()).isEqualTo(SETTLED);
            trial.isTrue(report, 0);
            theNextStartDeliversAll(scene);
        }
    }

    @Test
    @Tag("DRN-3")
    @Tag("DRN-9")
    void aStopThatGivesNoTimeEndsAtOnceAndSaysWhatItDidNotWaitFor(SharedLab lab, @TempDir Path directory)
            throws Exception {
        try (var scene = lab.scene(NARROW, directory)) {
            var trial = scene.startReady(oneBatchAtATime(scene).drainTimeout(Duration.ZERO));
            heldCommit(scene, trial);

            trial.process().terminate();
            var report = trial.awaitEnd(trial.process().awaitExit(AT_ONCE));

            assertThat(report.exitCode()).as(trial.process()::evidence).isIn(3, 4);
            assertThat(report.drained()).isNotEqualTo(true);
            assertThat(report.shards())
                    .extracting(Report.Shard::state)
                    .isSubsetOf(List.of("abandoned", "not_waited_for"));
            assertThat(report.rows().delivered()).isZero();
            assertThat(report.shards().stream()
                            .mapToLong(Report.Shard::rowsLeft)
                            .sum())
                    .isPositive();
            trial.isTrue(report, BATCH);
            theNextStartDeliversAll(scene);
        }
    }

    @Test
    @Tag("DRN-3")
    @Tag("DRN-9")
    void aStopThatGivesAFullProcessNoTimeCountsNothingTwice(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var scene = lab.scene(WIDE, directory)) {
            var trial = besideADeadShard(scene, Duration.ZERO);

            trial.process().terminate();
            var report = trial.awaitEnd(trial.process().awaitExit(AT_ONCE));

            assertThat(report.exitCode()).as(trial.process()::evidence).isIn(3, 4);
            assertThat(report.drained()).isNotEqualTo(true);
            trial.isTrue(report, 0);
            theNextStartDeliversAll(scene);
        }
    }
}
