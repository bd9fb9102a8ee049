package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.breaker.BreakerSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/// A shard machine on a bench: numbers for time, a fixed seed for chance, and the part of its
/// shell that settles.
///
/// Times are milliseconds from the start. Checks after each event what must always hold: no chunk is
/// settled twice, at most `max_per_shard` batches are being written, a repeat is the same bytes
/// under the same token, an attempt starts once, and the next wake-up lies ahead.
final class Shard {
    static final long MS = 1_000_000;
    static final ShardId ID = new ShardId("store", "s1");

    /// Settings with the defaults of the file, but for small batches and a linger of one second.
    /// Times in milliseconds.
    static final class Setup {
        int replicas = 1;
        int lanes = 1;
        boolean ordered = false;
        int maxRows = 100;
        long maxBytes = 1_000_000;
        long linger = 1000;
        int maxInFlight = 2;
        /// 0 for no limit.
        int maxTotal = 0;
        long writeTimeout = 30_000;
        double jitter = 0.2;
        int maxAttempts = 0;
        int failures = 3;
        long slow = Long.MAX_VALUE / MS;
        long openFor = 5000;
        long openForMax = 60_000;
        int probes = 1;
        long probeTimeout = 5000;
        boolean countsRows = true;
        AmbiguousSettings ambiguous = AmbiguousSettings.DEFAULT;
        boolean advisory = false;
        boolean planned = false;
        boolean resendsExpired = false;
        PoisonSettings poison = PoisonSettings.of(PoisonSettings.Action.DEAD_LETTER);
        /// What the clock shows at the start.
        long originNanos = 1_000_000_000_000L;

        ShardSettings settings() {
            return settings(ID);
        }

        /// Of another shard of the same sink.
        ShardSettings settings(String shard) {
            return settings(new ShardId(ID.sink(), shard));
        }

        private ShardSettings settings(ShardId id) {
            return new ShardSettings(
                    id,
                    replicas,
                    lanes,
                    ordered,
                    new ShardSettings.BatchSettings(maxRows, maxBytes, linger * MS),
                    maxInFlight,
                    maxTotal,
                    writeTimeout * MS,
                    new ShardSettings.RetrySettings(100 * MS, 10_000 * MS, 2, jitter, maxAttempts),
                    new BreakerSettings(
                            failures,
                            failures,
                            100,
                            slow * MS,
                            100,
                            openFor * MS,
                            openForMax * MS,
                            probes,
                            probeTimeout * MS),
                    countsRows,
                    poison,
                    ambiguous,
                    role());
        }

        private ShardSettings.Role role() {
            if (advisory) return ShardSettings.Role.ADVISES;
            if (!planned) return ShardSettings.Role.MERGES;
            return resendsExpired ? ShardSettings.Role.PLANNED_RESENDS : ShardSettings.Role.PLANNED;
        }
    }

    private record Sent(String bytes, Token token) {}

    final Setup setup;
    final Source source;
    final ShardCounts counts;
    final ShardMachine machine;
    private long now;
    private final Map<Token, Sent> firstSent = new HashMap<>();
    private final Set<Long> everStarted = new HashSet<>();
    private final Set<Long> live = new HashSet<>();
    private final Set<Long> slots = new HashSet<>();
    private boolean asks;
    private boolean finished;

    Shard(Consumer<Setup> changes) {
        this(changes, new Source(), TokenMint.perRun("run"));
    }

    Shard(Consumer<Setup> changes, Source source, TokenMint mint) {
        this.setup = new Setup();
        changes.accept(setup);
        this.source = source;
        this.counts = new ShardCounts(setup.replicas);
        this.now = setup.originNanos;
        this.machine = new ShardMachine(setup.settings(), mint, new SplittableRandom(42), counts, now);
    }

    // --- time

    long nanosAt(long ms) {
        return setup.originNanos + ms * MS;
    }

    long now() {
        return now;
    }

    private long ms(long nanos) {
        return (nanos - setup.originNanos) / MS;
    }

    /// The time is `ms` from now on; the machine is not told.
    Shard at(long ms) {
        return atNanos(nanosAt(ms));
    }

    Shard atNanos(long nanos) {
        assertThat(nanos - now).as("time goes on").isNotNegative();
        now = nanos;
        return this;
    }

    Step tickAt(long ms) {
        at(ms);
        return on(new ShardEvent.Tick());
    }

    /// Goes to the next wake-up and ticks. It must do something there, or move on: else a shell
    /// would spin.
    Step tickWhenDue() {
        var wake = machine.wakeAtNanos();
        assertThat(wake).as("a wake-up is set").isNotEqualTo(NanoClock.NEVER);
        atNanos(wake);
        return on(new ShardEvent.Tick());
    }

    /// Milliseconds, from the start, of the next wake-up; −1 for never.
    long wakeMs() {
        var wake = machine.wakeAtNanos();
        return wake == NanoClock.NEVER ? -1 : ms(wake);
    }

    // --- events

