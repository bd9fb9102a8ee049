package dev.millrace.testkit;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The stores: each shard's replicas are ways to one store. Refuses, hangs, stores and loses the
/// answer, as it is told.
///
/// Thread ownership: the run.
final class FakeSink {
    /// What a replica does with what it gets.
    enum Mode {
        WELL,
        DOWN,
        HANGS,
        SLOW,
        OVERLOADED,
        READ_ONLY,
        MISCONFIGURED,
        REFUSES,
        TOO_LARGE
    }

    private final World world;
    private final Mode[][] modes;
    private final boolean[][] lies;
    private final SinkPlans plans;
    private final Map<String, SentBatch> sent = new HashMap<>();
    private final List<FakeStore> stores = new ArrayList<>();
    private final List<FakeAttempt> open = new ArrayList<>();
    private final RepeatOracle repeats;
    private final FakeRows reader;
    private int[] partitions = new int[64];
    private int read;
    private Mode outage = Mode.DOWN;
    private boolean takesAll;

    FakeSink(World world) {
        this.world = world;
        this.reader = new FakeRows(world.log);
        this.plans = new SinkPlans(world);
        this.repeats = new RepeatOracle(world);
        var sink = world.scenario.sink();
        modes = new Mode[sink.shards()][sink.replicas()];
        lies = new boolean[sink.shards()][sink.replicas()];
        for (var i = 0; i < sink.shards(); i++) stores.add(new FakeStore(world, sink.replicas(), repeats));
        heal();
    }

    void heal() {
        for (var of : modes) Arrays.fill(of, Mode.WELL);
        for (var of : lies) Arrays.fill(of, false);
    }

    void mode(int shard, int replica, Mode mode) {
        world.note("mode " + mode, shard, replica);
        modes[shard][replica] = mode;
    }

    /// What a replica answers who only asks how it is.
    void lies(int shard, int replica, boolean on) {
        world.note("lies", shard, on ? replica : -1);
        lies[shard][replica] = on;
    }

    /// How all replicas are while there is an outage of everything.
    void outage(Mode mode) {
        outage = mode;
    }

    private Mode modeOf(int shard, int replica) {
        return world.outageNanos() > 0 ? outage : modes[shard][replica];
    }

    RepeatOracle repeats() {
        return repeats;
    }

    /// A replica is lost with what only it has, and all connections to the shard break.
    void failOver(int shard, int replica) {
        world.note("fails over", shard, replica);
        stores.get(shard).lose(replica);
        for (var attempt : List.copyOf(open)) {
            if (attempt.shard != shard) continue;
            attempt.drop();
            attempt.end(SinkPlans.unavailable("reset", true, new WriteOutcome.Blame.Replica()));
        }
    }

    /// Starts a write. `told` hears how it ended, once; null is without an outcome.
    FakeAttempt write(
            int shard,
            int replica,
            SentBatch.Sender sender,
            BatchRows rows,
            Token token,
            Consumer<@Nullable WriteOutcome> told) {
        var attempt = new FakeAttempt(shard, replica, batch(shard, sender, rows, token), rows, told);
        var plan = plans.write(modeOf(shard, replica));
        var layout = rows.slices().getFirst().chunk().layout();
        begin(attempt, attempt.batch == null ? plan : onContent(attempt.batch, layout, plan));
        return attempt;
    }

    /// Its tables are altered: every row fits.
    void takesAll() {
        takesAll = true;
    }

    /// Nothing is stored of what holds a row that does not fit; who would get a receipt is told why.
    private SinkPlans.Plan onContent(SentBatch batch, int layout, SinkPlans.Plan plan) {
        if (plan.landNanos() < 0) return plan;
        if (layout != world.layout()) {
            world.reached(Sometimes.OLD_LAYOUT_REFUSED);
            return plans.oldLayout(plan);
        }
        if (takesAll) return plan;
        for (var row = 0; row < batch.offsets.length; row++)
            if (world.log.refused(batch.partitions[row], batch.offsets[row])) return plans.refusing(batch, row, plan);
        return plan;
    }

    /// O4: the rows are those of the log and of this shard. O12: its token never names others.
    private SentBatch batch(int shard, SentBatch.Sender sender, BatchRows rows, Token token) {
        read = 0;
        if (partitions.length < rows.rows()) partitions = new int[rows.rows()];
        var hash = reader.read(rows, (p, offset) -> {
            if (world.log.shardOf(p, offset, sender.route()) != shard)
                throw new Violation("O4", p + "@" + offset + " is not of shard " + shard);
            partitions[read++] = p;
        });
        var before = sent.get(token.text());
        if (before == null) {
            var blockRows = world.scenario.sink().store().blockRows();
            var of = new SentBatch(sender, rows, token.text(), hash, Arrays.copyOf(partitions, read), blockRows);
            sent.put(token.text(), of);
            return of;
        }
        if (before.hash != hash && world.scenario.planned() && world.isPlanLost()) {
            // A topic that was made anew is read on for the one before it until that is seen; then nothing counts.
            var blockRows = world.scenario.sink().store().blockRows();
            var other = new SentBatch(sender, rows, token.text(), hash, Arrays.copyOf(partitions, read), blockRows);
            other.takenFor(before);
            return other;
        }
        if (before.hash != hash)
            throw new Violation(
                    "O12",
                    "token " + before + " names two sets of rows, also " + rows.slices() + " of run " + sender.run());
        return before;
    }

