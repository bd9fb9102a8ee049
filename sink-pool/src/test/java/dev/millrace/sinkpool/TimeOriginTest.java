package dev.millrace.sinkpool;

import static dev.millrace.sinkpool.Shard.MS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The clock's origin is arbitrary: wherever it lies, the same happens at the same distances.
final class TimeOriginTest {
    /// A script with a linger, a time-out, an opening, a ping, probes, a repeat, and a drain that
    /// ends in an outage.
    private static List<String> run(long originNanos) {
        var shard = new Shard(s -> {
            s.originNanos = originNanos;
            s.replicas = 2;
            s.maxRows = 10;
            s.failures = 2;
            s.maxInFlight = 2;
        });
        var script = new TreeMap<Long, Consumer<List<Step>>>();
        script.put(0L, out -> out.add(shard.arrive(shard.rows(0, 3))));
        script.put(700L, out -> out.add(shard.arrive(shard.rows(3, 2))));
        script.put(40_000L, out -> out.add(shard.arrive(shard.rows(5, 10))));
        script.put(50_000L, out -> out.add(shard.arrive(shard.rows(15, 10))));
        script.put(60_000L, out -> out.add(shard.arrive(shard.rows(25, 10))));
        script.put(90_000L, out -> out.add(shard.arrive(shard.rows(35, 10), shard.rows(45, 4))));
        script.put(
                91_000L,
                out -> out.add(shard.on(new ShardEvent.DrainBy(NanoClock.due(shard.nanosAt(0), 120_000 * MS)))));
        var log = new ArrayList<String>();
        var now = 0L;
        var attempts = 0;
        while (!shard.finished()) {
            var wake = shard.machine.wakeAtNanos();
            var scripted = script.isEmpty() ? Long.MAX_VALUE : script.firstKey();
            var wakeMs = wake == NanoClock.NEVER ? Long.MAX_VALUE : (wake - originNanos) / MS;
            now = Math.min(scripted, wakeMs);
            var steps = new ArrayList<Step>();
            if (scripted <= wakeMs) {
                shard.at(now);
                Objects.requireNonNull(script.remove(now)).accept(steps);
            } else {
                steps.add(shard.atNanos(wake).on(new ShardEvent.Tick()));
            }
            for (var step : steps) {
                for (var command : step.commands()) log.add(now + ": " + told(command, originNanos));
                for (var ping : step.pinged())
                    script.put(++now, out -> out.add(shard.end(ping.attempt(), new WriteOutcome.Written(0, 0))));
                for (var start : step.started()) {
                    attempts++;
                    var silent = attempts == 1 || attempts == 7;
                    var well = attempts == 3 || attempts == 5 || attempts == 6;
                    now += 2;
                    while (script.containsKey(now)) now++;
                    if (!silent) script.put(now, out -> out.add(well ? shard.written(start) : shard.sick(start)));
                }
            }
            assertThat(log).hasSizeLessThan(1000);
        }
        shard.source.assertNothingLeaks();
        return log;
    }

    private static String told(ShardCommand command, long originNanos) {
        return switch (command) {
            case ShardCommand.StartAttempt(
                    var id,
                    var replica,
                    var batch,
                    var rows,
                    var token,
                    var stored,
                    var expired,
                    var deadline) ->
                "start " + id + " on " + replica + " batch " + batch.id() + " sealed "
                        + (batch.sealedNanos() - originNanos) / MS + " " + Bytes.rows(rows) + " " + token
                        + (stored ? " again" : "") + (expired ? " expired" : "") + " until "
                        + (deadline - originNanos) / MS;
            case ShardCommand.StartPing(var id, var replica, var deadline) ->
                "ping " + id + " on " + replica + " until " + (deadline - originNanos) / MS;
            case ShardCommand.AskSlot(var tenants) -> "ask for " + tenants;
            case ShardCommand.GiveSlotBack(var slot) -> "give back " + slot;
            case ShardCommand.CancelAttempt(var id) -> "cancel " + id;
            case ShardCommand.Settle(var chunk, var ended) -> chunk + " " + ended;
            case ShardCommand.DeadLetter(var _, var row, var failure, var attempts) ->
                "dead letter " + row + " " + failure + " " + attempts;
            case ShardCommand.MarkSplit(var batch) -> "mark " + batch.id();
            case ShardCommand.StopForExpired(var batch, var age, var window) ->
                "expired " + batch.id() + " " + age / MS + " of " + window / MS;
            case ShardCommand.StopFor(var row, var failure) -> "stop for " + row + " " + failure;
            case ShardCommand.Tell(var note) ->
                note.getClass().getSimpleName()
                        + (note instanceof ShardNote.OutageEnded(var n, var lasted) ? n + " " + lasted / MS : "");
            case ShardCommand.Finished() -> "finished";
        };
    }

    @Test
    @Tag("TIM-1")
    void theSameScriptGivesTheSameCommandsAtEveryOrigin() {
        var expected = run(1_000_000_000_000L);
        assertThat(expected).anyMatch(line -> line.contains("cancel"));
        assertThat(expected).anyMatch(line -> line.contains("ping"));
        assertThat(expected).anyMatch(line -> line.contains("OutageBegan"));
        assertThat(expected).anyMatch(line -> line.contains("inDoubt=10"));
        for (var origin : new long[] {0, -1, -30_000 * MS, Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE}) {
            assertThat(run(origin)).as("origin %d", origin).isEqualTo(expected);
        }
    }

    @Test
    @Tag("TIM-1")
    void theClockMayWrapAtAnyPointOfTheScript() {
        var expected = run(1_000_000_000_000L);
        // Each of these lets something fall due at exactly Long.MAX_VALUE, which also stands for "never".
        for (var ms : new long[] {
            0, 1, 100, 700, 1000, 1002, 5000, 31_000, 31_100, 36_000, 40_000, 45_000, 50_000, 70_000, 80_000, 90_000,
            100_000, 120_000, 130_000
        }) {
            assertThat(run(Long.MAX_VALUE - ms * MS))
                    .as("wraps after %d ms", ms)
                    .isEqualTo(expected);
        }
    }

    @Test
    @Tag("TIM-1")
    void aDeadlineThatFallsOnTheSentinelStillComes() {
        var shard = new Shard(s -> {
            s.originNanos = Long.MAX_VALUE - 30_000 * MS;
            s.maxRows = 10;
        });
        var start = shard.fullBatch(0).start();
        assertThat(shard.machine.wakeAtNanos()).isNotEqualTo(NanoClock.NEVER);
        assertThat(shard.tickWhenDue().cancelled()).containsExactly(start.attempt());
        shard.epochEnded("orders", 0, 1);
        shard.assertAtRest();
    }

    @Test
    @Tag("TIM-1")
    void aLingerThatEndsOnTheSentinelStillEnds() {
        var shard = new Shard(s -> s.originNanos = Long.MAX_VALUE - 1000 * MS);
        shard.arrive(shard.rows(0, 1));
        shard.written(shard.tickWhenDue().start());
        shard.assertAtRest();
    }
}
