package dev.millrace.testkit;

import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.Ending;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.SealReason;
import dev.millrace.sinkpool.ShardCommand;
import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardEvent;
import dev.millrace.sinkpool.ShardMachine;
import dev.millrace.sinkpool.ShardNote;
import dev.millrace.sinkpool.ShardView;
import dev.millrace.sinkpool.TokenMint;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Drives one shard machine as its worker does: control before data, data only when the machine wants it, one timer,
/// commands carried out in order. The process may die between any two of them.
///
/// Thread ownership: the run.
final class ShardShell {
    private static final int SPINS = 16;

    /// Timers are late by less.
    private static final long LATE_NANOS = 200_000_000L;

    private static final long HEARTBEAT_NANOS = 100_000_000L;

    private final PipelineProcess process;
    private final World world;
    private final int index;
    private final ShardMachine machine;
    private ShardView view;
    private final ShardOracle oracle;
    private final ArrayDeque<ShardEvent> control = new ArrayDeque<>();
    private final ArrayDeque<EncodedChunk> data = new ArrayDeque<>();
    private final Map<Long, FakeAttempt> attempts = new HashMap<>();
    private final ArrayDeque<ShardCommand> commands = new ArrayDeque<>();
    private int dataRows;
    private boolean awake;
    private boolean inputClosed;
    private boolean finished;
    private long timers;
    private int spins;
    private long spinAt = -1;
    private boolean idleTick;
    private final ArrayDeque<Long> idleTicks = new ArrayDeque<>();

    ShardShell(PipelineProcess process, int index) {
        this.process = process;
        this.world = process.world;
        this.index = index;
        var settings = world.scenario.shard(index);
        var counts = new ShardCounts(settings.replicas());
        machine = new ShardMachine(
                settings,
                TokenMint.perRun("run" + process.run),
                new SplittableRandom(Mix.of(world.scenario.seed(), process.run, index)),
                counts,
                world.now());
        view = machine.view();
        oracle = new ShardOracle(world, settings, counts);
    }

    int index() {
        return index;
    }

    boolean finished() {
        return finished && data.isEmpty();
    }

    boolean hasRoom() {
        return dataRows < world.scenario.source().mailboxRows();
    }

    boolean offer(List<EncodedChunk> chunks) {
        if (!hasRoom()) return false;
        for (var chunk : chunks) {
            data.add(chunk);
            dataRows += chunk.rows();
            oracle.offered(chunk);
        }
        wake();
        return true;
    }

    void post(ShardEvent event) {
        control.add(event);
        wake();
    }

    void closeInput() {
        inputClosed = true;
        wake();
    }

    private void wake() {
        if (awake) return;
        awake = true;
        process.later(world.chance.between(0, 200_000), this::work);
    }

    private void work() {
        awake = false;
        if (world.chance.of(0.02)) on(new ShardEvent.Tick());
        for (var event = control.poll(); event != null; event = control.poll()) on(event);
        while (!data.isEmpty() && machine.wantsChunks()) {
            var some = new ArrayList<EncodedChunk>();
            var most = world.chance.between(1, 8);
            while (some.size() < most && !data.isEmpty()) {
                var chunk = data.remove();
                dataRows -= chunk.rows();
                some.add(chunk);
            }
            on(new ShardEvent.ChunksArrived(List.copyOf(some)));
        }
        if (inputClosed && data.isEmpty()) {
            inputClosed = false;
            on(new ShardEvent.InputClosed());
        }
        arm();
    }

    private void arm() {
        var timer = ++timers;
        var at = machine.wakeAtNanos();
        if (at == NanoClock.NEVER) return;
        var delay = Math.max(0, at - world.now());
        if (world.strikes(Fault.LATE_TIMER, 0.1)) delay += world.chance.millis(0, 50);
        process.later(delay, () -> {
            if (timer == timers) tick();
        });
    }

    private void tick() {
        if (spinAt == world.agenda.elapsed()) {
            if (++spins > SPINS) throw new Violation("SEAL-3", "shard " + index + " spins: its timer does nothing");
        } else spins = 0;
        spinAt = world.agenda.elapsed();
        on(new ShardEvent.Tick());
        if (idleTick) idled();
        work();
    }