    Step on(ShardEvent event) {
        var commands = new ArrayList<ShardCommand>();
        if (event instanceof ShardEvent.AttemptEnded(var id, var _)) live.remove(id);
        if (event instanceof ShardEvent.AttemptLost(var id, var _)) live.remove(id);
        machine.on(event, now, commands::add);
        commands.forEach(this::carryOut);
        var limit = machine.view().limit();
        assertThat(limit).as("batches that may be on their way").isBetween(1, setup.maxInFlight);
        if (commands.stream().anyMatch(ShardCommand.StartAttempt.class::isInstance))
            assertThat(live)
                    .as("attempts that are live, once one more has begun")
                    .hasSizeLessThanOrEqualTo(limit);
        if (setup.maxTotal > 0)
            assertThat(slots).as("a slot for each attempt that is live").hasSameSizeAs(live);
        var wake = machine.wakeAtNanos();
        assertThat(wake == NanoClock.NEVER || wake - now > 0)
                .as("the wake-up after %s lies ahead, else its shell spins", event)
                .isTrue();
        return new Step(commands);
    }

    private void carryOut(ShardCommand command) {
        switch (command) {
            case ShardCommand.StartAttempt start -> {
                assertThat(finished).as("an attempt after the end").isFalse();
                assertThat(everStarted.add(start.attempt()))
                        .as("attempt ids are new")
                        .isTrue();
                live.add(start.attempt());
                assertThat(live).as("attempts that are live").hasSizeLessThanOrEqualTo(setup.maxInFlight);
                assertThat(start.deadlineNanos() - now).as("time to write").isPositive();
                var sent = new Sent(Bytes.sent(start.rows()), start.token());
                // Of a batch or a part of it: what is named alike is the same.
                var first = firstSent.putIfAbsent(start.token(), sent);
                if (first != null) assertThat(sent).as("a repeat").isEqualTo(first);
            }
            case ShardCommand.StartPing(var id, var _, var _) ->
                assertThat(everStarted.add(id)).as("attempt ids are new").isTrue();
            case ShardCommand.AskSlot _ -> {
                assertThat(asks).as("a second ask before the first is granted").isFalse();
                asks = true;
            }
            case ShardCommand.GiveSlotBack(var slot) ->
                assertThat(slots.remove(slot)).as("slot %s is held", slot).isTrue();
            case ShardCommand.CancelAttempt(var id) -> live.remove(id);
            case ShardCommand.Settle(var chunk, var ended) ->
                assertThat(chunk.settle(ended)).as("%s settled once", chunk).isTrue();
            case ShardCommand.Tell _,
                    ShardCommand.DeadLetter _,
                    ShardCommand.MarkSplit _,
                    ShardCommand.StopForExpired _,
                    ShardCommand.StopFor _ -> {}
            case ShardCommand.Finished() -> {
                assertThat(finished).as("finished once").isFalse();
                finished = true;
            }
        }
    }

    EncodedChunk chunk(String topic, int partition, long epoch, long from, int rows, int bytesEach, long polledMs) {
        return source.chunk(topic, partition, epoch, from, rows, bytesEach, nanosAt(polledMs));
    }

    /// A chunk of orders-0 in epoch 1, polled now.
    EncodedChunk rows(long from, int rows) {
        return source.chunk("orders", 0, 1, from, rows, 20, now);
    }

    /// The same, of the partition and for the lane of this number.
    EncodedChunk rowsOf(int lane, long from, int rows) {
        return source.chunk(lane, FakeRecord.AS_IS, "orders", lane, 1, from, rows, 20, now);
    }

    Step arrive(EncodedChunk... chunks) {
        return on(new ShardEvent.ChunksArrived(List.of(chunks)));
    }

    /// One full batch of orders-0, sealed by its rows as it arrives.
    Step fullBatch(long number) {
        return arrive(rows(number * setup.maxRows, setup.maxRows));
    }

    Step end(long attempt, WriteOutcome outcome) {
        return on(new ShardEvent.AttemptEnded(attempt, outcome));
    }

    Step written(ShardCommand.StartAttempt start) {
        return end(start.attempt(), new WriteOutcome.Written(start.rows().rows(), 0));
    }

    Step sick(ShardCommand.StartAttempt start) {
        return end(start.attempt(), sick(false));
    }

    static WriteOutcome sick(boolean mayHaveStored) {
        return new WriteOutcome.Unavailable(
                new Failure("reset", "connection reset", mayHaveStored), new WriteOutcome.Blame.Replica());
    }

    Step lost(long attempt) {
        return on(new ShardEvent.AttemptLost(attempt, new Failure("lost", "its thread died", true)));
    }

    /// What it asked for.
    Step grant(long slot) {
        assertThat(asks).as("a slot was asked for").isTrue();
        asks = false;
        slots.add(slot);
        return on(new ShardEvent.SlotGranted(slot));
    }

    Step epochEnded(String topic, int partition, long epoch) {
        return on(new ShardEvent.EpochEnded(Source.partition(topic, partition), epoch));
    }

    Step drainBy(long ms) {
        return on(new ShardEvent.DrainBy(nanosAt(ms)));
    }

    Step closeInput() {
        return on(new ShardEvent.InputClosed());
    }

    // --- facts

    ShardView view() {
        return machine.view();
    }

    /// Whether the machine's drain is over.
    boolean finished() {
        return finished;
    }

    /// The scenario ended at rest: all that came was settled, once, and nothing leaks.
    void assertAtRest() {
        assertThat(live).as("attempts that are live").isEmpty();
        source.assertNothingLeaks();
        assertThat(counts.rowsWritten()
                        + counts.rowsDeadLettered()
                        + counts.rowsSkipped()
                        + counts.rowsAbandoned()
                        + counts.rowsInDoubt())
                .as("rows settled by the machine")
                .isEqualTo(source.tally.encoded());
    }
}
