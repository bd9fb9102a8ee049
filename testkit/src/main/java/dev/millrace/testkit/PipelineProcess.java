package dev.millrace.testkit;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.KafkaSourceSettings;
import dev.millrace.kafka.SinkFeed;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.RowTally;
import dev.millrace.sinkpool.ShardEvent;
import dev.millrace.sinkpool.SlabPool;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// One run of the simulated process: its clock, settings, members, shards and budget. It ends by a
/// crash between two effects, or by a drain, after which nothing may be left open.
///
/// Thread ownership: the run.
final class PipelineProcess {
    /// A stop may take this much longer than its budget.
    static final long STOP_SLACK_NANOS = 1_000_000_000L;

    private static final long WORKERS_GRACE_NANOS = 300_000_000L;
    private static final long LAST_COMMIT_NANOS = 200_000_000L;
    private static final long START_AGAIN_NANOS = 200_000_000L;

    /// Clocks are wrong by one in a hundred at most.
    private static final long SLABS_KEPT = 1 << 20;
    private static final long MOST_SKEW_PER_MILLION = 10_000;

    /// A member may be in the middle of a long turn.
    private static final long MEMBER_HEARS_MILLIS = 2_000;

    /// The account that one member keeps of one partition.
    record Counted(SourcePartition partition, RowTally tally) {}

    final World world;
    final long run;
    final Scenario.Source source;
    final Scenario.Sink sink;
    final AdmissionBudget budget;
    final OpenHandles handles = new OpenHandles();
    final KafkaSourceSettings settings;
    final FakeIntake intake;
    private final SourceLetters letters;
    final FakeWatch watch;

    /// Null where writes are not limited.
    final @Nullable FakeSlots slots;

    final List<ShardShell> shards = new ArrayList<>();
    private final ProcessClock clock;
    private final MemoryOracle memory;
    private final List<Member> members = new ArrayList<>();
    private final List<Counted> counted = new ArrayList<>();
    private final ArrayDeque<Runnable> whenThawed = new ArrayDeque<>();
    private final int slot;
    private long effectsLeft = Long.MAX_VALUE;
    /// What its encoders take the tables for.
    private int layout;

    private boolean gone;
    private boolean frozen;
    private boolean zombie;
    private long thawedNanos;
    private boolean draining;
    private long drainDeadline;
    private @Nullable String failure;

    /// The first run of this slot.
    PipelineProcess(World world, int slot) {
        this(world, slot, world.scenario.source(), world.scenario.sink());
    }

