package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.common.TopicPartition;

/// One run of the process in a scene, and what broker and databases said before it.
///
/// Thread ownership: the test's thread.
final class Trial implements AutoCloseable {
    /// From the first signal to the end of the process a drain may take its budget and this.
    private static final Duration GRACE = Duration.ofSeconds(1);

    /// For the system to hand over the signal and to bury the process, on a machine with other things to do.
    private static final Duration SLACK = Duration.ofSeconds(1);

    private static final Duration LONG = Duration.ofSeconds(40);

    private final Scene scene;
    private final MillraceProcess process;
    private final AdminPages pages;
    private final Duration budget;
    private final Map<TopicPartition, Long> committedBefore;
    private final long rowsBefore;

    private Trial(
            Scene scene, MillraceProcess process, PipelineYaml yaml, Map<TopicPartition, Long> committed, long rows) {
        this.scene = scene;
        this.process = process;
        this.pages = new AdminPages(yaml.port());
        this.budget = yaml.drainTimeout();
        this.committedBefore = committed;
        this.rowsBefore = rows;
    }

    static Trial start(Scene scene, Path file, PipelineYaml yaml) throws IOException {
        return start(scene, yaml, () -> MillraceProcess.run(file));
    }

    /// Of a process that is started otherwise.
    static Trial start(Scene scene, PipelineYaml yaml, Starter starter) throws IOException {
        var committed = scene.committed();
        var rows = scene.store().rows();
        return new Trial(scene, starter.start(), yaml, committed, rows);
    }

    /// Starts a process.
    @FunctionalInterface
    interface Starter {
        MillraceProcess start() throws IOException;
    }

    MillraceProcess process() {
        return process;
    }

    AdminPages pages() {
        return pages;
    }

    void awaitReady() throws Exception {
        await("ready", () -> pages.code("/readyz") == 200);
    }

    /// Waits for something the running process brings about. Fails at once if it ends.
    void await(String what, Callable<Boolean> holds) throws Exception {
        process.await(LONG, what, holds);
    }

    void awaitCaughtUp() throws Exception {
        await("all committed", scene::caughtUp);
    }

    void awaitPolled(long rows) throws Exception {
        await(rows + " rows polled", () -> pages.metric("millrace_rows_polled_total") == rows);
    }

    /// Every replica's breaker is open.
    void awaitAllOpen(int replicas) throws Exception {
        await("all breakers open", () -> pages.metric("millrace_breaker_state") == 2.0 * replicas);
    }

    /// A shard has no usable replica.
    void awaitUnready() throws Exception {
        await("not ready", () -> pages.code("/readyz") == 503);
    }

    /// SIGTERM, the end within the bound, and the report on standard output.
    Report terminate(int exitCode) throws Exception {
        return terminate(exitCode, 0);
    }

    /// The same, where so many of the rows in doubt are stored.
    Report terminate(int exitCode, long storedInDoubt) throws Exception {
        process.terminate();
        var report = awaitEnd(exitCode);
        assertThat(scene.members()).as("it left the group").isEmpty();
        isTrue(report, storedInDoubt);
        return report;
    }

    /// Waits for the end that was asked for, and reads the report on standard output.
    Report awaitEnd(Integer... exitCodes) throws Exception {
        var code = process.awaitExit(budget.plus(GRACE).plus(SLACK));
        assertThat(code).as(process::evidence).isIn((Object[]) exitCodes);
        return read(process.stdout());
    }

    Report read(String text) throws IOException {
        assertThat(text.lines()).as(process::evidence).hasSize(1);
        return Report.parse(text);
    }

    /// Compares every figure with what the broker and the databases say, where so many of the rows in doubt are
    /// stored.
    void isTrue(Report report, long storedInDoubt) {
        agreesWithTheBroker(report);
        assertThat(rowsThatCame())
                .as("rows that came to the databases, of %s", report)
                .isEqualTo(report.rows().delivered() - report.rows().duplicate() + storedInDoubt);
    }

    /// Rows in the databases that were not there before.
    long rowsThatCame() {
        return scene.store().rows() - rowsBefore;
    }

    /// Compares every figure but the rows stored.
    void agreesWithTheBroker(Report report) {
        report.addsUp();
        assertThat(report.pipeline()).isEqualTo("proof");
        assertThat(report.exitCode()).isEqualTo(process.exitCode());
        assertThat(report.drainBudgetSeconds()).isEqualTo(budget.toMillis() / 1000.0);
        assertThat(report.drainSeconds())
                .as("seconds of the drain")
                .isBetween(0.0, budget.plus(GRACE).toMillis() / 1000.0);
        var committed = scene.committed();
        var ends = scene.orders().ends();
        var taken = 0L;
        for (var partition : report.partitions()) {
            var key = new TopicPartition(partition.topic(), partition.partition());
            assertThat(partition.committed()).as("committed of %s", key).isEqualTo(committed.get(key));
            if (partition.end() != null)
                assertThat(partition.end()).as("end of %s", key).isBetween(partition.taken(), ends.get(key));
            taken += partition.taken() - committedBefore.getOrDefault(key, 0L);
        }
        assertThat(report.rows().polled()).as("rows polled of %s", report).isEqualTo(taken);
    }

    @Override
    public void close() {
        process.close();
    }
}
