package dev.millrace.sinkpool;

import static dev.millrace.sinkpool.Pool.eventually;
import static dev.millrace.sinkpool.Pool.in;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.breaker.ReplicaView.Phase;
import dev.millrace.checkpoint.Resolution;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The wall clock steps under a pool on real threads.
///
/// A process cannot set the machine's clock, so the pool gets one that steps. It asks it one thing alone: whether the
/// monotonic clock stood still while the machine slept, which makes tokens older (`PlannedShardTest`, EO-10: a step
/// forward looks like that, and is judged so, since the larger of two ages is the safe one). Waits know nothing of it.
@Tag("TIM-1")
final class WallClockTest {
    private static final long WAIT_MS = 400;
    /// Far below a step, far above what a busy machine adds.
    private static final long MOST_MS = 20_000;

    /// Shows the system's time and what it was set ahead by.
    private static final class Stepping implements InstantSource {
        private final AtomicLong aheadMillis = new AtomicLong();

        @Override
        public Instant instant() {
            return InstantSource.system().instant().plusMillis(aheadMillis.get());
        }

        void step(long hours) {
            aheadMillis.addAndGet(Duration.ofHours(hours).toMillis());
        }
    }

    private static void assertWaited(long beganNanos) {
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos))
                .isBetween(WAIT_MS, MOST_MS);
    }

    private static void offer(Pool pool, long from) {
        var chunk = pool.source.chunk("orders", 0, 1, from, 10, 20, System.nanoTime());
        assertThat(pool.pool.offer(Pool.TARGET, List.of(chunk))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {-4, 4})
    @Tag("SEAL-1")
    @DisplayName(
            "CASES 39: a step of the wall clock by hours, and back, in an open batch changes nothing of its linger")
    void aStepChangesNoLinger(long hours) throws Exception {
        var wall = new Stepping();
        try (var pool = new Pool(
                        new FakeSink(),
                        s -> {
                            s.maxRows = 100;
                            s.linger = WAIT_MS;
                        },
                        TokenMint.perRun("run"),
                        wall)
                .start()) {
            var began = System.nanoTime();
            offer(pool, 0);
            eventually("it is open", () -> pool.status().view().openRows() == 10);
            wall.step(hours);
            offer(pool, 10);
            eventually("more joins it", () -> pool.status().view().openRows() == 20);
            wall.step(-hours);
            offer(pool, 20);
            for (var i = 0; i < 3; i++) assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            assertWaited(began);
            assertThat(pool.counts().batchesWritten()).isOne();
            assertThat(pool.counts().sealedFor(SealReason.LINGER)).isOne();
            pool.finish();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-4, 4})
    @Tag("WRT-2")
    @Tag("BRK-3")
    @DisplayName("CASES 39: nor of a backoff, nor of how long a breaker is open")
    void aStepChangesNoBackoffAndNoBreaker(long hours) throws Exception {
        var wall = new Stepping();
        var sink = new FakeSink().next(_ -> Shard.sick(false)).next(_ -> Shard.sick(false));
        try (var pool = new Pool(
                        sink,
                        s -> {
                            s.failures = 2;
                            s.openFor = WAIT_MS;
                        },
                        TokenMint.perRun("run"),
                        wall)
                .start()) {
            var began = System.nanoTime();
            pool.offerBatch(0, 0);
            eventually("it backs off", () -> pool.status().view().sleepNanos() > 0);
            wall.step(hours);
            eventually("it is open", () -> phase(pool) == Phase.OPEN);
            wall.step(-2 * hours);
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            assertWaited(began);
            assertThat(sink.calls).hasValue(3);
            eventually("it closes", () -> phase(pool) == Phase.CLOSED);
            var now = System.nanoTime();
            assertThat(now - pool.status().view().lastAnswerNanos())
                    .as("an age")
                    .isNotNegative();
            pool.finish();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-4, 4})
    @Tag("WRT-1")
    @Tag("DRN-4")
    @DisplayName("CASES 39: nor of an attempt's time limit, nor of a drain's")
    void aStepChangesNoDeadline(long hours) throws Exception {
        var wall = new Stepping();
        var release = new CountDownLatch(1);
        FakeSink.Behaviour hangs = _ -> {
            FakeSink.awaitIgnoringInterrupts(release);
            return Shard.sick(true);
        };
        try (var pool = new Pool(
                        new FakeSink().next(hangs).next(hangs),
                        s -> {
                            s.failures = 100;
                            s.writeTimeout = WAIT_MS;
                        },
                        TokenMint.perRun("run"),
                        wall)
                .start()) {
            var began = System.nanoTime();
            pool.offerBatch(0, 0);
            eventually("it is being written", () -> pool.sink.calls.get() == 1);
            wall.step(hours);
            eventually("its time is over", () -> pool.counts().attempts(ShardCounts.Attempt.TIMED_OUT) == 1);
            assertWaited(began);
            eventually("it is being written again", () -> pool.sink.calls.get() == 2);
            var drain = System.nanoTime();
            pool.pool.closeInput();
            pool.pool.drainBy(in(WAIT_MS / 2));
            wall.step(-hours);
            assertThat(pool.pool.awaitFinished(in(MOST_MS))).isTrue();
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - drain)).isBetween(WAIT_MS / 2, MOST_MS);
            assertThat(pool.counts().rowsInDoubt()).isEqualTo(10);
            pool.assertSettled();
        } finally {
            release.countDown();
        }
    }

    private static Phase phase(Pool pool) {
        return pool.status().view().replicas().getFirst().state().phase();
    }
}
