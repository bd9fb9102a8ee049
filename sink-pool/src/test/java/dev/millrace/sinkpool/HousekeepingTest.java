package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.breaker.ReplicaView.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What has to be done in time is done though rows never stop coming, so that nothing ever waits for the time alone.
@Tag("OPS-12")
@Timeout(30)
final class HousekeepingTest {
    @Test
    @DisplayName(
            "OPS-12: attempts end at their deadline and replicas are probed, though a chunk comes before each tick")
    void whatIsDueIsDoneThoughChunksNeverStopComing() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 1;
            s.failures = 1;
            s.writeTimeout = 1_000;
        });
        var first = shard.fullBatch(0).start();
        var cancelled = new ArrayList<Long>();
        var begun = new ArrayList<ShardCommand.StartAttempt>();
        for (var n = 1; n <= 70; n++) {
            shard.at(n * 100L);
            var step = shard.arrive(shard.rows(100 + n, 1));
            cancelled.addAll(step.cancelled());
            begun.addAll(step.started());
            if (n == 11)
                assertThat(shard.view().replicas().getFirst().state().phase()).isEqualTo(Phase.OPEN);
        }
        assertThat(cancelled).contains(first.attempt());
        // A probe, with the batch that waited longest.
        assertThat(begun).isNotEmpty();
        assertThat(begun.getFirst().batch().id()).isEqualTo(first.batch().id());
    }

    @Test
    @DisplayName("OPS-12: a table is looked at again on its own interval, and also where somebody asks all the time")
    void aTableIsLookedAtWhateverElseHappens() throws Exception {
        var looks = new CountDownLatch(3);
        try (var _ = LayoutWatch.over(
                "sink",
                () -> {
                    looks.countDown();
                    return null;
                },
                Duration.ofMillis(2),
                Duration.ofMillis(1))) {
            assertThat(looks.await(20, TimeUnit.SECONDS)).isTrue();
        }

        var asked = new CountDownLatch(3);
        try (var watch = LayoutWatch.over(
                "sink",
                () -> {
                    asked.countDown();
                    return null;
                },
                Duration.ofHours(1),
                Duration.ofMillis(1))) {
            while (asked.getCount() > 0) watch.soon();
        }
    }

    @Test
    @DisplayName("OPS-12: a look that fails is not the last")
    void aLookThatFailsIsNotTheLast() throws Exception {
        var looks = new CountDownLatch(3);
        try (var _ = LayoutWatch.over(
                "sink",
                () -> {
                    looks.countDown();
                    throw new IllegalStateException("a fault");
                },
                Duration.ofMillis(2),
                Duration.ofMillis(1))) {
            assertThat(looks.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }
}
