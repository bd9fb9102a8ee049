package dev.millrace.testkit;

import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.AmbiguousSettings;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.Ending;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.Recognition;
import dev.millrace.sinkpool.RowCounts;
import dev.millrace.sinkpool.SealReason;
import dev.millrace.sinkpool.SegmentTokens;
import dev.millrace.sinkpool.ShardCommand;
import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardEvent;
import dev.millrace.sinkpool.ShardMachine;
import dev.millrace.sinkpool.ShardNote;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardView;
import dev.millrace.sinkpool.TokenLog;
import dev.millrace.sinkpool.TokenMint;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Drives one shard machine as its worker does: control before data, data only when the machine
/// wants it, one timer, commands carried out in order. The process may die between any two of them.
///
/// Thread ownership: the run.
final class ShardShell {
    private static final int SPINS = 16;

    /// Timers are late by less.
    private static final long LEAP_NANOS = 2_000_000_000L;
    private static final long LATE_NANOS = 200_000_000L;

    private static final long HEARTBEAT_NANOS = 100_000_000L;

    /// Places in an account of rows.
    static final int OFFERED = 0;

    static final int WRITTEN = 1;
    static final int IN_DOUBT = 2;
    static final int ABANDONED = 3;
    static final int DEAD_LETTERED = 4;
    static final int SKIPPED = 5;
    static final int PLACES = 6;

    /// Something that a worker can't go on after, such as no memory left.
    private static final class WorkerError extends Error {
        private static final long serialVersionUID = 1;

        WorkerError() {
            super("simulated", null, false, false);
        }
    }

    private final PipelineProcess process;
    private final World world;
    private final int index;
    private final ShardSettings settings;
    private final ShardMachine machine;
    private final ShardCounts counts;
    private final AdmissionBudget budget;
    private final Map<SourcePartition, long[]> accounts = new HashMap<>();
    private final SentBatch.Sender sender;
    private final ShardOracle oracle;
    private ShardView view;
    private final ArrayDeque<ShardEvent> control = new ArrayDeque<>();
    private final ArrayDeque<EncodedChunk> data = new ArrayDeque<>();
    private final Map<Long, FakeAttempt> attempts = new HashMap<>();
    private final ArrayDeque<ShardCommand> commands = new ArrayDeque<>();
    private final Set<Long> parts = new HashSet<>();
    private int dataRows;
    private long heldRows;
    private long heldBytes;
    private int commandsUntilError = Integer.MAX_VALUE;
    private int lettersOut;
    private long aheadNanos;
    private boolean drifts;
    private boolean dying;
    private boolean dead;
    private boolean awake;
    private boolean inputClosed;
    private boolean finished;
    private boolean leftSlots;
    private long timers;
    private int spins;
    private long spinAt = -1;
    private boolean idleTick;
    private final ArrayDeque<Long> idleTicks = new ArrayDeque<>();

    ShardShell(PipelineProcess process, int index) {
        this.process = process;
        this.world = process.world;
        this.index = index;
        settings = process.sink.shard(
                index, process.source, world.operator.action(process.sink.poison()), world.scenario.planned());
        counts = new ShardCounts(settings.replicas());
        budget = settings.planned() ? process.budget.half() : process.budget;
        var log = process.sink.store().kind().tokenLog();
        sender = new SentBatch.Sender(
                process.run,
                process.source.route(),
                counts,
                settings.maxInFlight() == 1
                        && settings.lanes() == 1
                        && settings.retry().maxAttempts() == 0
                        && log != TokenLog.UNSHARED
                        && !world.scenario.has(Fault.SINK_POISON)
                        && !world.scenario.has(Fault.REFUSED),
                log == TokenLog.UNSHARED && settings.ambiguous().then() == AmbiguousSettings.Then.WAIT);
        machine = new ShardMachine(
                settings,
                tokens(process),
                new SplittableRandom(Mix.of(world.scenario.seed(), process.run, index)),
                counts,
                process.now());
        machine.on(new ShardEvent.TokensKnown(recognition()), process.now(), commands::add);
        aheadNanos = world.agenda.elapsed() - process.now();
        world.sink.repeats().counts(counts);
        view = machine.view();
        oracle = new ShardOracle(process, settings, counts, sender);
    }

