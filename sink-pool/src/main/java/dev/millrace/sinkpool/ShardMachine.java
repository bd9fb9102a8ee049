package dev.millrace.sinkpool;

import dev.millrace.breaker.BreakerSettings;
import dev.millrace.breaker.Leave;
import dev.millrace.breaker.Permit;
import dev.millrace.breaker.Preference;
import dev.millrace.breaker.ReplicaSet;
import dev.millrace.breaker.Verdict;
import dev.millrace.checkpoint.SourcePartition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/// Decides for one shard of one sink what is sealed, written, retried, settled and abandoned.
///
/// Reads no clock, starts no thread, does no I/O, takes no lock, draws chance only from the generator it was given. The
/// simulation and the worker drive this same class.
///
/// A batch takes an in-flight permit with its first attempt and keeps it, through backoff and breaker waits, until it
/// is
/// settled. With none free, sealed batches wait in FIFO order and [#wantsChunks] is false (SEAL-5).
///
/// Invariant M1: a chunk that arrived is settled exactly once, as written only after a sink said so. M2: every attempt
/// of a batch sends the same rows under the same token (SEAL-4). M3 is kept by [Deliveries].
///
/// Thread ownership: one caller at a time.
public final class ShardMachine {
    private static final long HEARTBEAT_LEAST_NANOS = 100_000_000L;
    private static final long HEARTBEAT_MOST_NANOS = 30_000_000_000L;
    private static final long SLOT_GRACE_NANOS = 1_000_000_000L;
    private static final long LONGEST_RETRY_AFTER_NANOS = 300_000_000_000L;

    private final ShardSettings settings;
    private final ShardCounts counts;
    private final ReplicaSet replicas;
    private final ReplicaWatch watch;
    private final RetryLadder ladder;
    private final Attempts attempts;
    private final Composer composer;
    private final Deliveries deliveries;
    private final Map<SourcePartition, Long> endedEpochs = new HashMap<>();
    private final long[] pingedEpisode;
    private final int unfinishedBound;
    private final long heartbeatNanos;

    private final List<ShardCommand> lateCommands = new ArrayList<>();
    private List<ShardView.Held> left = List.of();
    private long breakerWakeNanos = NanoClock.NEVER;
    private long lastAnswerNanos = NanoClock.NEVER;
    private boolean draining;
    private long drainNanos = NanoClock.NEVER;
    private boolean inputClosed;
    private boolean over;

    public ShardMachine(
            ShardSettings settings, TokenMint mint, RandomGenerator chance, ShardCounts counts, long nowNanos) {
        this.settings = settings;
        this.counts = counts;
        this.replicas = new ReplicaSet(settings.replicas(), slotSettings(settings), nowNanos);
        this.watch = new ReplicaWatch(replicas);
        this.ladder = new RetryLadder(settings.retry(), chance);
        this.attempts = new Attempts(settings.replicas());
        this.composer = new Composer(settings, mint, counts);
        this.deliveries = new Deliveries(settings.maxInFlight());
        this.pingedEpisode = new long[settings.replicas()];
        Arrays.fill(pingedEpisode, -1);
        this.unfinishedBound = 2 * settings.maxInFlight();
        this.heartbeatNanos = Math.clamp(settings.breaker().openNanos(), HEARTBEAT_LEAST_NANOS, HEARTBEAT_MOST_NANOS);
    }

    /// A probe is an attempt of ours with a deadline of its own; the set takes its slot back only if that was lost.
    private static BreakerSettings slotSettings(ShardSettings settings) {
        var breaker = settings.breaker();
        var longest = Math.max(settings.writeTimeoutNanos(), breaker.probeTimeoutNanos());
        return new BreakerSettings(
                breaker.window(),
                breaker.minCalls(),
                breaker.failureRate(),
                breaker.slowNanos(),
                breaker.slowRate(),
                breaker.openNanos(),
                breaker.openMaxNanos(),
                breaker.halfOpenProbes(),
                longest + SLOT_GRACE_NANOS);
    }

