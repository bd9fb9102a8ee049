package dev.millrace.testkit;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.kafka.KafkaSourceSettings;
import dev.millrace.kafka.SinkFeed;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.ShardEvent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One run of the simulated process: its members, shards and budget. It ends by a crash between two effects, or by a
/// drain, after which nothing may be left open.
///
/// Thread ownership: the run.
final class PipelineProcess {
    /// A stop may take this much longer than its budget.
    static final long STOP_SLACK_NANOS = 1_000_000_000L;

    private static final long WORKERS_GRACE_NANOS = 300_000_000L;
    private static final long LAST_COMMIT_NANOS = 200_000_000L;
    private static final long START_AGAIN_NANOS = 200_000_000L;

    final World world;
    final long run;
    final AdmissionBudget budget;
    final OpenHandles handles = new OpenHandles();
    final KafkaSourceSettings settings;
    final FakeIntake intake;
    final FakeWatch watch;
    final List<ShardShell> shards = new ArrayList<>();
    private final List<Member> members = new ArrayList<>();
    private final int slot;
    private long effectsLeft = Long.MAX_VALUE;
    private boolean gone;
    private boolean draining;
    private long drainDeadline = Long.MAX_VALUE;
    private @Nullable String failure;

    PipelineProcess(World world, int slot) {
        this.world = world;
        this.slot = slot;
        this.run = world.nextRun();
        var source = world.scenario.source();
        budget = new AdmissionBudget(source.budgetRows(), source.budgetBytes(), source.resumeBelow());
        settings = world.scenario.kafka(world.operator.onPoison(), world.operator.onLostOffset());
        intake = new FakeIntake(this);
        watch = new FakeWatch(this);
        for (var i = 0; i < world.scenario.sink().shards(); i++) shards.add(new ShardShell(this, i));
        for (var i = 0; i < source.members(); i++) members.add(new Member(this));
        world.note("process starts", slot, run);
    }

    /// As `SourceStart`: nobody joins before the group has a place to start from.
    void begin() {
        if (draining) {
            endUnjoined();
            return;
        }
        if (!world.group.settleStart()) {
            later(START_AGAIN_NANOS, this::begin);
            return;
        }
        watch.begin();
        for (var member : members) later(world.chance.millis(0, 50), member::begin);
    }

    private void endUnjoined() {
        members.forEach(Member::discard);
        inputDone();
        left();
    }

    /// Does it later, if the process lives then.
    void later(long delayNanos, Runnable what) {
        world.agenda.in(delayNanos, () -> doNow(what));
    }

    void doNow(Runnable what) {
        if (gone) return;
        try {
            what.run();
        } catch (Crash _) {
            world.reached(Sometimes.CRASH_BETWEEN_COMMANDS);
            die();
        }
    }

    /// Something outside is about to change. The process may die just before it.
    void effect() {
        if (--effectsLeft < 0) throw new Crash();
    }

    void crashAfter(long effects) {
        effectsLeft = effects;
    }

    private void die() {
        gone = true;
        world.note("crash", slot, run);
        shards.forEach(ShardShell::die);
        for (var member : members) {
            var seat = member.seat();
            world.agenda.in(world.chance.millis(0, 3_000), () -> world.group.remove(seat));
        }
        restart();
    }

    private void restart() {
        world.agenda.in(world.chance.millis(10, 1_500), () -> {
            if (world.operator.holds()) {
                restart();
                return;
            }
            var next = new PipelineProcess(world, slot);
            world.processes.set(slot, next);
            next.begin();
        });
    }

    /// What its shards hold, in words.
    String stuck() {
        return String.join("", shards.stream().map(ShardShell::stuck).toList());
    }

    boolean gone() {
        return gone;
    }

    /// Something in it asked for its end: it drains, and says why.
    void failed(int exitCode, String reason) {
        if (failure != null) return;
        if (exitCode != 5) throw new Violation("DRN-8", "exit code " + exitCode + " for: " + reason);
        failure = reason;
        world.operator.told(reason);
        drain(world.chance.spreadMillis(1, 5_000));
    }

    boolean hasFailed() {
        return failure != null;
    }

    List<Member> members() {
        return members;
    }

    List<SinkFeed> sinks(SkipOracle skips) {
        var source = world.scenario.source();
        return List.of(new SinkFeed(
                "warehouse",
                _ -> true,
                () -> new FakeRows(world.log, skips),
                new FakeRouter(world.log),
                world.scenario.sink().shards(),
                1,
                source.chunkBytes(),
                source.chunkLingerNanos()));
    }