    private static TokenMint tokens(PipelineProcess process) {
        var perRun = TokenMint.perRun("run" + process.run);
        if (!process.world.scenario.planned()) return perRun;
        var fingerprints = Map.of(Member.SINK, process.source.fingerprint());
        return new SegmentTokens("pipeline", "group", 1, fingerprints, perRun);
    }

    private Recognition recognition() {
        var store = process.sink.store();
        var log = store.kind().tokenLog();
        if (!world.scenario.planned()) return Recognition.of(log);
        var window = store.kind() == SinkKind.WINDOWED
                ? store.windowNanos() - Scenario.WINDOW_MARGIN_NANOS
                : NanoClock.NEVER;
        return new Recognition(log, window, store.kind() == SinkKind.TRANSACTIONAL, false);
    }

    int index() {
        return index;
    }

    /// What is encoded for it counts in this.
    AdmissionBudget budget() {
        return budget;
    }

    boolean finished() {
        return dead || (finished && data.isEmpty());
    }

    /// Rows offered and not settled.
    long heldRows() {
        return heldRows;
    }

    long heldBytes() {
        return heldBytes;
    }

    boolean hasRoom() {
        return takes() && !(settings.planned() && budget.full());
    }

    private boolean takes() {
        return !dead && dataRows < process.source.mailboxRows();
    }