    /// BRK-6: waiting uses no CPU. A tick that does nothing is rare, but for the heartbeat.
    private void idled() {
        idleTicks.add(world.agenda.elapsed());
        if (idleTicks.size() <= SPINS) return;
        if (world.agenda.elapsed() - idleTicks.remove() < HEARTBEAT_NANOS)
            throw new Violation("BRK-6", "shard " + index + " ticks for nothing: " + machine.view());
    }

    private void on(ShardEvent event) {
        if (!commands.isEmpty()) throw new IllegalStateException("commands are left");
        if (!(event instanceof ShardEvent.Tick)) idleTicks.clear();
        world.note(event.getClass().getSimpleName(), index, id(event));
        if (event instanceof ShardEvent.ChunksArrived(var chunks)) chunks.forEach(oracle::arrived);
        forget(event);
        var before = view.replicas();
        try {
            machine.on(event, world.now(), commands::add);
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "shard machine " + index + " on " + event.getClass().getSimpleName(), e);
        }
        view = machine.view();
        if (process.draining() && !view.usable()) world.reached(Sometimes.ALL_OPEN_DURING_DRAIN);
        idleTick = commands.isEmpty();
        oracle.decided(event, before, view, commands);
        for (var command = commands.peek(); command != null; command = commands.peek()) {
            process.effect();
            carryOut(command);
            commands.remove();
        }
        oracle.carriedOut(event, view);
    }

    /// An attempt is out until the machine was told, so it may be cancelled when its outcome is on its way.
    private void forget(ShardEvent event) {
        switch (event) {
            case ShardEvent.AttemptEnded(var attempt, var _) -> attempts.remove(attempt);
            case ShardEvent.AttemptLost(var attempt, var _) -> attempts.remove(attempt);
            case ShardEvent.ChunksArrived _,
                    ShardEvent.Tick _,
                    ShardEvent.Pressure _,
                    ShardEvent.Revoking _,
                    ShardEvent.EpochEnded _,
                    ShardEvent.DrainBy _,
                    ShardEvent.InputClosed _ -> {}
        }
    }

    private void mustBeOver(long attempt) {
        if (oracle.isOut(attempt))
            throw new Violation(
                    "WRT-1", "attempt " + attempt + " of shard " + index + " is out after its deadline" + stuck());
    }

    /// What it holds, in words; empty for nothing.
    String stuck() {
        var view = machine.view();
        if (view.held().isEmpty() && view.openRows() == 0 && data.isEmpty()) return "";
        return "\n  run " + process.run + " now " + world.now() + " wakes at " + machine.wakeAtNanos() + ", "
                + data.size() + " chunks queued, " + view;
    }

    private static long id(ShardEvent event) {
        return switch (event) {
            case ShardEvent.AttemptEnded(var attempt, var _) -> attempt;
            case ShardEvent.AttemptLost(var attempt, var _) -> attempt;
            case ShardEvent.ChunksArrived(var chunks) -> chunks.size();
            case ShardEvent.EpochEnded(var _, var epoch) -> epoch;
            case ShardEvent.Revoking(var _, var epoch) -> epoch;
            case ShardEvent.Tick(), ShardEvent.Pressure(), ShardEvent.InputClosed(), ShardEvent.DrainBy(var _) -> 0;
        };
    }

    private void carryOut(ShardCommand command) {
        switch (command) {
            case ShardCommand.StartAttempt start -> {
                world.note("start", start.attempt(), start.replica());
                var attempt = world.sink.write(
                        index, start.replica(), start.rows(), start.token(), told -> ended(start.attempt(), told));
                attempts.put(start.attempt(), attempt);
                oracle.started(start, attempt, view);
                process.later(start.deadlineNanos() - world.now() + LATE_NANOS, () -> mustBeOver(start.attempt()));
            }
            case ShardCommand.StartPing(var id, var replica, var deadline) -> {
                world.note("ping", id, replica);
                attempts.put(id, world.sink.ping(index, replica, told -> ended(id, told)));
                oracle.pinged(id, replica);
                process.later(deadline - world.now() + LATE_NANOS, () -> mustBeOver(id));
            }
            case ShardCommand.CancelAttempt(var id) -> {
                world.note("cancel", id, index);
                oracle.cancelled(id);
                var attempt = attempts.get(id);
                if (attempt == null) throw new Violation("WRT-1", "attempt " + id + " is cancelled, and is not out");
                world.sink.cancel(attempt);
            }
            case ShardCommand.Settle(var chunk, var ending) -> {
                world.note(settles(ending), index, chunk.offset(0));
                var begun = oracle.settled(chunk, ending);
                if (begun
                        && ending != Ending.WRITTEN
                        && !process.draining()
                        && world.scenario.sink().retry().maxAttempts() == 0) world.reached(Sometimes.GIVEN_UP_UNWANTED);
                if (!chunk.settle(ending)) throw new Violation("M1", chunk + " is settled twice");
            }
            case ShardCommand.Tell(var note) -> told(note);
            case ShardCommand.Finished() -> {
                if (finished) throw new Violation("O9", "shard " + index + " finishes twice");
                finished = true;
                world.note("finished", index, process.run);
                oracle.finished();
            }
        }
    }

    private static String settles(Ending ending) {
        return switch (ending) {
            case WRITTEN -> "settle WRITTEN";
            case ABANDONED -> "settle ABANDONED";
            case IN_DOUBT -> "settle IN_DOUBT";
        };
    }

    private void ended(long id, @Nullable WriteOutcome outcome) {
        process.doNow(() -> post(
                outcome == null
                        ? new ShardEvent.AttemptLost(id, new Failure("lost", "thread died", true))
                        : new ShardEvent.AttemptEnded(id, outcome)));
    }

    private void told(ShardNote note) {
        oracle.told(note);
        switch (note) {
            case ShardNote.OutageBegan _ -> world.reached(Sometimes.ALL_REPLICAS_OPEN);
            case ShardNote.ReplicaOpened _ -> world.reached(Sometimes.REPLICA_OPENED);
            case ShardNote.Blocked _ -> world.reached(Sometimes.BATCH_HELD);
            case ShardNote.GaveUp _ -> world.reached(Sometimes.GAVE_UP_AFTER_ATTEMPTS);
            case ShardNote.Sealed(var batch) -> world.reached(sealed(batch.reason()));
            case ShardNote.Abandoned(var _, var inDoubt) -> {
                world.reached(Sometimes.DRAIN_CUT_BY_DEADLINE);
                if (inDoubt > 0) world.reached(Sometimes.IN_DOUBT_AT_DEADLINE);
            }
            case ShardNote.OutageEnded _,
                    ShardNote.ReplicaHalfOpened _,
                    ShardNote.ReplicaClosed _,
                    ShardNote.Wrote _ -> {}
        }
    }

    private static Sometimes sealed(SealReason reason) {
        return switch (reason) {
            case ROWS -> Sometimes.ROWS_SEAL;
            case BYTES -> Sometimes.BYTES_SEAL;
            case LINGER -> Sometimes.LINGER_SEAL;
            case PRESSURE -> Sometimes.PRESSURE_SEAL;
            case REBALANCE -> Sometimes.REBALANCE_SEAL;
            case DRAIN -> Sometimes.DRAIN_SEAL;
        };
    }

    /// The process died. What its machine says it holds must be the truth, so that a shell that fails can settle it.
    void die() {
        if (attempts.values().stream().anyMatch(attempt -> !attempt.ended()))
            world.reached(Sometimes.CRASH_WITH_ATTEMPT_OUT);
        var unsettled = new ArrayList<EncodedChunk>(machine.held());
        for (var command : commands) {
            if (!(command instanceof ShardCommand.Settle(var chunk, var ending))) continue;
            unsettled.add(chunk);
            if (ending == Ending.WRITTEN) world.reached(Sometimes.CRASH_BEFORE_SETTLE);
        }
        oracle.died(unsettled);
        attempts.values().forEach(world.sink::orphan);
    }

    void checkAtRest() {
        if (!finished) throw new Violation("O9", "shard " + index + " did not finish");
    }
}