    /// The one method that may change it. `nowNanos` never decreases. Commands come in the order in which they are to
    /// be
    /// carried out: an attempt that became possible is started before anything is settled (WRT-7).
    public void on(ShardEvent event, long nowNanos, Consumer<ShardCommand> out) {
        switch (event) {
            case ShardEvent.ChunksArrived(var chunks) -> chunks.forEach(this::arrived);
            case ShardEvent.Tick() -> {}
            case ShardEvent.AttemptEnded(var attempt, var outcome) -> ended(attempt, outcome, nowNanos);
            case ShardEvent.AttemptLost(var attempt, var failure) -> lost(attempt, failure, nowNanos);
            case ShardEvent.Pressure() -> composer.sealUnderPressure(nowNanos);
            case ShardEvent.Revoking(var partition, var epoch) ->
                composer.sealIf(
                        chunk -> chunk.epoch() == epoch && chunk.partition().equals(partition), SealReason.REBALANCE);
            case ShardEvent.EpochEnded(var partition, var epoch) -> epochEnded(partition, epoch, nowNanos);
            case ShardEvent.DrainBy(var deadline) -> {
                draining = true;
                drainNanos = deadline;
            }
            case ShardEvent.InputClosed() -> inputClosed = true;
        }
        expire(nowNanos, out);
        if (replicas.tick(nowNanos)) look(nowNanos);
        if (!over) {
            if (draining && NanoClock.reached(drainNanos, nowNanos)) abandonAll(nowNanos, out);
            else schedule(nowNanos, out);
        }
        lateCommands.forEach(out);
        lateCommands.clear();
        finishIfDone(out);
    }

    // --- what arrives

    private void arrived(EncodedChunk chunk) {
        if (over || stale(chunk)) {
            settle(chunk, Ending.ABANDONED);
            return;
        }
        composer.add(chunk);
    }

    private boolean stale(EncodedChunk chunk) {
        return chunk.epoch() <= endedEpochs.getOrDefault(chunk.partition(), -1L);
    }

    /// Takes the chunks of ended epochs out of every batch of which no attempt has begun (CKP-6). One that has begun
    /// keeps
    /// its rows; it is given up between attempts if nobody waits for any of them.
    private void epochEnded(SourcePartition partition, long epoch, long nowNanos) {
        endedEpochs.merge(partition, epoch, Math::max);
        composer.takeOut(this::stale).forEach(chunk -> settle(chunk, Ending.ABANDONED));
        for (var delivery : deliveries.all()) {
            if (!delivery.begun()) shrink(delivery, nowNanos);
            else if (!(delivery.stage() instanceof Delivery.Stage.Writing)) giveUpIfUnwanted(delivery);
        }
    }

    private void shrink(Delivery delivery, long nowNanos) {
        if (!delivery.any(this::stale)) return;
        var kept = new ArrayList<EncodedChunk>();
        for (var chunk : delivery.chunks()) {
            if (stale(chunk)) settle(chunk, Ending.ABANDONED);
            else kept.add(chunk);
        }
        if (kept.isEmpty()) deliveries.remove(delivery);
        else
            deliveries.replace(
                    delivery,
                    new Delivery(composer.batchOf(kept, delivery.batch().reason(), nowNanos)));
    }

    private boolean giveUpIfUnwanted(Delivery delivery) {
        if (!delivery.all(this::stale)) return false;
        giveUp(delivery);
        return true;
    }

    private void giveUp(Delivery delivery) {
        deliveries.remove(delivery);
        var ending = delivery.givenUp();
        delivery.chunks().forEach(chunk -> settle(chunk, ending));
    }

    // --- what attempts said

    private void ended(long id, WriteOutcome outcome, long nowNanos) {
        var attempt = attempts.end(id);
        if (attempt == null) {
            gone(id, nowNanos);
            return;
        }
        var replica = attempt.permit().replica();
        switch (outcome) {
            case WriteOutcome.Written written -> written(attempt, written, nowNanos);
            case WriteOutcome.Unavailable(var failure, var blame) -> {
                switch (blame) {
                    case WriteOutcome.Blame.Replica() -> failed(attempt, failure, Verdict.SICK, 0, nowNanos);
                    case WriteOutcome.Blame.Overload(var retryAfter) -> {
                        lastAnswerNanos = nowNanos;
                        failed(attempt, failure, Verdict.HEALTHY, retryAfter, nowNanos);
                    }
                    case WriteOutcome.Blame.Nobody() -> {
                        lastAnswerNanos = nowNanos;
                        failed(attempt, failure, Verdict.HEALTHY, 0, nowNanos);
                    }
                }
                counts.ended(
                        replica,
                        blame instanceof WriteOutcome.Blame.Overload
                                ? ShardCounts.Attempt.OVERLOADED
                                : ShardCounts.Attempt.UNAVAILABLE);
            }
            case WriteOutcome.Refused(var failure, var _) -> {
                counts.ended(replica, ShardCounts.Attempt.REFUSED);
                held(attempt, failure, nowNanos);
            }
            case WriteOutcome.TooLarge(var failure) -> {
                counts.ended(replica, ShardCounts.Attempt.TOO_LARGE);
                held(attempt, failure, nowNanos);
            }
            case WriteOutcome.Misconfigured(var failure) -> {
                counts.ended(replica, ShardCounts.Attempt.MISCONFIGURED);
                held(attempt, failure, nowNanos);
            }
        }
    }