    boolean offer(List<EncodedChunk> chunks) {
        if (!takes()) return false;
        for (var chunk : chunks) {
            data.add(chunk);
            dataRows += chunk.rows();
            heldRows += chunk.rows();
            heldBytes += chunk.byteCount();
            account(chunk.partition())[OFFERED] += chunk.rows();
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

    /// Its worker meets an error when it carries out the n-th command from now.
    void failAfter(int commandCount) {
        commandsUntilError = commandCount;
    }

    private void wake() {
        if (awake || dead) return;
        awake = true;
        process.later(world.chance.between(0, 200_000), this::work);
    }

    private void work() {
        awake = false;
        if (dead) return;
        try {
            if (world.chance.of(0.02)) on(new ShardEvent.Tick());
            for (var event = control.poll(); event != null; event = control.poll()) control(event);
            while (!data.isEmpty() && machine.wantsChunks()) {
                oracle.takes(view);
                on(new ShardEvent.ChunksArrived(takeSome()));
            }
            if (inputClosed && data.isEmpty()) {
                inputClosed = false;
                on(new ShardEvent.InputClosed());
            }
        } catch (WorkerError _) {
            return;
        }
        arm();
    }

    private void control(ShardEvent event) {
        if (leftSlots && event instanceof ShardEvent.SlotGranted) return;
        on(event);
        if (!(event instanceof ShardEvent.EpochEnded(var partition, var epoch)) || data.isEmpty()) return;
        var unwanted = new ArrayList<EncodedChunk>();
        for (var chunk : data) if (chunk.epoch() <= epoch && chunk.partition().equals(partition)) unwanted.add(chunk);
        if (unwanted.isEmpty()) return;
        data.removeAll(unwanted);
        for (var chunk : unwanted) dataRows -= chunk.rows();
        on(new ShardEvent.ChunksArrived(unwanted));
    }

    /// As much as one batch holds, now and then less.
    private List<EncodedChunk> takeSome() {
        var some = new ArrayList<EncodedChunk>();
        var most = world.chance.of(0.5) ? Integer.MAX_VALUE : world.chance.between(1, 8);
        var rows = 0L;
        var bytes = 0L;
        while (!data.isEmpty()
                && some.size() < most
                && rows < settings.batch().maxRows()
                && bytes < settings.batch().maxBytes()) {
            var chunk = data.remove();
            dataRows -= chunk.rows();
            rows += chunk.rows();
            bytes += chunk.byteCount();
            some.add(chunk);
        }
        return some;
    }

    /// The clock jumped: whoever waits for an instant looks again.
    void rearm() {
        if (!dead) arm();
    }

    private void arm() {
        var timer = ++timers;
        var at = machine.wakeAtNanos();
        if (at == NanoClock.NEVER) return;
        var late = world.strikes(Fault.LATE_TIMER, 0.1) ? world.chance.millis(0, 50) : 0;
        process.at(at, () -> {
            if (timer != timers) return;
            if (late == 0) tick();
            else
                process.later(late, () -> {
                    if (timer == timers) tick();
                });
        });
    }

    private void tick() {
        if (dead) return;
        if (spinAt == world.agenda.elapsed()) {
            if (++spins > SPINS) throw new Violation("SEAL-3", "shard " + index + " spins: its timer does nothing");
        } else spins = 0;
        spinAt = world.agenda.elapsed();
        try {
            on(new ShardEvent.Tick());
        } catch (WorkerError _) {
            return;
        }
        if (idleTick) idled();
        work();
    }

    /// BRK-6: waiting uses no CPU. A tick that does nothing is rare, but for the heartbeat, and for one at the end of
    /// each batch's sleep: where it then waits for others, it does so without another.
    private void idled() {
        idleTicks.add(world.agenda.elapsed());
        if (idleTicks.size() <= SPINS + view.held().size()) return;
        if (world.agenda.elapsed() - idleTicks.remove() < HEARTBEAT_NANOS)
            throw new Violation("BRK-6", "shard " + index + " ticks for nothing: " + view);
    }

    /// As production's worker, whose own clock may have stood still: it tells of that first.
    private void on(ShardEvent event) {
        var ahead = world.agenda.elapsed() - process.now();
        var leapt = ahead - aheadNanos;
        if (leapt >= LEAP_NANOS) {
            aheadNanos = ahead;
            tell(new ShardEvent.ClockLeapt(leapt), event);
        }
        tell(event, event);
    }

    /// `current` is what it was woken for.
    private void tell(ShardEvent event, ShardEvent current) {
        if (!commands.isEmpty()) throw new IllegalStateException("commands are left");
        if (!(event instanceof ShardEvent.Tick)) idleTicks.clear();
        world.note(event.getClass().getSimpleName(), index, id(event));
        if (event instanceof ShardEvent.ChunksArrived(var chunks)) chunks.forEach(oracle::arrived);
        forget(event);
        var before = view.replicas();
        try {
            machine.on(event, process.now(), this::decided);
        } catch (WorkerError e) {
            if (event instanceof ShardEvent.ClockLeapt && current instanceof ShardEvent.ChunksArrived(var chunks))
                chunks.forEach(oracle::arrived);
            diedIn(current);
            throw e;
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "shard machine " + index + " on " + event.getClass().getSimpleName(), e);
        }
        var after = machine.view();
        view = after;
        if (process.draining() && !after.usable()) world.reached(Sometimes.ALL_OPEN_DURING_DRAIN);
        idleTick = commands.isEmpty();
        oracle.decided(event, before, after, commands);
        if (event instanceof ShardEvent.SlotGranted(var slot) && commands.contains(new ShardCommand.GiveSlotBack(slot)))
            world.reached(Sometimes.SLOT_UNWANTED);
        for (var command = commands.peek(); command != null; command = commands.peek()) {
            process.effect();
            carryOut(command);
            commands.remove();
        }
        oracle.carriedOut(event, after);
        slotsCarriedOut(event == current ? null : current);
        process.checkBudget();
    }

    /// Production's worker takes nothing more once its machine has finished. `next` comes after what was just carried
    /// out.
    private void slotsCarriedOut(@Nullable ShardEvent next) {
        if (process.slots == null || leftSlots) return;
        if (!finished) {
            process.slots.carriedOut(index, view, writing(), slotsToTake(next));
            return;
        }
        leftSlots = true;
        process.slots.leave(index);
    }

    private int slotsToTake(@Nullable ShardEvent next) {
        return (int) Stream.concat(Stream.ofNullable(next), control.stream())
                .filter(ShardEvent.SlotGranted.class::isInstance)
                .count();
    }

    /// Attempts to write that are out and not given up.
    int writing() {
        return dead ? 0 : oracle.writing();
    }

    private FakeSlots limited() {
        if (process.slots == null) throw new Violation("WRT-8", "shard " + index + " asks for what is not limited");
        return process.slots;
    }

    private void decided(ShardCommand command) {
        if (--commandsUntilError <= 0) throw new WorkerError();
        commands.add(command);
    }

    /// What was told before the error is carried out, the machine gives up the rest, and the
    /// process is told.
    private void diedIn(ShardEvent event) {
        dying = true;
        oracle.diesIn(event);
        for (var command = commands.peek(); command != null; command = commands.peek()) {
            process.effect();
            carryOut(command);
            commands.remove();
        }
        dead = true;
        oracle.dies();
        var queued = new ArrayList<EncodedChunk>(data);
        data.clear();
        dataRows = 0;
        for (var chunk : queued) oracle.arrived(chunk);
        machine.failed(event, queued, (chunk, ending) -> {
            if (!chunk.settle(ending)) return false;
            settled(chunk, ending);
            oracle.skippedUntold(chunk, ending);
            oracle.settled(chunk, ending);
            return true;
        });
        oracle.died(List.of());
        oracle.compare();
        leftSlots = true;
        if (process.slots != null) process.slots.leaveDying(index);
        attempts.values().forEach(world.sink::cancel);
        process.checkBudget();
        process.workerDied(index);
    }

    private void settled(EncodedChunk chunk, RowCounts ended) {
        heldRows -= chunk.rows();
        heldBytes -= chunk.byteCount();
        for (var ending : Ending.values()) account(chunk.partition())[place(ending)] += ended.of(ending);
    }

    static int place(Ending ending) {
        return switch (ending) {
            case WRITTEN -> WRITTEN;
            case DEAD_LETTERED -> DEAD_LETTERED;
            case SKIPPED -> SKIPPED;
            case IN_DOUBT -> IN_DOUBT;
            case ABANDONED -> ABANDONED;
        };
    }

    /// Adds what became of the rows of one partition.
    void addTo(long[] sum, SourcePartition partition) {
        var of = account(partition);
        for (var i = 0; i < sum.length; i++) sum[i] += of[i];
    }

    private long[] account(SourcePartition partition) {
        return accounts.computeIfAbsent(partition, _ -> new long[PLACES]);
    }

    /// An attempt is out until the machine was told, so it may be cancelled when its outcome is on
    /// its way.
    private void forget(ShardEvent event) {
        switch (event) {
            case ShardEvent.AttemptEnded(var attempt, var outcome) -> {
                attempts.remove(attempt);
                if (parts.remove(attempt)
                        && outcome instanceof WriteOutcome.Unavailable(var failure, var _)
                        && failure.mayHaveStored()) world.reached(Sometimes.PART_AMBIGUOUS);
            }
            case ShardEvent.AttemptLost(var attempt, var _) -> attempts.remove(attempt);
            case ShardEvent.ChunksArrived _,
                    ShardEvent.DeadLetterFailed _,
                    ShardEvent.DeadLettered _,
                    ShardEvent.Tick _,
                    ShardEvent.SlotGranted _,
                    ShardEvent.TokensKnown _,
                    ShardEvent.SplitMarked _,
                    ShardEvent.ClockLeapt _,
                    ShardEvent.Pressure _,
                    ShardEvent.SealUpTo _,
                    ShardEvent.Revoking _,
                    ShardEvent.EpochEnded _,
                    ShardEvent.DrainBy _,
                    ShardEvent.InputClosed _ -> {}
        }
    }

    private void mustBeOver(long attempt) {
        if (!dead && oracle.isOut(attempt))
            throw new Violation(
                    "WRT-1", "attempt " + attempt + " of shard " + index + " is out after its deadline" + stuck());
    }

    /// What it holds, in words; empty for nothing.
    String stuck() {
        if (view.held().isEmpty() && view.openRows() == 0 && data.isEmpty()) return "";
        return "\n  run " + process.run + " now " + process.now() + " wakes at " + machine.wakeAtNanos() + ", "
                + data.size() + " chunks queued, " + view;
    }

    private static long id(ShardEvent event) {
        return switch (event) {
            case ShardEvent.AttemptEnded(var attempt, var _) -> attempt;
            case ShardEvent.AttemptLost(var attempt, var _) -> attempt;
            case ShardEvent.ChunksArrived(var chunks) -> chunks.size();
            case ShardEvent.SlotGranted(var slot) -> slot;
            case ShardEvent.DeadLettered(var batch, var _) -> batch;
            case ShardEvent.DeadLetterFailed(var batch, var _, var _) -> batch;
            case ShardEvent.EpochEnded(var _, var epoch) -> epoch;
            case ShardEvent.SealUpTo(var epoch) -> epoch;
            case ShardEvent.Revoking(var _, var epoch) -> epoch;
            case ShardEvent.Tick(),
                    ShardEvent.TokensKnown(var _),
                    ShardEvent.SplitMarked _,
                    ShardEvent.ClockLeapt _,
                    ShardEvent.Pressure(),
                    ShardEvent.InputClosed(),
                    ShardEvent.DrainBy(var _) -> 0;
        };
    }

    private void carryOut(ShardCommand command) {
        switch (command) {
            case ShardCommand.StartAttempt start -> {
                world.note("start", start.attempt(), start.replica());
                world.group.plans().sent(start, recognition().byRow());
                start.rows().reading();
                var attempt = world.sink.write(index, start.replica(), sender, start.rows(), start.token(), told -> {
                    start.rows().readNoMore();
                    ended(start.attempt(), told);
                });
                attempts.put(start.attempt(), attempt);
                if (start.rows().rows() < start.batch().rows().rows()) parts.add(start.attempt());
                oracle.started(start, attempt, dying ? null : view);
                if (process.slots != null) process.slots.began();
                process.lookAt(start.deadlineNanos() + LATE_NANOS, LATE_NANOS, () -> mustBeOver(start.attempt()));
            }
            case ShardCommand.StartPing(var id, var replica, var deadline) -> {
                world.note("ping", id, replica);
                attempts.put(id, world.sink.ping(index, replica, told -> ended(id, told)));
                oracle.pinged(id, replica);
                process.lookAt(deadline + LATE_NANOS, LATE_NANOS, () -> mustBeOver(id));
            }
            case ShardCommand.AskSlot(var tenants) -> {
                world.note("ask for a slot", index, tenants.size());
                limited().ask(index, tenants);
            }
            case ShardCommand.GiveSlotBack(var slot) -> {
                world.note("slot back", index, slot);
                limited().giveBack(slot);
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
                        && ending.resolution() != Resolution.DONE
                        && !process.draining()
                        && process.sink.retry().maxAttempts() == 0) world.reached(Sometimes.GIVEN_UP_UNWANTED);
                if (!chunk.settle(ending)) throw new Violation("M1", chunk + " is settled twice");
                settled(chunk, ending);
            }
            case ShardCommand.DeadLetter letter -> send(letter);
            case ShardCommand.StopFor(var row, var failure) -> process.failed(5, "refused: " + row + " " + failure);
            case ShardCommand.MarkSplit(var batch) ->
                batch.rows().slices().getFirst().chunk().splitting();
            case ShardCommand.StopForExpired(var batch, var age, var window) ->
                process.failed(5, "batch " + batch.id() + " is " + age + " ns old, and the window " + window);
            case ShardCommand.Tell(var note) -> told(note);
            case ShardCommand.Finished() -> {
                if (finished) throw new Violation("O9", "shard " + index + " finishes twice");
                finished = true;
                world.note("finished", index, process.run);
                oracle.finished();
            }
        }
    }

