package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.KafkaSourceConfig.GroupProtocol;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Partitions are taken away while a write of theirs has not been answered: an answer within the time-out is
/// committed in the revoke, a later one replays at the next owner, once.
@ExtendWith(LabExtension.class)
class RevokeTest {
    private static final int PARTITIONS = 2;
    private static final int SETTLED = 200;
    private static final int IN_FLIGHT = 400;
    private static final Duration LONG = Duration.ofSeconds(15);
    private static final Duration SHORT = Duration.ofMillis(400);

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    @Tag("SRC-3")
    @Tag("CKP-8")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    void anAnswerWithinTheTimeOutIsCommittedBeforeTheRevokeReturns(
            GroupProtocol protocol, SharedLab lab, @TempDir Path directory) throws Exception {
        try (var scene = lab.scene(new Scene.Shape(1, 1, PARTITIONS), directory);
                var commits = CommitWatch.over(scene::committed);
                var log = LogLines.capture();
                var first = withAWriteInFlight(scene, protocol, LONG);
                var second = InProcess.start(yaml(scene, protocol, LONG))) {
            first.await("the revoke", () -> log.lines().stream().anyMatch(line -> line.startsWith("event=revoked")));
            assertThat(owned(second))
                    .as("what is being revoked is nobody else's yet")
                    .isZero();
            scene.heal();
            first.await("a partition for each", () -> owned(first) == 1 && owned(second) == 1);
            first.await("all committed", scene::caughtUp);

            var newcomer = second.stop(0);
            var report = first.stop(0);

            assertThat(newcomer.rows().polled()).as("nothing was replayed").isZero();
            assertThat(report.rows().polled()).isEqualTo(SETTLED + IN_FLIGHT);
            assertThat(report.rows().duplicate()).isZero();
            assertThat(scene.store().against(scene.orders())).isEqualTo(Store.Difference.NONE);
            assertThat(commits.end()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    @Tag("SRC-3")
    @Tag("CKP-6")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    void anAnswerAfterTheTimeOutIsReplayedOnceAndTheKeptPartitionsIsNot(
            GroupProtocol protocol, SharedLab lab, @TempDir Path directory) throws Exception {
        try (var scene = lab.scene(new Scene.Shape(1, 1, PARTITIONS), directory);
                var commits = CommitWatch.over(scene::committed);
                var first = withAWriteInFlight(scene, protocol, SHORT);
                var second = InProcess.start(yaml(scene, protocol, SHORT))) {
            first.await("a partition for each", () -> owned(first) == 1 && owned(second) == 1);
            second.await("the replay", () -> second.metrics().sum("millrace_rows_polled_total") > 0);
            assertThat(scene.caughtUp()).isFalse();
            scene.heal();
            first.await("all committed", scene::caughtUp);
            assertThat(first.metrics().sum("millrace_stale_acks_total"))
                    .as("the late answer changed nothing")
                    .isPositive();

            var newcomer = second.stop(0);
            var report = first.stop(0);

            assertThat(newcomer.rows().polled()).isBetween(1L, IN_FLIGHT - 1L);
            assertThat(newcomer.rows().duplicate())
                    .as("each of them was there")
                    .isEqualTo(newcomer.rows().polled());
            assertThat(report.rows().polled()).isEqualTo(SETTLED + IN_FLIGHT);
            assertThat(report.rows().duplicate()).isZero();
            assertThat(scene.store().against(scene.orders())).isEqualTo(Store.Difference.NONE);
            assertThat(commits.end()).isPositive();
        }
    }

    /// While it was lent nothing could be stored, and what is read again in the new epoch waits too: all that the
    /// first hears then is what became of a write of the old one.
    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    @Tag("CKP-6")
    @Tag("SRC-3")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName("CASES 28: a late answer of an earlier epoch moves nothing, though its partition is back, and counts")
    void anAnswerOfAnEarlierEpochMovesNothingThoughItsPartitionIsBack(
            GroupProtocol protocol, SharedLab lab, @TempDir Path directory) throws Exception {
        try (var scene = lab.scene(new Scene.Shape(1, 1, PARTITIONS), directory);
                var commits = CommitWatch.over(scene::committed);
                var durable = DurabilityWatch.over(scene);
                var first = withAWriteInFlight(scene, protocol, SHORT)) {
            var before = scene.committed();
            TopicPartition lent;
            try (var gate = scene.store().locked(0)) {
                lent = lentAndBack(scene, protocol, first);
                first.await("read again", () -> first.metrics().sum("millrace_held_rows") > IN_FLIGHT);
                scene.heal();
                first.await("the late answer", () -> first.metrics().sum("millrace_stale_acks_total") > 0);
                var kept = new TopicPartition(lent.topic(), 1 - lent.partition());
                var all = scene.orders().ends().getOrDefault(kept, -1L);
                first.await(
                        "the kept partition's commit",
                        () -> all.equals(scene.committed().get(kept)));
                assertThat(scene.committed()).containsEntry(lent, before.getOrDefault(lent, -1L));
                assertThat(first.metrics().sum("millrace_watermark", "partition=\"" + lent.partition() + '"'))
                        .isEqualTo((double) before.getOrDefault(lent, -1L));
                gate.rollback();
            }
            first.await("all committed", scene::caughtUp);

            var report = first.stop(0);
            var again = scene.orders().ends().getOrDefault(lent, -1L) - before.getOrDefault(lent, -1L);
            assertThat(report.rows().polled()).isEqualTo(SETTLED + IN_FLIGHT + again);
            assertThat(report.rows().duplicate())
                    .as("what the old epoch had stored is told as there")
                    .isEqualTo(again);
            assertThat(scene.store().against(scene.orders())).isEqualTo(Store.Difference.NONE);
            assertThat(commits.end()).isPositive();
            assertThat(durable.end()).isPositive();
        }
    }

    /// A second member has one of the two partitions, reads what is not committed, and leaves without having stored
    /// a row of it. Returns which.
    private static TopicPartition lentAndBack(Scene scene, GroupProtocol protocol, InProcess first) throws Exception {
        int lent;
        try (var second = InProcess.start(yaml(scene, protocol, SHORT).drainTimeout(Duration.ofMillis(500)))) {
            first.await("a partition for each", () -> owned(first) == 1 && owned(second) == 1);
            second.await("the replay", () -> second.metrics().sum("millrace_rows_polled_total") > 0);
            lent = second.metrics().has("millrace_watermark", "partition=\"0\"") ? 0 : 1;
            var left = second.stop(3);
            assertThat(left.rows().delivered()).isZero();
        }
        first.await("it is back", () -> owned(first) == PARTITIONS);
        return new TopicPartition(scene.orders().topic(), lent);
    }

    /// Alone in its group, with rows of both partitions stored and not answered.
    private static InProcess withAWriteInFlight(Scene scene, GroupProtocol protocol, Duration timeout)
            throws Exception {
        var run = InProcess.start(yaml(scene, protocol, timeout)).ready();
        scene.orders().produce(SETTLED);
        run.await("all committed", scene::caughtUp);
        scene.holdCommits();
        scene.orders().produce(IN_FLIGHT);
        run.await(
                "stored and not answered",
                () -> scene.store().rows() == SETTLED + IN_FLIGHT
                        && run.metrics().sum("millrace_held_rows") == IN_FLIGHT);
        return run;
    }

    private static PipelineYaml yaml(Scene scene, GroupProtocol protocol, Duration timeout) throws Exception {
        return scene.yaml(protocol, Duration.ofSeconds(30))
                .source("rebalance", "{ drain_timeout: " + timeout.toMillis() + "ms }")
                .sink("inflight", "{ max_per_shard: 8 }")
                .sink("write", "{ timeout: 60s }");
    }

    private static int owned(InProcess run) throws Exception {
        return run.pages().code("/metrics") == 200
                ? run.metrics().of("millrace_watermark").size()
                : 0;
    }
}
