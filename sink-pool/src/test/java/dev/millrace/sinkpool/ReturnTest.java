package dev.millrace.sinkpool;

import static dev.millrace.sinkpool.Shard.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.breaker.ReplicaView;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// How the writes of a shard come back to a replica that flaps, and to one that is well again.
@Tag("BRK-13")
final class ReturnTest {
    private static final int FLAPPER = 0;
    private static final int SIBLING = 1;

    /// A shard of two that always has more to write, in simulated time. A write takes `writeMs`; a replica that is down
    /// refuses it after a millisecond.
    private static final class Busy {
        private record End(long ms, long attempt, int rows, int replica, long beganMs) {}

        final Shard shard;
        private final PriorityQueue<End> ends =
                new PriorityQueue<>(Comparator.comparingLong(End::ms).thenComparingLong(End::attempt));
        private final long writeMs;
        private long batches;
        private long nowMs;
        /// Until then it is up for two seconds and down for two.
        long flapsUntilMs = Long.MAX_VALUE;

        Busy(long writeMs, long openForMs) {
            this.writeMs = writeMs;
            this.shard = new Shard(s -> {
                s.replicas = 2;
                s.maxRows = 10;
                s.openFor = openForMs;
            });
        }

        private boolean up(int replica, long ms) {
            return replica != FLAPPER || ms >= flapsUntilMs || ms / 2000 % 2 == 0;
        }

        void runUntil(long untilMs) {
            feed();
            while (true) {
                var wake = shard.wakeMs();
                var end = ends.peek();
                var next = end == null ? wake : wake < 0 ? end.ms : Math.min(end.ms, wake);
                if (next > untilMs) return;
                nowMs = next;
                shard.at(nowMs);
                if (end != null && end.ms == next) saw(shard.end(ends.remove().attempt, outcome(end)));
                else saw(shard.tickWhenDue());
                feed();
            }
        }

        private WriteOutcome outcome(End end) {
            var well = up(end.replica, end.beganMs) && up(end.replica, end.ms);
            return well ? new WriteOutcome.Written(end.rows, 0) : Shard.sick(false);
        }

        private void feed() {
            while (shard.machine.wantsChunks()) saw(shard.fullBatch(batches++));
        }

        private void saw(Step step) {
            for (var start : step.started()) begin(start.attempt(), start.rows().rows(), start.replica(), writeMs);
            for (var ping : step.pinged()) begin(ping.attempt(), 0, ping.replica(), 1);
        }

        private void begin(long attempt, int rows, int replica, long takesMs) {
            var ms = nowMs + (up(replica, nowMs) ? takesMs : 1);
            ends.add(new End(ms, attempt, rows, replica, nowMs));
        }

        double share() {
            double flapper = shard.counts.attemptsOf(FLAPPER);
            return flapper / (flapper + shard.counts.attemptsOf(SIBLING));
        }

        ReplicaView flapper() {
            return shard.view().replicas().get(FLAPPER).state();
        }

        void end() {
            shard.drainBy(nowMs);
            shard.assertAtRest();
        }
    }

    @ParameterizedTest
    @CsvSource({"3, 5000", "10, 100", "10, 1000", "37, 2000", "37, 500", "100, 1000", "250, 5000", "250, 100"})
    void aReplicaThatFlapsEveryTwoSecondsForAMinuteGetsATenthOfTheAttemptsAtMost(long writeMs, long openForMs) {
        var busy = new Busy(writeMs, openForMs);
        busy.runUntil(60_000);
        assertThat(busy.share()).isBetween(0.001, 0.1);
        assertThat(busy.shard.counts.batchesWritten())
                .as("the shard writes on, two at a time")
                .isGreaterThan((long) (0.8 * 2 * 60_000 / writeMs));
        busy.end();
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 10, 37, 100, 250})
    void onceItIsWellItHasItsFullPartAgainInFourTimesTheOpenTime(long writeMs) {
        var busy = new Busy(writeMs, 5_000);
        busy.flapsUntilMs = 60_000;
        busy.runUntil(60_000);
        var ends = busy.flapper().phaseEndsNanos();
        var closesMs = 60_000 + (ends == NanoClock.NEVER ? 0 : (ends - busy.shard.nanosAt(60_000)) / MS);
        // Each of the four steps ends with a write of its own, which is one of 17 at first; so does its probe.
        busy.runUntil(closesMs + 4 * 5_000 + 34 * writeMs);
        assertThat(busy.flapper().oneTurnIn()).isOne();
        var attempts = busy.shard.counts.attemptsOf(FLAPPER);
        var sibling = busy.shard.counts.attemptsOf(SIBLING);
        busy.runUntil(busy.nowMs + 20_000);
        assertThat(busy.shard.counts.attemptsOf(FLAPPER) - attempts)
                .as("turn by turn")
                .isCloseTo(busy.shard.counts.attemptsOf(SIBLING) - sibling, within(1L));
        busy.end();
    }

    @Test
    void aReplicaAloneIsGivenAllItCanTakeAtOnce() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.failures = 1;
        });
        shard.sick(shard.fullBatch(0).start());
        shard.fullBatch(1);
        shard.fullBatch(2);
        var probe = shard.tickAt(5_000).start();
        var next = shard.written(probe).started();
        assertThat(next).hasSize(2);
        next.forEach(shard::written);
        shard.assertAtRest();
    }
}