    private static String settles(RowCounts ended) {
        return ended.resolution() == Resolution.DONE ? "settle DONE" : "settle FAILED";
    }

    private void send(ShardCommand.DeadLetter letter) {
        world.reached(Sometimes.DEAD_LETTERED);
        lettersOut++;
        oracle.sent(letter.row());
        var batch = letter.batch().id();
        world.letters.send(process, letter.row(), new DeadLetters.Done() {
            @Override
            public void acknowledged() {
                lettersOut--;
                process.doNow(() -> post(new ShardEvent.DeadLettered(batch, letter.row())));
            }

            @Override
            public void failed(Failure why) {
                world.reached(Sometimes.DEAD_LETTER_DOWN);
                process.doNow(() -> post(new ShardEvent.DeadLetterFailed(batch, letter.row(), why)));
            }

            @Override
            public void abandoned() {}
        });
    }

    /// Its batches that wait for a person.
    List<String> blocked() {
        return dead
                ? List.of()
                : view.held().stream()
                        .filter(ShardView.Held::blocked)
                        .map(held -> process.run + "/" + index + "/" + held.batch())
                        .toList();
    }

    boolean drifts() {
        return drifts;
    }

    private void ended(long id, @Nullable WriteOutcome outcome) {
        process.doNow(() -> post(
                outcome == null
                        ? new ShardEvent.AttemptLost(id, new Failure("lost", "thread died", true))
                        : new ShardEvent.AttemptEnded(id, outcome)));
    }