    private void written(Attempts.Live attempt, WriteOutcome.Written written, long nowNanos) {
        lastAnswerNanos = nowNanos;
        var delivery = attempt.delivery();
        var permit = attempt.permit();
        if (delivery == null) {
            pingedEpisode[permit.replica()] = permit.episode();
            report(permit, Verdict.UNTRIED, nowNanos);
            return;
        }
        var batch = delivery.batch();
        var rows = batch.rows().rows();
        if (settings.countsRows() && written.accepted() + written.duplicate() != rows) {
            counts.ended(permit.replica(), ShardCounts.Attempt.UNAVAILABLE);
            failed(attempt, doesNotAddUp(written, rows), Verdict.SICK, 0, nowNanos);
            return;
        }
        counts.ended(permit.replica(), ShardCounts.Attempt.WRITTEN);
        counts.wrote(permit.replica(), rows, written.duplicate());
        report(permit, Verdict.HEALTHY, nowNanos);
        watch.succeeded(nowNanos, this::tell);
        deliveries.remove(delivery);
        deliveries.freshLadders();
        tell(new ShardNote.Wrote(
                batch,
                permit.replica(),
                written.accepted(),
                written.duplicate(),
                attempt.startedNanos() - batch.sealedNanos(),
                nowNanos - attempt.startedNanos()));
        delivery.chunks().forEach(chunk -> settle(chunk, Ending.WRITTEN));
    }

    private static Failure doesNotAddUp(WriteOutcome.Written written, long rows) {
        return new Failure(
                "receipt",
                "accepted " + written.accepted() + " and had " + written.duplicate() + " of " + rows + " rows",
                true);
    }

    private void lost(long id, Failure failure, long nowNanos) {
        var attempt = attempts.end(id);
        if (attempt == null) {
            gone(id, nowNanos);
            return;
        }
        counts.ended(attempt.permit().replica(), ShardCounts.Attempt.LOST);
        failed(attempt, failure, Verdict.UNTRIED, 0, nowNanos);
    }

    /// The thread of a cancelled attempt ended: counted, and its replica may be eligible again (WRT-10).
    private void gone(long id, long nowNanos) {
        var replica = attempts.gone(id);
        if (replica < 0) return;
        counts.late();
        if (replicas.unfinished(replica, attempts.unfinished(replica) >= unfinishedBound)) look(nowNanos);
    }

    private void failed(Attempts.Live attempt, Failure failure, Verdict verdict, long leastSleep, long nowNanos) {
        var replica = attempt.permit().replica();
        watch.failed(replica, failure);
        report(attempt.permit(), verdict, nowNanos);
        var delivery = attempt.delivery();
        if (delivery == null) return;
        delivery.failed(failure, false);
        var sleep = Math.max(Math.min(leastSleep, LONGEST_RETRY_AFTER_NANOS), ladder.sleepNanos(delivery.failures()));
        again(delivery, failure, replica, sleep, nowNanos);
    }

    /// The sink answered that it does not take this, for a reason that a person must look at. Never against the replica
    /// (BRK-11); nothing is dropped.
    private void held(Attempts.Live attempt, Failure failure, long nowNanos) {
        lastAnswerNanos = nowNanos;
        var replica = attempt.permit().replica();
        var delivery = attempt.delivery();
        watch.failed(replica, failure);
        report(attempt.permit(), delivery == null ? Verdict.UNTRIED : Verdict.HEALTHY, nowNanos);
        if (delivery == null) return;
        if (delivery.failed(failure, true))
            tell(new ShardNote.Blocked(delivery.batch().id(), failure));
        again(delivery, failure, replica, ladder.longestNanos(), nowNanos);
    }

    private void again(Delivery delivery, Failure failure, int replica, long sleepNanos, long nowNanos) {
        delivery.sleep(nowNanos, sleepNanos, new Preference.Rather(replica));
        if (giveUpIfUnwanted(delivery)) return;
        var most = settings.retry().maxAttempts();
        if (most > 0 && delivery.attempts() >= most) {
            tell(new ShardNote.GaveUp(delivery.batch().id(), delivery.attempts(), failure));
            giveUp(delivery);
        }
    }

    private void report(Permit permit, Verdict verdict, long nowNanos) {
        if (replicas.report(permit, verdict, nowNanos)) look(nowNanos);
    }

