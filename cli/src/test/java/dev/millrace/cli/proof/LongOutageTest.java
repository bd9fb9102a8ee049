package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.ChaosProxy;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The sink is down for three times as long as Kafka lets a consumer go without a poll: one shard refuses, the other
/// takes connections and answers nothing.
@ExtendWith(LabExtension.class)
class LongOutageTest {
    private static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(4);
    private static final Duration OUTAGE = MAX_POLL_INTERVAL.multipliedBy(3);
    private static final int SETTLED = 500;
    private static final int WAITING = 20_000;
    private static final int ROOM = 5_000;
    private static final int REFUSES = 0;
    private static final int HANGS = 1;

    @Test
    @Tag("SRC-1")
    @Tag("OPS-7")
    @Tag("WRT-1")
    @Tag("BRK-2")
    @DisplayName("CASES 32, CASES 38: a sink that hangs for longer than a consumer may go without a poll costs no"
            + " rebalance, time-outs open its breaker, and the process is alive and not ready")
    void aSinkThatIsDownForLongCostsNoRebalance(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var scene = lab.scene(new Scene.Shape(2, 1, 2), directory)) {
            var trial = scene.startReady(scene.yaml()
                    .source("rebalance", "{ drain_timeout: 1s }")
                    .sink("write", "{ timeout: 1s }")
                    .property("max.poll.interval.ms", Long.toString(MAX_POLL_INTERVAL.toMillis()))
                    .admission("{ max_rows: " + ROOM + " }"));
            scene.orders().produce(SETTLED);
            trial.awaitCaughtUp();
            var members = scene.members();
            var rebalances = trial.pages().metric("millrace_rebalances_total");

            scene.proxiesOf(REFUSES).forEach(ChaosProxy::refuse);
            scene.proxiesOf(HANGS).forEach(ChaosProxy::blackHole);
            scene.orders().produce(WAITING);
            trial.awaitUnready();
            trial.awaitAllOpen(2);
            var outage = Deadline.in(OUTAGE);
            trial.await("the end of the outage", () -> {
                assertThat(trial.pages().code("/healthz")).as("alive").isEqualTo(200);
                assertThat(trial.pages().code("/readyz")).as("ready").isEqualTo(503);
                return outage.passed();
            });
            assertThat(trial.pages().metric("millrace_rows_polled_total"))
                    .as("it took no more than it has room for")
                    .isLessThan(SETTLED + WAITING);
            var metrics = Metrics.parse(trial.pages().body("/metrics"));
            var hangs = "shard=\"s" + HANGS + '"';
            assertThat(metrics.sum("millrace_attempts_total", hangs, "outcome=\"timed_out\"")
                            + metrics.sum("millrace_attempts_total", hangs, "outcome=\"unavailable\""))
                    .as("attempts that nobody answered, and that ended by a time limit")
                    .isGreaterThan(2);
            assertThat(metrics.of("millrace_pauses_total").values().stream()
                            .mapToDouble(Double::doubleValue)
                            .sum())
                    .as("it polls partitions that are paused")
                    .isPositive();
            assertThat(scene.members()).isEqualTo(members);
            scene.heal();
            trial.awaitCaughtUp();

            assertThat(scene.members()).as("the same members").isEqualTo(members);
            assertThat(trial.pages().metric("millrace_rebalances_total")).isEqualTo(rebalances);
            trial.awaitReady();
            assertThat(trial.terminate(0).drained()).isTrue();
            assertThat(scene.store().against(scene.orders())).isEqualTo(Store.Difference.NONE);
        }
    }
}