    private void told(ShardNote note) {
        oracle.told(note, view);
        switch (note) {
            case ShardNote.OutageBegan _ -> world.reached(Sometimes.ALL_REPLICAS_OPEN);
            case ShardNote.ReplicaOpened _ -> world.reached(Sometimes.REPLICA_OPENED);
            case ShardNote.Blocked(var _, var failure) -> {
                world.reached(Sometimes.BATCH_HELD);
                if (failure.code().equals("22P02")) world.reached(Sometimes.OUTAGE_VERDICT);
            }
            case ShardNote.TakenApart _ -> world.reached(Sometimes.BATCH_TAKEN_APART);
            case ShardNote.Poison(var _, var _, var skipped) -> {
                if (skipped) world.reached(Sometimes.REFUSED_ROW_SKIPPED);
            }
            case ShardNote.Drift _ -> {
                drifts = true;
                world.reached(Sometimes.DRIFT_HELD);
            }
            case ShardNote.GaveUp _ -> world.reached(Sometimes.GAVE_UP_AFTER_ATTEMPTS);
            case ShardNote.Sealed(var batch) -> world.reached(sealed(batch.reason()));
            case ShardNote.Abandoned(var _, var inDoubt) -> {
                world.reached(Sometimes.DRAIN_CUT_BY_DEADLINE);
                if (inDoubt > 0) world.reached(Sometimes.IN_DOUBT_AT_DEADLINE);
            }
            case ShardNote.PinOver over ->
                world.reached(over.resent() ? Sometimes.RESENT_AFTER_PIN : Sometimes.PIN_OVER);
            case ShardNote.OverloadBegan _ -> world.reached(Sometimes.SLOWED_BY_OVERLOAD);
            case ShardNote.OverloadEnded _ -> world.reached(Sometimes.OVERLOAD_OVER);
            case ShardNote.OutageEnded _,
                    ShardNote.ReplicaHalfOpened _,
                    ShardNote.ReplicaClosed _,
                    ShardNote.Pinned _,
                    ShardNote.Wrote _ -> {}
            case ShardNote.TokenAges _ -> world.reached(Sometimes.TOKEN_AGED);
            case ShardNote.TokenExpired _ -> world.reached(Sometimes.TOKEN_RESENT);
        }
    }

