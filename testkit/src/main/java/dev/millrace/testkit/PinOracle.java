package dev.millrace.testkit;

import dev.millrace.sinkpool.AmbiguousSettings.Then;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.ShardCommand;
import dev.millrace.sinkpool.ShardEvent;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardView;
import dev.millrace.sinkpool.TokenLog;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/// WRT-11: where replicas share no log, what one may have stored goes to that one only, until its
/// time is over and it is to be sent again; meanwhile it holds no permit. What is stored twice by
/// then is counted.
///
/// Thread ownership: the run.
final class PinOracle {
    /// As many batches of a shard may wait without a permit.
    private static final int MOST_PARKED = 64;

    private record Out(ShardCommand.StartAttempt start, SentBatch batch) {}

    private record Pin(int replica, long sinceNanos) {}

    /// One delivery under one token: whoever reads a batch again begins anew.
    private record Sent(long batch, String token) {
        static Sent of(ShardCommand.StartAttempt start) {
            return new Sent(start.batch().id(), start.token().text());
        }
    }

    private final PipelineProcess process;
    private final ShardSettings settings;
    private final SentBatch.Sender sender;
    private final boolean pins;
    private final Map<Long, Out> out = new HashMap<>();
    private final Map<Sent, Pin> pinned = new HashMap<>();

    PinOracle(PipelineProcess process, ShardSettings settings, SentBatch.Sender sender) {
        this.process = process;
        this.settings = settings;
        this.sender = sender;
        pins = process.sink.store().kind().tokenLog() == TokenLog.UNSHARED && settings.replicas() > 1;
    }

    void started(ShardCommand.StartAttempt start, FakeAttempt attempt) {
        var batch = attempt.batch;
        if (batch == null) throw new IllegalStateException("a ping of attempt " + start.attempt());
        out.put(start.attempt(), new Out(start, batch));
        var pin = pinned.get(Sent.of(start));
        if (pin == null || pin.replica == start.replica()) return;
        var ambiguous = settings.ambiguous();
        if (ambiguous.then() == Then.RESEND && process.now() - pin.sinceNanos >= ambiguous.pinNanos()) return;
        throw new Violation(
                "WRT-11",
                "batch " + start.batch().id() + " goes to replica " + start.replica() + ", and " + pin.replica
                        + " may have stored it");
    }

    /// An attempt that counts is over.
    void decided(ShardEvent event, Collection<ShardCommand> commands) {
        switch (event) {
            case ShardEvent.AttemptEnded(var id, var outcome) -> ended(id, outcome);
            case ShardEvent.AttemptLost(var id, var failure) -> failed(id, failure.mayHaveStored());
            default -> {}
        }
        for (var command : commands) if (command instanceof ShardCommand.CancelAttempt(var id)) failed(id, true);
    }

    private void ended(long id, WriteOutcome outcome) {
        switch (outcome) {
            case WriteOutcome.Written written -> written(id, written);
            case WriteOutcome.Unavailable(Failure failure, var _) -> failed(id, failure.mayHaveStored());
            case WriteOutcome.Refused(Failure failure, var _) -> failed(id, failure.mayHaveStored());
            case WriteOutcome.TooLarge(Failure failure) -> failed(id, failure.mayHaveStored());
            case WriteOutcome.Misconfigured(Failure failure) -> failed(id, failure.mayHaveStored());
        }
    }

    private void written(long id, WriteOutcome.Written written) {
        var of = out.get(id);
        if (of == null) return;
        if (settings.countsRows() && written.accepted() + written.duplicate() != of.batch.offsets.length) {
            failed(id, true);
            return;
        }
        out.remove(id);
        of.batch.written();
    }

    private void failed(long id, boolean mayHaveStored) {
        var of = out.remove(id);
        if (of == null || !mayHaveStored || !pins) return;
        if (pinned.putIfAbsent(Sent.of(of.start), new Pin(of.start.replica(), process.now())) != null) return;
        if (of.start.rows().rows() < of.start.batch().rows().rows()) process.world.reached(Sometimes.PINNED_PART);
    }

    void carriedOut(ShardView after) {
        process.world.sink.repeats().compare(sender);
        var parked = after.held().stream().filter(ShardView.Held::parked).count();
        for (var held : after.held()) {
            if (held.pin() == null) continue;
            if (!pins) throw new Violation("WRT-11", "batch " + held.batch() + " is pinned for nothing");
            process.world.reached(Sometimes.PINNED);
            if (held.place() == ShardView.Place.PERMIT && !held.writing() && parked < MOST_PARKED)
                throw new Violation("SEAL-7", "batch " + held.batch() + " is pinned, and keeps its permit");
        }
    }

    /// Another batch was written.
    void wrote(long batch, ShardView before) {
        for (var held : before.held())
            if (held.pin() != null && held.batch() != batch)
                process.world.reached(Sometimes.WRITTEN_BESIDE_A_PINNED_BATCH);
    }
}