    private void look(long nowNanos) {
        watch.look(nowNanos, this::tell);
    }

    /// Attempts at their deadline count as failed, and may have stored, whether or not their threads ever end (WRT-1).
    private void expire(long nowNanos, Consumer<ShardCommand> out) {
        for (var attempt : attempts.live()) {
            if (!NanoClock.reached(attempt.deadlineNanos(), nowNanos)) continue;
            cancel(attempt, out);
            counts.ended(attempt.permit().replica(), ShardCounts.Attempt.TIMED_OUT);
            var after = (attempt.deadlineNanos() - attempt.startedNanos()) / 1_000_000;
            failed(attempt, new Failure("timeout", "no answer in " + after + " ms", true), Verdict.SICK, 0, nowNanos);
        }
    }

    private void cancel(Attempts.Live attempt, Consumer<ShardCommand> out) {
        var replica = attempt.permit().replica();
        attempts.cancel(attempt);
        replicas.unfinished(replica, attempts.unfinished(replica) >= unfinishedBound);
        out.accept(new ShardCommand.CancelAttempt(attempt.id()));
    }

    // --- what is written next

    private void schedule(long nowNanos, Consumer<ShardCommand> out) {
        composer.sealDue(nowNanos);
        enqueueSealed(nowNanos);
        deliveries.wake(nowNanos);
        breakerWakeNanos = NanoClock.NEVER;
        do {
            deliveries.admit();
            startReady(nowNanos, out);
        } while (draining && sealForDrain(nowNanos));
    }

    /// While a drain is on, nothing lingers; but as long as no permit is free, what is open may still grow (SEAL-9).
    private boolean sealForDrain(long nowNanos) {
        if (!deliveries.permitFree()) return false;
        composer.sealIf(_ -> true, SealReason.DRAIN);
        return enqueueSealed(nowNanos);
    }

    private boolean enqueueSealed(long nowNanos) {
        var sealed = composer.sealed(nowNanos);
        for (var batch : sealed) {
            tell(new ShardNote.Sealed(batch));
            deliveries.enqueue(new Delivery(batch));
        }
        return !sealed.isEmpty();
    }

    private void startReady(long nowNanos, Consumer<ShardCommand> out) {
        while (true) {
            var ready = deliveries.ready();
            if (ready.isEmpty()) return;
            if (probeBesideSibling(ready, nowNanos, out)) continue;
            if (!startFirst(ready, nowNanos, out)) return;
        }
    }

    /// With a healthy sibling, a probe is a ping, then the smallest batch that waits (BRK-7). Returns whether a batch
    /// was
    /// started.
    private boolean probeBesideSibling(List<Delivery> ready, long nowNanos, Consumer<ShardCommand> out) {
        for (var permit = replicas.probe(nowNanos); permit != null; permit = replicas.probe(nowNanos)) {
            if (pingedEpisode[permit.replica()] == permit.episode()) {
                var smallest = ready.stream()
                        .min(Comparator.comparingLong(
                                delivery -> delivery.batch().rows().byteCount()))
                        .orElseThrow();
                start(smallest, permit, probeDeadline(nowNanos), nowNanos, out);
                return true;
            }
            counts.began(permit.replica());
            var ping = attempts.begin(null, permit, nowNanos, probeDeadline(nowNanos));
            out.accept(new ShardCommand.StartPing(ping.id(), permit.replica(), ping.deadlineNanos()));
        }
        return false;
    }

    private long probeDeadline(long nowNanos) {
        return NanoClock.due(nowNanos, Math.min(settings.breaker().probeTimeoutNanos(), settings.writeTimeoutNanos()));
    }

    private boolean startFirst(List<Delivery> ready, long nowNanos, Consumer<ShardCommand> out) {
        for (var delivery : ready) {
            if (!(delivery.stage() instanceof Delivery.Stage.Ready(var preference))) continue;
            switch (replicas.acquire(preference, nowNanos)) {
                case Leave.Granted(var permit) -> {
                    start(delivery, permit, NanoClock.due(nowNanos, settings.writeTimeoutNanos()), nowNanos, out);
                    return true;
                }
                case Leave.Wait(var until) -> waitForReplica(until, nowNanos);
                case Leave.WaitForProbe(var until) -> waitForReplica(until, nowNanos);
            }
        }
        return false;
    }

    /// Waiting for a replica is no attempt and climbs no ladder; a heartbeat bounds it (BRK-6).
    private void waitForReplica(long untilNanos, long nowNanos) {
        var heartbeat = NanoClock.due(nowNanos, heartbeatNanos);
        breakerWakeNanos = NanoClock.earlier(breakerWakeNanos, NanoClock.earlier(untilNanos, heartbeat));
    }

