package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.KafkaSourceConfig.GroupProtocol;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Members of one group come and go while orders stream in, with batches half full at every moment.
@ExtendWith(LabExtension.class)
class MembershipTest {
    private static final int PARTITIONS = 8;
    private static final int MORE = 1_000;

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    @Tag("SRC-3")
    @Tag("CKP-6")
    @Tag("CKP-8")
    @Tag("OPS-11")
    @Timeout(value = 180, unit = TimeUnit.SECONDS)
    void membersThatComeAndGoUnderLoadLoseNothingAndRepeatOnlyWhatIsRefused(
            GroupProtocol protocol, SharedLab lab, @TempDir Path directory) throws Exception {
        var reports = new ArrayList<Report>();
        try (var scene = lab.scene(new Scene.Shape(2, 1, PARTITIONS), directory);
                var commits = CommitWatch.over(scene::committed);
                var durable = DurabilityWatch.over(scene)) {
            InProcess first;
            InProcess second;
            InProcess third;
            try (var _ = SteadyLoad.start(scene.orders(), scene.bootstrapServers())) {
                first = InProcess.start(lingering(scene, protocol)).ready();
                goesOn(scene, first);
                second = InProcess.start(lingering(scene, protocol).source("consumers", "2"))
                        .ready();
                shareAll(scene, first, second);
                third = InProcess.start(lingering(scene, protocol)).ready();
                shareAll(scene, first, second, third);
                reports.add(third.stop(0));
                shareAll(scene, first, second);
                third = InProcess.start(lingering(scene, protocol)).ready();
                shareAll(scene, first, second, third);
                reports.add(first.stop(0));
                shareAll(scene, second, third);
            }
            var last = third;
            last.await("all committed", scene::caughtUp);
            reports.add(second.stop(0));
            last.await("all partitions", () -> owned(last).size() == PARTITIONS);
            reports.add(last.stop(0));

            assertThat(scene.store().against(scene.orders())).isEqualTo(Store.Difference.NONE);
            assertThat(scene.caughtUp()).isTrue();
            theSumHolds(scene, reports);
            assertThat(commits.end()).isPositive();
            assertThat(durable.end()).isPositive();
        }
    }

    /// Batches stay open for longer than a rebalance takes.
    private static PipelineYaml lingering(Scene scene, GroupProtocol protocol) throws Exception {
        return scene.yaml(protocol, Duration.ofSeconds(3)).sink("batch", "{ linger: 190ms }");
    }

    private static void theSumHolds(Scene scene, List<Report> reports) {
        var delivered = reports.stream().mapToLong(r -> r.rows().delivered()).sum();
        var duplicate = reports.stream().mapToLong(r -> r.rows().duplicate()).sum();
        var polled = reports.stream().mapToLong(r -> r.rows().polled()).sum();
        var left = reports.stream().mapToLong(Report::left).sum();
        var produced = scene.orders().ids().size();
        assertThat(delivered - duplicate)
                .as("accepted by the databases")
                .isEqualTo(scene.store().rows())
                .isEqualTo(produced);
        assertThat(polled).as("polled by all").isEqualTo(delivered + left);
        assertThat(reports).allSatisfy(report -> assertThat(report.drained()).isTrue());
        System.err.printf(
                "proof: %d members' reports, %d produced, %d polled, %d refused repeats, %d given up in rebalances%n",
                reports.size(), produced, polled, duplicate, left);
    }

    private static void goesOn(Scene scene, InProcess run) throws Exception {
        var before = scene.store().rows();
        run.await(MORE + " rows more", () -> scene.store().rows() >= before + MORE);
    }

    /// Together they have every partition, each one of them at least one, no two of them the same; and rows flow.
    private static void shareAll(Scene scene, InProcess... runs) throws Exception {
        runs[0].await("a share for each of " + runs.length, () -> {
            var all = new HashSet<String>();
            var sum = 0;
            for (var run : runs) {
                var mine = owned(run);
                if (mine.isEmpty()) return false;
                sum += mine.size();
                all.addAll(mine);
            }
            return sum == PARTITIONS && all.size() == PARTITIONS;
        });
        goesOn(scene, runs[runs.length - 1]);
    }

    /// Those that it has a series of: partitions that it lost leave.
    private static Set<String> owned(InProcess run) throws Exception {
        return run.metrics().of("millrace_watermark").keySet();
    }
}