    private PipelineProcess(World world, int slot, Scenario.Source source, Scenario.Sink sink) {
        this.world = world;
        this.slot = slot;
        this.run = world.nextRun();
        this.layout = world.layout();
        this.source = source;
        this.sink = sink;
        clock = new ProcessClock(
                world.agenda,
                Scenario.origin(world.chance),
                world.chance.between(-MOST_SKEW_PER_MILLION, MOST_SKEW_PER_MILLION));
        budget = new AdmissionBudget(source.budgetRows(), source.budgetBytes(), source.resumeBelow());
        settings = world.scenario.kafka(source, world.operator.onPoison(), world.operator.onLostOffset(), world::wall);
        intake = new FakeIntake(this);
        letters = new SourceLetters(this);
        watch = new FakeWatch(this);
        slots = sink.maxTotal() == 0 ? null : new FakeSlots(this, sink.maxTotal());
        for (var i = 0; i < sink.shards(); i++) shards.add(new ShardShell(this, i));
        for (var i = 0; i < source.members(); i++) members.add(new Member(this));
        memory = new MemoryOracle(this);
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

    /// The tables have changed: it sees that so much later.
    void tableChanged(long noticedNanos) {
        later(noticedNanos, () -> {
            if (layout == world.layout()) return;
            layout = world.layout();
            for (var member : members) later(world.chance.millis(0, MEMBER_HEARS_MILLIS), member::layoutChanged);
        });
    }

    // --- its time

    /// What its machines are told.
    long now() {
        return clock.now();
    }

    /// It goes forward at once; whoever waits for an instant finds it reached.
    void jumpClock(long nanos) {
        if (gone) return;
        world.note("clock jumps", run, nanos);
        world.reached(Sometimes.CLOCK_JUMPED);
        clock.jump(nanos);
        doNow(() -> {
            shards.forEach(ShardShell::rearm);
            members.forEach(Member::clockJumped);
        });
        if (draining) endsInTime();
    }

    void standClock(long nanos) {
        if (gone) return;
        world.note("clock stands", run, nanos);
        world.reached(Sometimes.CLOCK_FROZE);
        clock.stand(nanos);
    }

    /// Does it truly later, if the process lives then.
    void later(long delayNanos, Runnable what) {
        world.agenda.in(delayNanos, () -> doNow(what));
    }

    /// Does it when its own clock shows this; not earlier, and not much later unless the clock jumps.
    void at(long instant, Runnable what) {
        later(clock.delay(instant - now()), () -> {
            if (now() - instant < 0) at(instant, what);
            else what.run();
        });
    }

    /// Looks whether something is done at an instant of its own clock, but not just after the clock was
    /// disturbed or the process stood still: then it is given the slack once more.
    void lookAt(long instant, long slack, Runnable look) {
        at(instant, () -> {
            if (disturbedWithin(slack)) later(slack, () -> lookAt(instant, slack, look));
            else look.run();
        });
    }

    /// How long it truly takes until so much has passed on its clock.
    long trulyIn(long own) {
        return clock.delay(own);
    }

    /// When it last went on after it had stood still; 0 if it never did.
    long thawedAt() {
        return thawedNanos;
    }

    private boolean disturbedWithin(long nanos) {
        var thawed = thawedNanos > 0 && world.agenda.elapsed() - thawedNanos < nanos;
        return thawed || clock.disturbedWithin(nanos);
    }

    void doNow(Runnable what) {
        if (gone) return;
        if (frozen) {
            whenThawed.add(what);
            return;
        }
        try {
            what.run();
        } catch (Crash _) {
            world.reached(Sometimes.CRASH_BETWEEN_COMMANDS);
            die();
        }
    }

    // --- what may befall it

    /// Something outside is about to change. The process may die just before it.
    void effect() {
        if (--effectsLeft < 0) throw new Crash();
    }

    void crashAfter(long effects) {
        effectsLeft = effects;
    }

    /// Nothing of it runs for so long, its members among it; what it sent goes on. It is put out of the
    /// group when its session is over.
    void freeze(long nanos) {
        if (gone || frozen) return;
        world.note("frozen", run, nanos);
        world.reached(Sometimes.PROCESS_FROZEN);
        frozen = true;
        if (source.sessionNanos() < nanos)
            world.agenda.in(source.sessionNanos(), () -> {
                if (gone) return;
                zombie = true;
                for (var member : members) world.group.remove(member.seat());
            });
        world.agenda.in(nanos, this::thaw);
    }

    private void thaw() {
        frozen = false;
        thawedNanos = world.agenda.elapsed();
        world.note("thawed", run, whenThawed.size());
        if (zombie && !gone) world.reached(Sometimes.ZOMBIE_CAME_BACK);
        zombie = false;
        for (var what = whenThawed.poll(); what != null; what = whenThawed.poll()) doNow(what);
    }

    /// A worker meets an `Error` after so many commands.
    void failAWorker(int commands) {
        if (!gone) world.chance.any(shards).failAfter(commands);
    }

    /// A worker died: as production does, the process stops in good order and ends.
    void workerDied(int shard) {
        world.note("worker died", run, shard);
        world.reached(Sometimes.WORKER_DIED_OF_ERROR);
        drain(world.chance.spreadMillis(50, 5_000));
    }

    private void die() {
        gone = true;
        world.note("crash", slot, run);
        ends();
        shards.forEach(ShardShell::die);
        for (var member : members) {
            var seat = member.seat();
            world.agenda.in(world.chance.millis(0, 3_000), () -> world.group.remove(seat));
        }
        restart();
    }

    /// Now and then nobody starts it for longer than stores remember tokens.
    private void restart() {
        var late = !world.healed() && world.chance.of(0.04);
        world.agenda.in(late ? world.chance.spreadMillis(20_000, 120_000) : world.chance.millis(10, 1_500), () -> {
            if (world.operator.holds()) {
                restart();
                return;
            }
            var other = world.outageNanos() == 0 && world.strikes(Fault.OTHER_SETTINGS, 0.6);
            if (other) world.reached(Sometimes.RESTARTED_WITH_OTHER_SETTINGS);
            var next = new PipelineProcess(
                    world,
                    slot,
                    other
                            ? source.changed(world.chance, world.scenario.suppressed(), world.scenario.planned())
                            : source,
                    other ? sink.changed(world.chance, source.ordered()) : sink);
            world.processes.set(slot, next);
            next.begin();
        });
    }

    private void ends() {
        if (clock.overflowed()) world.reached(Sometimes.CLOCK_OVERFLOWED);
    }

    /// What its shards and members hold, in words.
    String stuck() {
        return String.join("", shards.stream().map(ShardShell::stuck).toList())
                + String.join("", members.stream().map(Member::stuck).toList());
    }

    /// Batches that wait for a person, by name.
    List<String> blocked() {
        return gone
                ? List.of()
                : shards.stream().flatMap(shard -> shard.blocked().stream()).toList();
    }

    /// One of its shards holds because too much is refused.
    boolean drifts() {
        return shards.stream().anyMatch(ShardShell::drifts);
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

    SourceLetters letters() {
        return letters;
    }

    void counts(SourcePartition partition, RowTally tally) {
        counted.add(new Counted(partition, tally));
    }

    List<Counted> counted() {
        return counted;
    }

    List<SinkFeed> sinks(SkipOracle skips) {
        return List.of(new SinkFeed(
                Member.SINK,
                _ -> true,
                () -> new FakeRows(world.log, skips, layout),
                new FakeRouter(world.log, source.route(), Math.max(1, source.lanes())),
                sink.shards(),
                Math.max(1, source.lanes()),
                new SlabPool(source.chunkBytes(), SLABS_KEPT),
                source.chunkLingerNanos(),
                world.scenario.planned() ? planned() : null));
    }

    private SinkFeed.PlannedBatches planned() {
        var batch = sink.batch();
        return new SinkFeed.PlannedBatches(batch.maxRows(), batch.maxBytes(), batch::lingerNanos);
    }

    /// How long its breakers take for so many probes; 0 if it would give up and start again before
    /// that.
    long outageNanos(long probes) {
        if (sink.retry().maxAttempts() > 0) return 0;
        return probes * sink.breaker().openMaxNanos();
    }

    void stallAMember(long nanos) {
        world.chance.any(members).stall(nanos, false);
    }

    void freezeAMember(long nanos) {
        world.chance.any(members).stall(nanos, true);
    }

    void checkBudget() {
        memory.check();
    }

    // --- the drain

    boolean draining() {
        return draining;
    }

    boolean deadlinePassed() {
        return draining && now() - drainDeadline >= 0;
    }

    /// On its own clock.
    long drainDeadline() {
        return drainDeadline;
    }

    /// The shards are done, or their time is up: what is done is committed, and the members leave.
    boolean mayFinish() {
        if (!draining) return false;
        if (now() - drainDeadline >= WORKERS_GRACE_NANOS) return true;
        return inputIsDone() && shardsFinished() && (letters.isEmpty() || now() - drainDeadline >= 0);
    }

    private boolean inputIsDone() {
        for (var member : members) if (!member.inputDone()) return false;
        return true;
    }

    /// How long members may take for their last commits, truly.
    long finishIn() {
        return trulyIn(Math.max(drainDeadline - now(), LAST_COMMIT_NANOS));
    }

    /// Stops it within the budget, by its own clock. Asked again, the new deadline holds if it is
    /// the earlier one.
    void drain(long budgetNanos) {
        var deadline = now() + budgetNanos;
        if (gone || (draining && deadline - drainDeadline >= 0)) return;
        world.note("drain", run, budgetNanos);
        draining = true;
        drainDeadline = deadline;
        for (var shard : shards) shard.post(new ShardEvent.DrainBy(deadline));
        members.forEach(Member::stopAsked);
        endsInTime();
    }

    /// O9: it ends within its deadline and a second.
    private void endsInTime() {
        lookAt(drainDeadline + STOP_SLACK_NANOS, STOP_SLACK_NANOS, () -> {
            for (var shard : shards)
                if (!gone && !shard.finished())
                    throw new Violation("O9", "shard " + shard.index() + " is not finished after the drain's deadline");
        });
        mustEndBy(drainDeadline + 8 * STOP_SLACK_NANOS);
    }

    private void mustEndBy(long instant) {
        lookAt(instant, 8 * STOP_SLACK_NANOS, () -> {
            var stalled = 0L;
            for (var member : members) stalled = Math.max(stalled, member.stalledUntil());
            // One whose thread stood still meanwhile has its time from then on.
            var left = stalled + 8 * STOP_SLACK_NANOS - world.agenda.elapsed();
            if (left <= 0) throw new Violation("O9", "process run " + run + " does not end after its drain");
            mustEndBy(now() + left);
        });
    }

    /// A member will offer nothing more.
    void inputDone() {
        if (inputIsDone()) shards.forEach(ShardShell::closeInput);
    }

    boolean shardsFinished() {
        for (var shard : shards) if (!shard.finished()) return false;
        return true;
    }

    /// A member has left the group. The last one ends the process.
    void left() {
        if (!members.stream().allMatch(Member::hasLeft)) return;
        if (!shardsFinished()) {
            later(START_AGAIN_NANOS, this::left);
            return;
        }
        letters.close();
        gone = true;
        world.note("process ends", slot, run);
        ends();
        checkAtRest();
        restart();
    }

    /// O2: at rest nothing is open, and the rows add up.
    private void checkAtRest() {
        if (handles.count() != 0) throw new Violation("O2", handles.count() + " handles are open at rest");
        memory.atRest();
        if (slots != null) slots.atRest();
        members.forEach(Member::checkAtRest);
        for (var shard : shards) shard.checkAtRest();
        reports();
    }

    /// O9: what is reported of each partition is what its shards did: written, in doubt, and given up.
    private void reports() {
        var truths = new TreeMap<SourcePartition, long[]>();
        for (var one : counted)
            truths.computeIfAbsent(one.partition, partition -> {
                var truth = new long[ShardShell.PLACES];
                for (var shard : shards) shard.addTo(truth, partition);
                return truth;
            });
        truths.forEach(this::reported);
    }

    private void reported(SourcePartition partition, long[] truth) {
        var encoded = 0L;
        var written = 0L;
        var inDoubt = 0L;
        var abandoned = 0L;
        var deadLettered = 0L;
        var skipped = 0L;
        for (var one : counted) {
            if (!one.partition.equals(partition)) continue;
            encoded += one.tally.encoded();
            written += one.tally.written();
            inDoubt += one.tally.inDoubt();
            abandoned += one.tally.abandoned();
            deadLettered += one.tally.deadLettered();
            skipped += one.tally.skipped();
        }
        var neverOffered = encoded - truth[ShardShell.OFFERED];
        var trulyAbandoned = truth[ShardShell.ABANDONED] + neverOffered;
        if (written != truth[ShardShell.WRITTEN]
                || inDoubt != truth[ShardShell.IN_DOUBT]
                || abandoned != trulyAbandoned
                || deadLettered != truth[ShardShell.DEAD_LETTERED]
                || skipped != truth[ShardShell.SKIPPED])
            throw new Violation(
                    "O9",
                    partition + " reports " + written + " written, " + inDoubt + " in doubt, " + abandoned
                            + " abandoned, " + deadLettered + " dead-lettered, " + skipped + " skipped; true are "
                            + truth[ShardShell.WRITTEN] + ", " + truth[ShardShell.IN_DOUBT]
                            + ", " + trulyAbandoned + ", " + truth[ShardShell.DEAD_LETTERED] + ", "
                            + truth[ShardShell.SKIPPED]);
    }
}