    private void start(
            Delivery delivery, Permit permit, long deadlineNanos, long nowNanos, Consumer<ShardCommand> out) {
        counts.began(permit.replica());
        var attempt = attempts.begin(delivery, permit, nowNanos, deadlineNanos);
        delivery.writing(attempt.id());
        var batch = delivery.batch();
        out.accept(new ShardCommand.StartAttempt(
                attempt.id(), permit.replica(), batch, batch.rows(), batch.token(), deadlineNanos));
    }

    // --- how it ends

    /// The deadline is here: no attempt begins any more. What is open is sealed and counted first, so that the account
    /// names it.
    private void abandonAll(long nowNanos, Consumer<ShardCommand> out) {
        over = true;
        composer.sealDue(nowNanos);
        composer.sealIf(_ -> true, SealReason.DRAIN);
        enqueueSealed(nowNanos);
        var held = deliveries.all();
        left = held.stream().map(Delivery::view).toList();
        var rows = 0L;
        var inDoubt = 0L;
        for (var delivery : held) {
            var ending = delivery.givenUp();
            var count = delivery.batch().rows().rows();
            if (ending == Ending.IN_DOUBT) inDoubt += count;
            else rows += count;
            delivery.chunks().forEach(chunk -> settle(chunk, ending));
        }
        deliveries.clear();
        for (var attempt : attempts.live()) {
            cancelAtTheEnd(attempt, out);
            report(attempt.permit(), Verdict.UNTRIED, nowNanos);
        }
        if (rows + inDoubt > 0) tell(new ShardNote.Abandoned(rows, inDoubt));
        lateCommands.add(new ShardCommand.Finished());
    }

    private void finishIfDone(Consumer<ShardCommand> out) {
        if (over || !draining || !inputClosed || !composer.isEmpty() || !deliveries.isEmpty()) return;
        over = true;
        // only pings are out
        for (var attempt : attempts.live()) cancelAtTheEnd(attempt, out);
        out.accept(new ShardCommand.Finished());
    }

    private void cancelAtTheEnd(Attempts.Live attempt, Consumer<ShardCommand> out) {
        cancel(attempt, out);
        counts.ended(attempt.permit().replica(), ShardCounts.Attempt.CANCELLED);
    }

    private void settle(EncodedChunk chunk, Ending ending) {
        counts.settled(chunk.rows(), ending);
        lateCommands.add(new ShardCommand.Settle(chunk, ending));
    }

    private void tell(ShardNote note) {
        lateCommands.add(new ShardCommand.Tell(note));
    }

    // --- what others may ask

    /// When a `Tick` would next do something; [NanoClock#NEVER] for never. A tick at exactly this time does it.
    public long wakeAtNanos() {
        if (over) return NanoClock.NEVER;
        var wake = NanoClock.earlier(attempts.wakeAtNanos(), replicas.wakeAtNanos());
        wake = NanoClock.earlier(wake, breakerWakeNanos);
        wake = NanoClock.earlier(wake, composer.wakeAtNanos());
        wake = NanoClock.earlier(wake, deliveries.wakeAtNanos());
        return draining ? NanoClock.earlier(wake, drainNanos) : wake;
    }

    /// No sealed batch waits for a permit, so more chunks have a place.
    public boolean wantsChunks() {
        return over || deliveries.noneWaits();
    }

    /// All chunks that are not settled, those of commands not yet carried out among them: what its shell settles if the
    /// machine or the shell itself fails. The machine is of no use afterwards.
    public List<EncodedChunk> held() {
        var out = new ArrayList<>(composer.takeAll());
        deliveries.all().forEach(delivery -> out.addAll(delivery.chunks()));
        for (var command : lateCommands) {
            if (command instanceof ShardCommand.Settle(var chunk, var _)) out.add(chunk);
        }
        return out;
    }

    public ShardView view() {
        var held = new ArrayList<ShardView.Held>(left);
        var sleepNanos = 0L;
        var sleepEnds = NanoClock.NEVER;
        for (var delivery : deliveries.all()) {
            held.add(delivery.view());
            if (delivery.stage() instanceof Delivery.Stage.Sleeping(var until, var sleep, var _)
                    && sleep > sleepNanos) {
                sleepNanos = sleep;
                sleepEnds = until;
            }
        }
        return new ShardView(
                settings.shard(),
                replicas.usable(),
                composer.openRows(),
                held,
                sleepNanos,
                sleepEnds,
                lastAnswerNanos,
                attempts.unfinished(),
                watch.view());
    }
}
