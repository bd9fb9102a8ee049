package dev.millrace.testkit;

import static dev.millrace.testkit.Chance.MILLI;

import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import dev.millrace.testkit.FakeSink.Mode;

/// Decides how one request to the fake sink goes: when and how much of it lands, and what its
/// sender is told when.
///
/// Thread ownership: the run.
final class SinkPlans {
    /// Delays are from the start of an attempt; `landNanos` −1 for never. At most `blocks` land, or if
    /// `partial` fewer than there are; if it `drips`, one after the other. The request comes once more
    /// `againNanos` after it landed, or −1. Without an outcome the receipt is the truth.
    record Plan(long landNanos, long endNanos, int blocks, boolean partial, boolean drips, long againNanos, Say say) {}

    sealed interface Say {
        record Receipt(boolean wrong) implements Say {}

        record Nothing() implements Say {}

        record This(WriteOutcome outcome) implements Say {}
    }

    private static final Say TRUTH = new Say.Receipt(false);

    private final World world;
    private final Chance chance;

    SinkPlans(World world) {
        this.world = world;
        this.chance = world.chance;
    }

    static WriteOutcome unavailable(String code, boolean mayHaveStored, Blame blame) {
        return new WriteOutcome.Unavailable(new Failure(code, "simulated", mayHaveStored), blame);
    }

    private static Plan lands(long landNanos, long endNanos, Say say) {
        return new Plan(landNanos, endNanos, Integer.MAX_VALUE, false, false, -1, say);
    }

    private static Plan refused(long endNanos, WriteOutcome outcome) {
        return new Plan(-1, endNanos, 0, false, false, -1, new Say.This(outcome));
    }

    /// What hanging is measured by: no attempt hangs for ever.
    long timeout() {
        return Math.min(world.scenario.sink().writeTimeoutNanos(), 4_000 * MILLI);
    }

    Plan ping(Mode mode) {
        return mode == Mode.WELL ? general(wellNanos()) : ill(mode);
    }

    /// The contrary of the truth.
    Plan lie(Mode mode) {
        var ill = mode != Mode.WELL;
        world.reached(ill ? Sometimes.PING_ANSWERED_BY_AN_ILL_REPLICA : Sometimes.PING_REFUSED_BY_A_WELL_REPLICA);
        return ill ? general(wellNanos()) : ill(Mode.DOWN);
    }

    Plan write(Mode mode) {
        return mode == Mode.WELL ? well() : ill(mode);
    }

    private Plan ill(Mode mode) {
        var quick = chance.between(0, 5 * MILLI);
        return switch (mode) {
            case WELL -> throw new IllegalArgumentException("well");
            case DOWN -> refused(quick, unavailable("refused", false, new Blame.Replica()));
            case HANGS -> hang();
            case SLOW -> {
                var end = (long) (timeout() * (0.5 + chance.generator().nextDouble()));
                yield lands(end * 9 / 10, end, TRUTH);
            }
            case OVERLOADED ->
                refused(
                        quick,
                        unavailable("429", false, new Blame.Overload(chance.of(0.5) ? 0 : chance.millis(0, 1_000))));
            case READ_ONLY -> {
                world.reached(Sometimes.READ_ONLY);
                yield refused(quick, unavailable("25006", false, new Blame.Replica()));
            }
            case MISCONFIGURED ->
                refused(quick, new WriteOutcome.Misconfigured(new Failure("42P01", "no table", false)));
            case REFUSES -> refused(quick, new WriteOutcome.Refused(new Failure("22P02", "bad row", false), -1));
            case TOO_LARGE -> refused(quick, new WriteOutcome.TooLarge(new Failure("54000", "too large", false)));
        };
    }

    /// As `plan`, but nothing lands, and the row is the first that does not fit.
    Plan refusing(SentBatch batch, int row, Plan plan) {
        var say = plan.say();
        if (say instanceof Say.Receipt) {
            var hint = switch (world.scenario.sink().content().hint()) {
                case RIGHT -> row;
                case ABSENT -> -1;
                case LYING -> lie(batch, row);
            };
            say = new Say.This(new WriteOutcome.Refused(new Failure("22P02", "does not fit", false), hint));
        }
        return new Plan(-1, plan.endNanos(), 0, false, false, -1, say);
    }