    private static Sometimes sealed(SealReason reason) {
        return switch (reason) {
            case ROWS -> Sometimes.ROWS_SEAL;
            case BYTES -> Sometimes.BYTES_SEAL;
            case LINGER -> Sometimes.LINGER_SEAL;
            case PRESSURE -> Sometimes.PRESSURE_SEAL;
            case REBALANCE -> Sometimes.REBALANCE_SEAL;
            case SEGMENT -> Sometimes.SEGMENT_SEAL;
            case LAYOUT -> Sometimes.LAYOUT_SEAL;
            case SETTLE -> throw new IllegalStateException("a source waits for no batch");
            case DRAIN -> Sometimes.DRAIN_SEAL;
        };
    }

    /// The process died. What its machine says it holds must be the truth, so that a shell that
    /// fails can settle it.
    void die() {
        if (attempts.values().stream().anyMatch(attempt -> !attempt.ended()))
            world.reached(Sometimes.CRASH_WITH_ATTEMPT_OUT);
        if (lettersOut > 0) world.reached(Sometimes.CRASH_WITH_LETTER_OUT);
        if (!dying) compareHeld();
        attempts.values().forEach(world.sink::orphan);
    }

    private void compareHeld() {
        var unsettled = new ArrayList<EncodedChunk>(machine.held());
        for (var command : commands) {
            if (!(command instanceof ShardCommand.Settle(var chunk, var ending))) continue;
            unsettled.add(chunk);
            if (ending.resolution() == Resolution.DONE) world.reached(Sometimes.CRASH_BEFORE_SETTLE);
        }
        oracle.died(unsettled);
    }

    void checkAtRest() {
        if (!finished && !dead) throw new Violation("O9", "shard " + index + " did not finish");
    }
}