    FakeAttempt ping(int shard, int replica, Consumer<@Nullable WriteOutcome> told) {
        var attempt = new FakeAttempt(shard, replica, null, null, told);
        var mode = modeOf(shard, replica);
        begin(attempt, lies[shard][replica] ? plans.lie(mode) : plans.ping(mode));
        return attempt;
    }

    private void begin(FakeAttempt attempt, SinkPlans.Plan plan) {
        open.add(attempt);
        var batch = attempt.batch;
        if (batch != null && plan.landNanos() >= 0) {
            var blocks = Math.min(batch.blocks(), plan.blocks());
            if (plan.partial()) blocks = world.chance.between(0, batch.blocks() - 1);
            attempt.send(blocks);
            if (plan.drips())
                for (var i = 1; i <= blocks; i++)
                    world.agenda.in(plan.landNanos() / blocks * i, () -> land(attempt, batch, 1));
            else world.agenda.in(plan.landNanos(), () -> land(attempt, batch, Integer.MAX_VALUE));
            if (plan.partial() && blocks > 0) world.reached(Sometimes.PARTIAL_APPLY);
            if (plan.againNanos() >= 0)
                world.agenda.in(plan.landNanos() + plan.againNanos(), () -> landAgain(attempt, batch));
        }
        world.agenda.in(plan.endNanos(), () -> end(attempt, plan.say()));
    }

    private void end(FakeAttempt attempt, SinkPlans.Say say) {
        open.remove(attempt);
        attempt.end(
                switch (say) {
                    case SinkPlans.Say.Receipt(var wrong) -> receipt(attempt, wrong);
                    case SinkPlans.Say.Nothing() -> null;
                    case SinkPlans.Say.This(var outcome) -> outcome;
                });
    }

    /// Never a good one for what did not reach the server.
    private WriteOutcome receipt(FakeAttempt attempt, boolean wrong) {
        var batch = attempt.batch;
        if (batch == null || !world.scenario.sink().countsRows()) return new WriteOutcome.Written(0, 0);
        var accepted = attempt.accepted();
        return new WriteOutcome.Written(accepted, batch.offsets.length - accepted + (wrong ? 1 : 0));
    }

    /// The next blocks of it land, so many at most.
    private void land(FakeAttempt attempt, SentBatch batch, int most) {
        if (attempt.late()) return;
        landNow(attempt, batch, most);
    }

    private void landNow(FakeAttempt attempt, SentBatch batch, int most) {
        if (!attempt.willLand()) return;
        if (attempt.orphaned()) world.reached(Sometimes.ZOMBIE_WRITE);
        world.note("landed", attempt.shard, batch.offsets.length);
        // Read again: the bytes must be what they were at the start (WRT-9), for as long as the thread that sends them.
        var given = attempt.rows;
        if (given != null && !attempt.ended() && reader.read(given, (_, _) -> {}) != batch.hash)
            throw new Violation("WRT-9", "rows changed while they were written");
        var repeated = false;
        var stored = false;
        for (var i = 0; i < most && attempt.willLand(); i++) {
            var rows = stores.get(attempt.shard).store(batch, attempt.land(), attempt.replica);
            attempt.accept(rows);
            if (rows == 0) repeated = true;
            else stored = true;
        }
        if (repeated && stored) world.reached(Sometimes.BLOCKS_COMPLETED_BY_RETRY);
    }

    /// The same request once more, if it came through at all.
    private void landAgain(FakeAttempt attempt, SentBatch batch) {
        if (!attempt.landed()) return;
        world.reached(Sometimes.REQUEST_DELIVERED_TWICE);
        repeats.doubled(batch);
        for (var block = 0; block < batch.blocks(); block++)
            stores.get(attempt.shard).store(batch, block, attempt.replica);
    }

    /// The sender stopped waiting: its thread ends soon, unless it does not look.
    void cancel(FakeAttempt attempt) {
        attempt.orphan();
        if (world.chance.of(0.5)) attempt.drop();
        else comeLate(attempt);
        if (attempt.ended() || world.strikes(Fault.INTERRUPT_IGNORED, 0.8)) return;
        var outcome = SinkPlans.unavailable("interrupted", true, new WriteOutcome.Blame.Replica());
        world.agenda.in(world.chance.millis(0, 5), () -> {
            open.remove(attempt);
            attempt.end(outcome);
        });
    }

    /// Its request is overtaken on another connection, by the retry perhaps.
    private void comeLate(FakeAttempt attempt) {
        var batch = attempt.batch;
        if (batch == null || !attempt.willLand() || !world.strikes(Fault.LATE_REQUEST, 0.6)) return;
        attempt.makeLate();
        world.agenda.in(world.chance.between(0, 4 * plans.timeout()), () -> {
            if (attempt.willLand() && batch.wasStored(batch.blocks() - 1))
                world.reached(Sometimes.LATE_REQUEST_AFTER_RETRY);
            landNow(attempt, batch, Integer.MAX_VALUE);
        });
    }

    /// The sender died.
    void orphan(FakeAttempt attempt) {
        attempt.orphan();
        if (world.chance.of(0.3)) attempt.drop();
        else comeLate(attempt);
    }
}
