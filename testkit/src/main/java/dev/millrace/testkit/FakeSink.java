package dev.millrace.testkit;

import static dev.millrace.testkit.Chance.MILLI;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The stores: each shard's replicas are ways to one store. Refuses, hangs, stores and loses the answer, as it is told.
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
        MISCONFIGURED,
        REFUSES,
        TOO_LARGE
    }

    /// Delays are from the start of an attempt; `landNanos` −1 for never. Without an outcome the receipt is the truth.
    private record Plan(long landNanos, long endNanos, Say say) {}

    private sealed interface Say {
        record Receipt(boolean wrong) implements Say {}

        record Nothing() implements Say {}

        record This(WriteOutcome outcome) implements Say {}
    }

    private final World world;
    private final Mode[][] modes;
    private final Map<String, Long> tokens = new HashMap<>();
    private final Set<String> stored = new HashSet<>();
    private final FakeRows reader;

    FakeSink(World world) {
        this.world = world;
        this.reader = new FakeRows(world.log);
        var sink = world.scenario.sink();
        modes = new Mode[sink.shards()][sink.replicas()];
        heal();
    }

    void heal() {
        for (var of : modes) Arrays.fill(of, Mode.WELL);
    }

    void mode(int shard, int replica, Mode mode) {
        world.note("mode " + mode, shard, replica);
        modes[shard][replica] = mode;
    }

    /// Starts a write. `told` hears how it ended, once; null is without an outcome.
    FakeAttempt write(int shard, int replica, BatchRows rows, Token token, Consumer<@Nullable WriteOutcome> told) {
        var hash = reader.read(rows, (p, offset) -> {
            if (world.log.shardOf(p, offset) != shard)
                throw new Violation("O4", p + "@" + offset + " is not of shard " + shard);
        });
        var before = tokens.putIfAbsent(token.text(), hash);
        if (before != null && before != hash)
            throw new Violation("O12", "token " + token.text() + " names two sets of rows");
        var attempt = new FakeAttempt(shard, replica, rows, token, told);
        begin(attempt, plan(modes[shard][replica]), rows.rows());
        return attempt;
    }

    FakeAttempt ping(int shard, int replica, Consumer<@Nullable WriteOutcome> told) {
        var attempt = new FakeAttempt(shard, replica, null, null, told);
        begin(attempt, plan(modes[shard][replica]), 0);
        return attempt;
    }

    private void begin(FakeAttempt attempt, Plan plan, int rows) {
        var accepted = new long[1];
        if (plan.landNanos >= 0 && attempt.rows != null) {
            attempt.send();
            world.agenda.in(plan.landNanos, () -> accepted[0] = land(attempt));
        }
        world.agenda.in(
                plan.endNanos,
                () -> attempt.end(
                        switch (plan.say) {
                            case Say.Receipt(var wrong) -> receipt(accepted[0], rows, wrong);
                            case Say.Nothing() -> null;
                            case Say.This(var outcome) -> outcome;
                        }));
    }

    private WriteOutcome receipt(long accepted, int rows, boolean wrong) {
        if (!world.scenario.sink().countsRows()) return new WriteOutcome.Written(0, 0);
        return new WriteOutcome.Written(accepted, rows - accepted + (wrong ? 1 : 0));
    }

    private long land(FakeAttempt attempt) {
        var rows = attempt.rows;
        var token = attempt.token;
        if (!attempt.willLand() || rows == null || token == null) return 0;
        attempt.land();
        if (attempt.orphaned()) world.reached(Sometimes.ZOMBIE_WRITE);
        world.note("landed", attempt.shard, rows.rows());
        if (!stored.add(token.text())) {
            world.reached(Sometimes.TOKEN_SEEN_AGAIN);
            if (world.scenario.sink().honoursTokens()) return 0;
        }
        world.order.landed(attempt.shard, rows);
        // Read again: the bytes must be what they were at the start (WRT-9).
        reader.read(rows, world.log::landed);
        return rows.rows();
    }

    /// The sender stopped waiting: its thread ends soon, unless it does not look.
    void cancel(FakeAttempt attempt) {
        attempt.orphan();
        if (world.chance.of(0.5)) attempt.drop();
        if (attempt.ended() || world.strikes(Fault.INTERRUPT_IGNORED, 0.8)) return;
        var outcome = unavailable("interrupted", true, new WriteOutcome.Blame.Replica());
        world.agenda.in(world.chance.millis(0, 5), () -> attempt.end(outcome));
    }

    /// The sender died.
    void orphan(FakeAttempt attempt) {
        attempt.orphan();
        if (world.chance.of(0.3)) attempt.drop();
    }

    private static WriteOutcome unavailable(String code, boolean mayHaveStored, WriteOutcome.Blame blame) {
        return new WriteOutcome.Unavailable(new Failure(code, "simulated", mayHaveStored), blame);
    }

    private Plan plan(Mode mode) {
        var chance = world.chance;
        var quick = chance.between(0, 5 * MILLI);
        var replica = new WriteOutcome.Blame.Replica();
        return switch (mode) {
            case WELL -> well();
            case DOWN -> new Plan(-1, quick, new Say.This(unavailable("refused", false, replica)));
            case HANGS -> hang();
            case SLOW -> {
                var end = (long) (timeout() * (0.5 + chance.generator().nextDouble()));
                yield new Plan(end * 9 / 10, end, new Say.Receipt(false));
            }
            case OVERLOADED -> {
                var blame = new WriteOutcome.Blame.Overload(chance.of(0.5) ? 0 : chance.millis(0, 1_000));
                yield new Plan(-1, quick, new Say.This(unavailable("429", false, blame)));
            }
            case MISCONFIGURED ->
                new Plan(
                        -1,
                        quick,
                        new Say.This(new WriteOutcome.Misconfigured(new Failure("42P01", "no table", false))));
            case REFUSES ->
                new Plan(-1, quick, new Say.This(new WriteOutcome.Refused(new Failure("22P02", "bad row", false), -1)));
            case TOO_LARGE ->
                new Plan(-1, quick, new Say.This(new WriteOutcome.TooLarge(new Failure("54000", "too large", false))));
        };
    }

    /// What hanging is measured by: no attempt hangs for ever.
    private long timeout() {
        return Math.min(world.scenario.sink().writeTimeoutNanos(), 4_000 * MILLI);
    }

    private Plan hang() {
        var chance = world.chance;
        var timeout = timeout();
        var end = chance.between(timeout / 2, timeout * 4);
        if (chance.of(0.5)) {
            var outcome = unavailable("reset", true, new WriteOutcome.Blame.Replica());
            return new Plan(-1, end, new Say.This(outcome));
        }
        return new Plan(chance.between(0, end), end, new Say.Receipt(false));
    }

    private Plan well() {
        var chance = world.chance;
        var end = (long)
                (world.scenario.sink().writeNanos() * (0.2 + chance.generator().nextDouble()));
        var share = world.scenario.attemptFaults();
        if (world.strikes(Fault.ANSWER_LOST, share)) {
            world.reached(Sometimes.ANSWER_LOST_AFTER_STORE);
            var outcome = unavailable("reset", true, new WriteOutcome.Blame.Replica());
            if (chance.of(0.5)) return new Plan(end / 2, end, new Say.This(outcome));
            var late = timeout() * chance.between(1, 3);
            return new Plan(end, late, new Say.Receipt(false));
        }
        if (world.strikes(Fault.ERROR_BEFORE_STORE, share)) {
            var blame = chance.of(0.7) ? new WriteOutcome.Blame.Replica() : new WriteOutcome.Blame.Nobody();
            return new Plan(-1, end, new Say.This(unavailable("error", false, blame)));
        }
        if (world.strikes(Fault.THREAD_LOST, share)) {
            world.reached(Sometimes.ATTEMPT_WITHOUT_OUTCOME);
            return new Plan(chance.of(0.5) ? end / 2 : -1, end, new Say.Nothing());
        }
        if (world.strikes(Fault.BAD_RECEIPT, share) && world.scenario.sink().countsRows()) {
            world.reached(Sometimes.RECEIPT_DOES_NOT_ADD_UP);
            return new Plan(end / 2, end, new Say.Receipt(true));
        }
        return new Plan(end * 7 / 10, end, new Say.Receipt(false));
    }
}
