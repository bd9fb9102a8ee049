package dev.millrace.kafka;

import static dev.millrace.kafka.Bench.MS;
import static dev.millrace.kafka.Bench.P0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.SourceCommand.Commit;
import dev.millrace.kafka.SourceCommand.Stop;
import dev.millrace.sinkpool.Ending;
import dev.millrace.sinkpool.MemoryIntake;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a member has to do in time, where every poll brings as much as it may: there is no empty poll, and no tick.
@Tag("OPS-12")
final class HousekeepingTest {
    private static final int FULL = 10;

    private static void fullPolls(Bench bench, int polls, long everyNanos) {
        for (var n = 0; n < polls; n++) {
            bench.now += everyNanos;
            bench.takeInbox();
            bench.poll(P0, n * (long) FULL, FULL);
        }
    }

    @Test
    @DisplayName("OPS-12: commits go out on their interval, and rows are handed over, though every poll is full")
    void commitsGoOutOnTheirInterval() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 0);
        var committed = 0L;
        for (var n = 0; n < 100; n++) {
            bench.now += 20 * MS;
            bench.takeInbox();
            bench.poll(P0, n * (long) FULL, FULL);
            if (bench.machine.commitOut())
                committed = Bench.entry(bench.acknowledge(), P0).offset();
        }
        // In two seconds, at most one in 100 ms.
        assertThat(bench.all(Commit.class)).hasSizeBetween(15, 20);
        assertThat(committed).isGreaterThan(90 * FULL);
    }

    @Test
    @DisplayName("OPS-12: a range that failed ends the process in its time, though every poll is full")
    void aStalledHeadIsSeen() {
        var intake = new MemoryIntake().hold();
        var bench = Bench.of(intake);
        bench.assign(P0, 0);
        fullPolls(bench, 3, 100 * MS);
        intake.settleHeld(Ending.ABANDONED);
        intake.letGo();
        bench.takeInbox();
        for (var n = 3; n < 130 && bench.all(Stop.class).isEmpty(); n++) {
            bench.now += 1_000 * MS;
            bench.takeInbox();
            bench.poll(P0, n * (long) FULL, FULL);
        }
        assertThat(bench.all(Stop.class)).singleElement().satisfies(stop -> {
            assertThat(stop.exitCode()).isEqualTo(5);
            assertThat(stop.reason()).contains("has held the watermark for 120 s");
        });
    }
}