    void stallAMember(long nanos) {
        world.chance.any(members).stall(nanos, false);
    }

    void freezeAMember(long nanos) {
        world.chance.any(members).stall(nanos, true);
    }

    /// Chunks that may be open in builders, outside the budget until they are handed over: one for each member,
    /// partition and shard.
    private int builders() {
        return members.size() * world.log.partitions().size() * shards.size();
    }

    /// O7: the budget holds, but for one chunk of each builder.
    void checkBudget() {
        var source = world.scenario.source();
        var chunkRows = Math.max(64, Math.max(source.chunkBytes(), 2 * Scenario.LONGEST_ROW) / 48);
        var chunkBytes = source.chunkBytes() + Scenario.LONGEST_ROW + world.scenario.largeRow();
        if (budget.rows() < 0 || budget.bytes() < 0)
            throw new Violation("O7", "budget holds " + budget.rows() + " rows, " + budget.bytes() + " bytes");
        if (budget.rows() > source.budgetRows() + (long) builders() * chunkRows
                || budget.bytes() > source.budgetBytes() + (long) builders() * chunkBytes)
            throw new Violation(
                    "O7",
                    budget.rows() + " rows and " + budget.bytes() + " bytes in flight, of " + source.budgetRows()
                            + " and " + source.budgetBytes());
    }

    // --- the drain

    boolean draining() {
        return draining;
    }

    private void mustEndIn(long nanos) {
        world.agenda.in(nanos, () -> {
            if (gone) return;
            var stalled = 0L;
            for (var member : members) stalled = Math.max(stalled, member.stalledUntil());
            // One whose thread stood still meanwhile has its time from then on.
            var left = stalled + 8 * STOP_SLACK_NANOS - world.agenda.elapsed();
            if (left <= 0) throw new Violation("O9", "process run " + run + " does not end after its drain");
            mustEndIn(left);
        });
    }

    boolean deadlinePassed() {
        return world.agenda.elapsed() >= drainDeadline;
    }

    /// On the clock that machines are told.
    long encodeUntil() {
        return world.now() + drainDeadline - world.agenda.elapsed();
    }

    /// The shards are done, or their time is up: what is done is committed, and the members leave.
    boolean mayFinish() {
        if (!draining) return false;
        if (world.agenda.elapsed() >= drainDeadline + WORKERS_GRACE_NANOS) return true;
        return members.stream().allMatch(Member::inputDone) && shardsFinished();
    }

    long finishBy() {
        return Math.max(drainDeadline, world.agenda.elapsed() + LAST_COMMIT_NANOS);
    }

    /// Stops it within the budget. Asked again, the new deadline holds if it is the earlier one.
    void drain(long budgetNanos) {
        var deadline = world.agenda.elapsed() + budgetNanos;
        if (gone || deadline >= drainDeadline) return;
        world.note("drain", run, budgetNanos);
        draining = true;
        drainDeadline = deadline;
        for (var shard : shards) shard.post(new ShardEvent.DrainBy(world.now() + budgetNanos));
        members.forEach(Member::stopAsked);
        world.agenda.in(budgetNanos + STOP_SLACK_NANOS, () -> {
            for (var shard : shards)
                if (!gone && !shard.finished())
                    throw new Violation("O9", "shard " + shard.index() + " is not finished after the drain's deadline");
        });
        mustEndIn(budgetNanos + 8 * STOP_SLACK_NANOS);
    }

    /// A member will offer nothing more.
    void inputDone() {
        if (members.stream().allMatch(Member::inputDone)) shards.forEach(ShardShell::closeInput);
    }

    boolean shardsFinished() {
        return shards.stream().allMatch(ShardShell::finished);
    }

    /// A member has left the group. The last one ends the process.
    void left() {
        if (!members.stream().allMatch(Member::hasLeft)) return;
        if (!shardsFinished()) {
            later(START_AGAIN_NANOS, this::left);
            return;
        }
        gone = true;
        world.note("process ends", slot, run);
        checkAtRest();
        restart();
    }

    /// O2: at rest nothing is open, and the rows add up.
    private void checkAtRest() {
        if (handles.count() != 0) throw new Violation("O2", handles.count() + " handles are open at rest");
        if (budget.rows() != 0 || budget.bytes() != 0)
            throw new Violation("O2", "budget holds " + budget.rows() + " rows, " + budget.bytes() + " bytes at rest");
        members.forEach(Member::checkAtRest);
        for (var shard : shards) shard.checkAtRest();
    }
}