    /// As `plan`, but nothing lands, since the table is another now.
    Plan oldLayout(Plan plan) {
        var say = plan.say();
        if (say instanceof Say.Receipt)
            say = new Say.This(new WriteOutcome.Misconfigured(new Failure("layout", "the table is another", false)));
        return new Plan(-1, plan.endNanos(), 0, false, false, -1, say);
    }

    private int lie(SentBatch batch, int row) {
        var lie = chance.between(0, batch.offsets.length);
        if (lie != row) world.reached(Sometimes.HINT_LIED);
        return lie;
    }

    private Plan hang() {
        var timeout = timeout();
        var end = chance.between(timeout / 2, timeout * 4);
        if (chance.of(0.5)) return refused(end, unavailable("reset", true, new Blame.Replica()));
        return lands(chance.between(0, end), end, TRUTH);
    }

    private long wellNanos() {
        return (long)
                (world.scenario.sink().writeNanos() * (0.2 + chance.generator().nextDouble()));
    }

    private Plan well() {
        var end = wellNanos();
        var share = world.scenario.attemptFaults();
        if (world.strikes(Fault.PARTIAL_APPLY, share)
                && world.scenario.sink().store().kind() == SinkKind.MULTI_BLOCK)
            return new Plan(end / 2, end, Integer.MAX_VALUE, true, false, -1, new Say.This(doubtful()));
        if (world.strikes(Fault.EXCEPTION_BEHIND_ANSWER, share)) {
            world.reached(Sometimes.EXCEPTION_BEHIND_ANSWER);
            return lands(end / 2, end, new Say.This(doubtful()));
        }
        if (world.strikes(Fault.ANSWER_GARBLED, share)) {
            world.reached(Sometimes.ANSWER_GARBLED);
            return lands(end / 2, end, new Say.This(unavailable("writer-threw", true, new Blame.Replica())));
        }
        if (world.strikes(Fault.SLOW_DRIP, share / 2)) {
            world.reached(Sometimes.SLOW_DRIP_TIMED_OUT);
            var late = timeout() * chance.between(1, 3) + 1;
            return new Plan(late, late, Integer.MAX_VALUE, false, true, -1, TRUTH);
        }
        if (world.strikes(Fault.DELIVERED_TWICE, share)) {
            var again = chance.between(0, 3 * timeout());
            return new Plan(end * 7 / 10, end, Integer.MAX_VALUE, false, false, again, TRUTH);
        }
        return general(end);
    }

    /// The server began, and then said that it failed: with a code of any kind, behind a good
    /// status or not.
    private WriteOutcome doubtful() {
        return switch (chance.between(0, 3)) {
            case 0 -> unavailable("exception", true, new Blame.Overload(0));
            case 1 -> unavailable("exception", true, new Blame.Nobody());
            case 2 -> new WriteOutcome.Misconfigured(new Failure("exception", "simulated", true));
            default -> unavailable("exception", true, new Blame.Replica());
        };
    }

    private Plan general(long end) {
        var share = world.scenario.attemptFaults();
        if (world.strikes(Fault.ANSWER_LOST, share)) {
            world.reached(Sometimes.ANSWER_LOST_AFTER_STORE);
            if (chance.of(0.5))
                return lands(end / 2, end, new Say.This(unavailable("reset", true, new Blame.Replica())));
            var late = timeout() * chance.between(1, 3);
            return lands(end, late, TRUTH);
        }
        if (world.strikes(Fault.ERROR_BEFORE_STORE, share)) {
            var blame = chance.of(0.7) ? new Blame.Replica() : new Blame.Nobody();
            return refused(end, unavailable("error", false, blame));
        }
        if (world.strikes(Fault.THREAD_LOST, share)) {
            world.reached(Sometimes.ATTEMPT_WITHOUT_OUTCOME);
            return lands(chance.of(0.5) ? end / 2 : -1, end, new Say.Nothing());
        }
        if (world.strikes(Fault.BAD_RECEIPT, share) && world.scenario.sink().countsRows()) {
            world.reached(Sometimes.RECEIPT_DOES_NOT_ADD_UP);
            return lands(end / 2, end, new Say.Receipt(true));
        }
        return lands(end * 7 / 10, end, TRUTH);
    }
}
