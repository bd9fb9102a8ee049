package dev.millrace.sinkpool;

import dev.millrace.breaker.Preference;
import dev.millrace.breaker.Verdict;
import dev.millrace.checkpoint.SourcePartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Decides for one shard of one sink what is sealed, written, retried, taken apart, settled and
/// abandoned.
///
/// Reads no clock, starts no thread, does no I/O, takes no lock, draws chance only from the
/// generator it was given. The simulation and the worker drive this same class.
///
/// A batch takes an in-flight permit with its first attempt and keeps it, through backoff and breaker
/// waits, until it is settled, parked or pinned to one replica. With none free, sealed batches wait in
/// FIFO order and [#wantsChunks] is false (SEAL-5). While the sink is overloaded there are fewer
/// permits, and open batches linger longer (BRK-12). Where order is kept, a batch waits for those before
/// it in its lane too, and the batches of other lanes go past it (SEAL-8): so they have its permit while it sleeps
/// between two attempts, but for the pauses that an overloaded sink asks for.
///
/// Invariant M1: a chunk that arrived is settled exactly once, as written only after a sink said
/// so. M2: every attempt of a batch sends the same rows under the same token (SEAL-4).
///
/// Thread ownership: one caller at a time.
public final class ShardMachine {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long LONGEST_RETRY_AFTER_NANOS = 300_000_000_000L;

    private final ShardSettings settings;
    private final ShardCounts counts;
    private final RetryLadder ladder;
    private final Composer composer;
    private final Throttle throttle;
    private final Pins pins;
    private final Deliveries deliveries;
    private final Dispatcher dispatcher;
    private final LateCommands late;
    private final Trials trials;
    private final TokenAges ages = new TokenAges();
    private final Map<SourcePartition, Long> endedEpochs = new HashMap<>();
    private final Map<SourcePartition, Long> revoking = new HashMap<>();
    private List<ShardView.Held> left = List.of();
    private long lastAnswerNanos = NanoClock.NEVER;
    private boolean draining;
    private long drainNanos = NanoClock.NEVER;
    private boolean inputClosed;
    private boolean over;
    private long sealUpTo = -1;

    public ShardMachine(
            ShardSettings settings, TokenMint mint, RandomGenerator chance, ShardCounts counts, long nowNanos) {
        this.settings = settings;
        this.counts = counts;
        this.ladder = new RetryLadder(settings.retry(), chance);
        this.composer = new Composer(settings, mint, counts);
        this.throttle = new Throttle(settings);
        this.late = new LateCommands(counts);
        this.pins = new Pins(settings, late);
        this.deliveries = new Deliveries(settings, throttle, pins);
        this.dispatcher = new Dispatcher(settings, pins, ages, counts, nowNanos, late::tell);
        this.trials = new Trials(settings, deliveries, ladder, counts, late);
    }

    /// The one method that may change it, but for [#quarantine]. `nowNanos` never decreases. Commands come in the order
    /// in which they are to be carried out: an attempt that became possible is started before
    /// anything is settled (WRT-7).
    public void on(ShardEvent event, long nowNanos, Consumer<ShardCommand> out) {
        switch (event) {
            case ShardEvent.ChunksArrived(var chunks) -> {
                chunks.forEach(this::arrived);
                if (!revoking.isEmpty()) composer.sealIf(this::revoked, SealReason.REBALANCE);
                if (sealUpTo >= 0) composer.sealIf(this::waitedFor, SealReason.SETTLE);
            }
            case ShardEvent.Tick() -> {}
            case ShardEvent.AttemptEnded(var attempt, var outcome) -> ended(attempt, outcome, nowNanos);
            case ShardEvent.AttemptLost(var attempt, var failure) -> lost(attempt, failure, nowNanos);
            case ShardEvent.SlotGranted(var slot) -> dispatcher.granted(slot);
            case ShardEvent.DeadLettered(var batch, var row) -> trials.deadLettered(batch, row);
            case ShardEvent.DeadLetterFailed(var batch, var _, var failure) -> trials.deadLetterFailed(batch, failure);
            case ShardEvent.TokensKnown(var recognition) -> {
                ages.known(recognition);
                pins.log(recognition.log(), deliveries);
            }
            case ShardEvent.ClockLeapt(var by) -> ages.leapt(by, nowNanos);
            case ShardEvent.SplitMarked(var partition, var epoch, var from) ->
                splitMarked(partition, epoch, from, nowNanos);
            case ShardEvent.Pressure() -> composer.sealUnderPressure(nowNanos);
            case ShardEvent.SealUpTo(var epoch) -> {
                sealUpTo = Math.max(sealUpTo, epoch);
                composer.sealIf(this::waitedFor, SealReason.SETTLE);
            }
            case ShardEvent.Revoking(var partition, var epoch) -> {
                revoking.put(partition, epoch);
                composer.sealIf(this::revoked, SealReason.REBALANCE);
            }
            case ShardEvent.EpochEnded(var partition, var epoch) -> epochEnded(partition, epoch, nowNanos);
            case ShardEvent.DrainBy(var deadline) -> {
                draining = true;
                drainNanos = deadline;
            }
            case ShardEvent.InputClosed() -> inputClosed = true;
        }
        for (var attempt : dispatcher.expire(nowNanos, out)) timedOut(attempt, nowNanos);
        dispatcher.tick(nowNanos);
        if (!over && draining && NanoClock.reached(drainNanos, nowNanos)) abandonAll(nowNanos, out);
        if (!over) schedule(nowNanos, out);
        dispatcher.carryOut(out);
        late.carryOut(out);
        finishIfDone(nowNanos, out);
    }

    /// A person keeps a replica from new attempts, whatever its breaker says, or lets it have them again; what is on
    /// its way there goes on. Takes effect with the next event, which the caller passes to [#on] after this.
    public void quarantine(int replica, boolean on, long nowNanos) {
        dispatcher.quarantine(replica, on, nowNanos);
    }

    // --- what arrives

    private void arrived(EncodedChunk chunk) {
        if (over || stale(chunk)) late.settle(chunk, Ending.ABANDONED);
        else composer.add(chunk);
    }

    private boolean stale(EncodedChunk chunk) {
        return chunk.epoch() <= endedEpochs.getOrDefault(chunk.partition(), -1L);
    }

    /// Its partition is being revoked; what the news of that overtook does not linger either.
    private boolean revoked(EncodedChunk chunk) {
        return revoking.getOrDefault(chunk.partition(), -1L) == chunk.epoch();
    }

    /// Somebody settles; what the news of that overtook does not linger either.
    private boolean waitedFor(EncodedChunk chunk) {
        return chunk.epoch() <= sealUpTo;
    }

    /// Takes the chunks of ended epochs out of every batch of which no attempt has begun (CKP-6). One
    /// that has begun keeps its rows; it is given up between attempts if nobody waits for any of them.
    private void epochEnded(SourcePartition partition, long epoch, long nowNanos) {
        endedEpochs.merge(partition, epoch, Math::max);
        if (revoking.getOrDefault(partition, Long.MAX_VALUE) <= epoch) revoking.remove(partition);
        composer.takeOut(this::stale).forEach(chunk -> late.settle(chunk, Ending.ABANDONED));
        for (var delivery : deliveries.all()) {
            if (!delivery.begun()) shrink(delivery, nowNanos);
            else if (!(delivery.stage() instanceof Delivery.Stage.Writing)) giveUpIfUnwanted(delivery);
        }
    }

    private void shrink(Delivery delivery, long nowNanos) {
        if (!delivery.any(this::stale)) return;
        var kept = new ArrayList<EncodedChunk>();
        for (var chunk : delivery.chunks()) {
            if (stale(chunk)) late.settle(chunk, Ending.ABANDONED);
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
        late.settle(delivery.givenUp());
    }

    // --- what attempts said

    private void ended(long id, WriteOutcome outcome, long nowNanos) {
        var attempt = dispatcher.ended(id, nowNanos);
        if (attempt == null) return;
        switch (outcome) {
            case WriteOutcome.Written written -> written(attempt, written, nowNanos);
            case WriteOutcome.Unavailable(var failure, var blame) -> {
                switch (blame) {
                    case WriteOutcome.Blame.Replica() -> {
                        count(attempt, ShardCounts.Attempt.UNAVAILABLE);
                        failed(attempt, failure, Verdict.SICK, 0, nowNanos);
                    }
                    case WriteOutcome.Blame.Overload(var retryAfter) -> {
                        count(attempt, ShardCounts.Attempt.OVERLOADED);
                        overloaded(attempt, failure, nowNanos);
                        failed(attempt, failure, contact(attempt, Verdict.OVERLOADED), retryAfter, nowNanos);
                    }
                    case WriteOutcome.Blame.Nobody() -> {
                        count(attempt, ShardCounts.Attempt.UNAVAILABLE);
                        answered(attempt, nowNanos);
                        failed(attempt, failure, contact(attempt, Verdict.HEALTHY), 0, nowNanos);
                    }
                }
            }
            case WriteOutcome.Refused(var failure, var rowNamed) -> {
                var delivery = refused(attempt, failure, ShardCounts.Attempt.REFUSED, nowNanos);
                if (delivery != null && !awaitMark(delivery, failure, rowNamed, false))
                    trials.refused(delivery, failure, rowNamed, nowNanos);
            }
            case WriteOutcome.TooLarge(var failure) -> {
                var delivery = refused(attempt, failure, ShardCounts.Attempt.TOO_LARGE, nowNanos);
                if (delivery != null && !awaitMark(delivery, failure, -1, true))
                    trials.tooLarge(delivery, failure, nowNanos);
            }
            case WriteOutcome.Misconfigured(var failure) ->
                held(attempt, failure, ShardCounts.Attempt.MISCONFIGURED, nowNanos);
        }
    }

    private void written(Attempts.Live attempt, WriteOutcome.Written written, long nowNanos) {
        answered(attempt, nowNanos);
        var permit = attempt.permit();
        var delivery = attempt.delivery();
        if (delivery == null) {
            dispatcher.pinged(permit, nowNanos);
            return;
        }
        var batch = delivery.batch();
        var apart = delivery.apart();
        var rows = delivery.rows().rows();
        if (settings.countsRows() && written.accepted() + written.duplicate() != rows) {
            count(attempt, ShardCounts.Attempt.UNAVAILABLE);
            failed(attempt, doesNotAddUp(written, rows), Verdict.SICK, 0, nowNanos);
            return;
        }
        count(attempt, ShardCounts.Attempt.WRITTEN);
        counts.wrote(permit.replica(), delivery.countOnce() ? 1 : 0, rows, written.duplicate());
        var perhapsTwice = pins.perhapsTwice(delivery, permit.replica());
        dispatcher.succeeded(permit, nowNanos);
        deliveries.freshLadders();
        late.tell(new ShardNote.Wrote(
                batch,
                permit.replica(),
                written.accepted(),
                written.duplicate(),
                attempt.startedNanos() - batch.sealedNanos(),
                nowNanos - attempt.startedNanos()));
        if (apart != null) {
            trials.accepted(delivery, apart, perhapsTwice, nowNanos);
            if (!giveUpIfUnwanted(delivery)) trials.goOn(delivery, apart, nowNanos);
            return;
        }
        counts.perhapsTwice(perhapsTwice);
        deliveries.remove(delivery);
        delivery.chunks().forEach(chunk -> late.settle(chunk, Ending.WRITTEN));
        trials.accepted(rows, nowNanos);
    }

    /// Before parts of a segment's batch are sent the plan has to say so, or whoever replays it
    /// would send it whole: rows that a part stored would be stored twice (EO-7). Returns whether
    /// it waits for that.
    private boolean awaitMark(Delivery delivery, Failure failure, int rowNamed, boolean tooLarge) {
        var segment = delivery.batch().segment();
        if (segment == null
                || segment.split()
                || delivery.isSplitMarked()
                || ages.recognition().byRow()) return false;
        if (delivery.batch().rows().rows() == 1) return false;
        delivery.marking(failure, rowNamed, tooLarge);
        deliveries.park(delivery);
        late.add(new ShardCommand.MarkSplit(delivery.batch()));
        return true;
    }

    private void splitMarked(SourcePartition partition, long epoch, long from, long nowNanos) {
        for (var delivery : deliveries.all()) {
            var segment = delivery.batch().segment();
            if (segment == null || segment.from() != from) continue;
            if (!delivery.any(
                    chunk -> chunk.epoch() == epoch && chunk.partition().equals(partition))) continue;
            delivery.splitMarked();
            if (!(delivery.stage() instanceof Delivery.Stage.Marking(var failure, var rowNamed, var tooLarge)))
                continue;
            delivery.ready();
            if (tooLarge) trials.tooLarge(delivery, failure, nowNanos);
            else trials.refused(delivery, failure, rowNamed, nowNanos);
            if (delivery.stage() instanceof Delivery.Stage.Ready) deliveries.unpark(delivery);
        }
    }

    private static Failure doesNotAddUp(WriteOutcome.Written written, long rows) {
        return new Failure(
                "receipt",
                "accepted " + written.accepted() + " and had " + written.duplicate() + " of " + rows + " rows",
                true);
    }

    private void lost(long id, Failure failure, long nowNanos) {
        var attempt = dispatcher.ended(id, nowNanos);
        if (attempt == null) return;
        count(attempt, ShardCounts.Attempt.LOST);
        // A batch sleeps before it is tried again; a ping does not, so a replica that loses pings is opened again.
        failed(attempt, failure, attempt.delivery() == null ? Verdict.SICK : Verdict.UNTRIED, 0, nowNanos);
    }

    /// Counts as failed, and may have stored, whether or not its thread ever ends (WRT-1).
    private void timedOut(Attempts.Live attempt, long nowNanos) {
        count(attempt, ShardCounts.Attempt.TIMED_OUT);
        var after = (attempt.deadlineNanos() - attempt.startedNanos()) / NANOS_PER_MILLI;
        failed(attempt, new Failure("timeout", "no answer in " + after + " ms", true), Verdict.SICK, 0, nowNanos);
    }

    private void failed(Attempts.Live attempt, Failure failure, Verdict verdict, long leastSleep, long nowNanos) {
        dispatcher.failed(attempt.permit(), failure, verdict, nowNanos);
        var delivery = attempt.delivery();
        if (delivery == null || dropped(delivery, failure)) return;
        delivery.failed(failure, false);
        var sleep = Math.max(Math.min(leastSleep, LONGEST_RETRY_AFTER_NANOS), ladder.sleepNanos(delivery.failures()));
        again(delivery, failure, attempt.permit().replica(), sleep, nowNanos);
        // What an overloaded sink is spared, no other lane sends it.
        if (verdict != Verdict.OVERLOADED) deliveries.rest(delivery);
    }

    /// The sink answered that it does not take these rows. Returns the batch, if it is to be taken
    /// apart: one of which something may be stored is not, and waits as it is (POI-12).
    private @Nullable Delivery refused(Attempts.Live attempt, Failure failure, ShardCounts.Attempt how, long nowNanos) {
        var delivery = attempt.delivery();
        if (delivery == null || failure.mayHaveStored()) {
            held(attempt, failure, how, nowNanos);
            return null;
        }
        count(attempt, how);
        answered(attempt, nowNanos);
        dispatcher.failed(attempt.permit(), failure, contact(attempt, Verdict.HEALTHY), nowNanos);
        if (dropped(delivery, failure)) return null;
        delivery.ready();
        return giveUpIfUnwanted(delivery) ? null : delivery;
    }

    /// The sink answered that it does not take this, for a reason that a person must look at. Never
    /// against the replica (BRK-11); nothing is dropped.
    private void held(Attempts.Live attempt, Failure failure, ShardCounts.Attempt how, long nowNanos) {
        count(attempt, how);
        answered(attempt, nowNanos);
        dispatcher.failed(attempt.permit(), failure, contact(attempt, Verdict.HEALTHY), nowNanos);
        var delivery = attempt.delivery();
        if (delivery == null || dropped(delivery, failure)) return;
        if (delivery.failed(failure, true))
            late.tell(new ShardNote.Blocked(delivery.batch().id(), failure));
        again(delivery, failure, attempt.permit().replica(), ladder.longestNanos(), nowNanos);
        deliveries.rest(delivery);
    }

    /// An advisory sink's batch is written once: whatever was said of it but that it is written, it is
    /// dropped. Nothing of it is tried again, taken apart or set aside. Returns whether it was.
    private boolean dropped(Delivery delivery, Failure failure) {
        if (!settings.advisory()) return false;
        delivery.failed(failure, false);
        delivery.ready();
        counts.dropped(delivery.batch().rows().rows());
        late.tell(new ShardNote.GaveUp(delivery.batch().id(), delivery.attempts(), failure));
        giveUp(delivery);
        return true;
    }

    /// An answer is contact; but of a ping, only a good one lets a batch through.
    private static Verdict contact(Attempts.Live attempt, Verdict verdict) {
        return attempt.delivery() == null ? Verdict.SICK : verdict;
    }

    /// The sink answered, with anything but an overload. A ping says nothing of the load of writes.
    private void answered(Attempts.Live attempt, long nowNanos) {
        lastAnswerNanos = nowNanos;
        if (attempt.delivery() != null && throttle.answered(attempt.id()))
            late.tell(new ShardNote.OverloadEnded(throttle.overloads(), throttle.lastedNanos(nowNanos)));
    }

    private void overloaded(Attempts.Live attempt, Failure failure, long nowNanos) {
        lastAnswerNanos = nowNanos;
        if (attempt.delivery() != null && throttle.overloaded(attempt.id(), dispatcher.lastAttempt(), nowNanos))
            late.tell(new ShardNote.OverloadBegan(failure));
    }

    private void again(Delivery delivery, Failure failure, int replica, long sleepNanos, long nowNanos) {
        pins.failed(delivery, replica, failure, nowNanos);
        delivery.sleep(nowNanos, sleepNanos, new Preference.Rather(replica));
        if (giveUpIfUnwanted(delivery)) return;
        var most = settings.retry().maxAttempts();
        if (most > 0 && delivery.setbacks() >= most) {
            late.tell(new ShardNote.GaveUp(delivery.batch().id(), delivery.attempts(), failure));
            giveUp(delivery);
        }
    }

    /// A ping is no attempt to write.
    private void count(Attempts.Live attempt, ShardCounts.Attempt how) {
        if (attempt.delivery() != null) counts.ended(attempt.permit().replica(), how);
    }

    // --- what is written next

    private void schedule(long nowNanos, Consumer<ShardCommand> out) {
        composer.sealDue(throttle.lingerNanos(), nowNanos);
        enqueueSealed(nowNanos);
        trials.tick(nowNanos);
        pins.tick(deliveries, nowNanos);
        deliveries.wake(nowNanos);
        lookAtAges(nowNanos);
        giveUpClosed();
        do {
            deliveries.admit();
            dispatcher.start(deliveries, nowNanos, out);
        } while (draining && sealForDrain(nowNanos));
    }

    /// Before every attempt, first or repeated: one whose token the sink may have forgotten is not
    /// sent as if it had not (EO-10).
    private void lookAtAges(long nowNanos) {
        var window = ages.recognition().windowNanos();
        if (window == NanoClock.NEVER) return;
        for (var delivery : deliveries.all()) {
            if (!(delivery.stage() instanceof Delivery.Stage.Ready)) continue;
            var segment = delivery.batch().segment();
            if (segment == null) continue;
            var id = delivery.batch().id();
            var age = ages.ageNanos(segment, nowNanos);
            switch (ages.of(delivery.batch(), nowNanos)) {
                case SURE -> {}
                case HALF -> {
                    if (delivery.tellAging()) late.tell(new ShardNote.TokenAges(id, age, window));
                }
                case EXPIRED -> {
                    var reads = ages.recognition().readable();
                    if (!reads && !settings.resendsExpired()) {
                        late.add(new ShardCommand.StopForExpired(delivery.batch(), age, window));
                        giveUp(delivery);
                        deliveries.close(delivery);
                    } else if (delivery.expire()) late.tell(new ShardNote.TokenExpired(id, age, window, reads));
                }
            }
        }
    }

    /// Where the process ends for a batch, what is behind it in its lane is read again with it. What of the lane has
    /// begun is not behind it, and ends as in any drain.
    private void giveUpClosed() {
        var closed = deliveries.closed();
        if (closed.isEmpty()) return;
        for (var delivery : deliveries.all()) if (closed.get(delivery.lane()) && !delivery.begun()) giveUp(delivery);
        composer.takeOut(chunk -> closed.get(chunk.target().lane()))
                .forEach(chunk -> late.settle(chunk, Ending.ABANDONED));
    }

    /// While a drain is on, nothing lingers; but as long as no permit is free, or its lane is held, what is open
    /// may still grow (SEAL-9).
    private boolean sealForDrain(long nowNanos) {
        if (!deliveries.permitFree()) return false;
        var holds = deliveries.laneHolds();
        composer.sealIf(chunk -> holds.isFree(chunk.target().lane()), SealReason.DRAIN);
        return enqueueSealed(nowNanos);
    }

    private boolean enqueueSealed(long nowNanos) {
        var sealed = composer.sealed(nowNanos);
        for (var batch : sealed) {
            late.tell(new ShardNote.Sealed(batch));
            deliveries.enqueue(new Delivery(batch));
        }
        return !sealed.isEmpty();
    }

    // --- how it ends

    private void abandonAll(long nowNanos, Consumer<ShardCommand> out) {
        over = true;
        composer.sealIf(_ -> true, SealReason.DRAIN);
        enqueueSealed(nowNanos);
        composer.takeAll().forEach(chunk -> late.settle(chunk, Ending.ABANDONED));
        var held = deliveries.all();
        left = deliveries.views();
        var rows = 0L;
        var inDoubt = 0L;
        for (var delivery : held) {
            for (var one : delivery.givenUp()) {
                rows += one.counts().abandoned();
                inDoubt += one.counts().inDoubt();
                late.settle(one.chunk(), one.counts());
            }
        }
        deliveries.clear();
        dispatcher.cancelAll(nowNanos, out);
        if (rows + inDoubt > 0) late.tell(new ShardNote.Abandoned(rows, inDoubt));
        late.add(new ShardCommand.Finished());
    }

    private void finishIfDone(long nowNanos, Consumer<ShardCommand> out) {
        if (over || !draining || !inputClosed || !composer.isEmpty() || !deliveries.isEmpty()) return;
        over = true;
        dispatcher.cancelAll(nowNanos, out); // only pings are out
        out.accept(new ShardCommand.Finished());
    }

    // --- what others may ask

    /// When a `Tick` would next do something; [NanoClock#NEVER] for never. A tick at exactly this
    /// time does it.
    public long wakeAtNanos() {
        if (over) return NanoClock.NEVER;
        var wake = NanoClock.earlier(dispatcher.wakeAtNanos(), composer.wakeAtNanos(throttle.lingerNanos()));
        wake = NanoClock.earlier(wake, deliveries.wakeAtNanos());
        wake = NanoClock.earlier(wake, pins.wakeAtNanos(deliveries));
        return draining ? NanoClock.earlier(wake, drainNanos) : wake;
    }

    /// No sealed batch waits for a permit, and behind no lane that is held waits too much: more chunks have a
    /// place.
    public boolean wantsChunks() {
        return over || deliveries.hasPlace();
    }

    /// All chunks that are not settled, those of commands not yet carried out among them: what its
    /// shell settles if the machine or the shell itself fails. The machine is of no use afterwards.
    public List<EncodedChunk> held() {
        var out = new ArrayList<>(composer.takeAll());
        deliveries.all().forEach(delivery -> out.addAll(delivery.chunks()));
        for (var owed : late.owed()) out.add(owed.chunk());
        return out;
    }

    /// The machine or its shell failed while it dealt with `current`: everything that anybody waits for
    /// ends. What was decided stands; what is held may be out in an attempt that this very step
    /// began, so it is in doubt; `queued` and what came with `current` and was not taken in is
    /// abandoned. `settle` says whether it ended the chunk; one that had ended before is not
    /// counted again. The machine is of no use afterwards.
    public void failed(
            @Nullable ShardEvent current, List<EncodedChunk> queued, BiPredicate<EncodedChunk, RowCounts> settle) {
        over = true;
        for (var chunk : queued) giveUp(chunk, Ending.ABANDONED, settle);
        for (var owed : late.owed()) {
            var _ = settle.test(owed.chunk(), owed.counts()); // counted when it was decided
        }
        for (var chunk : held()) giveUp(chunk, Ending.IN_DOUBT, settle);
        if (current instanceof ShardEvent.ChunksArrived(var chunks))
            for (var chunk : chunks) giveUp(chunk, Ending.ABANDONED, settle);
    }

    private void giveUp(EncodedChunk chunk, Ending ending, BiPredicate<EncodedChunk, RowCounts> settle) {
        var ended = RowCounts.all(chunk.rows(), ending);
        if (settle.test(chunk, ended)) counts.settled(ended);
    }

    public ShardView view() {
        var held = new ArrayList<>(left);
        held.addAll(deliveries.views());
        var sleepNanos = 0L;
        var sleepEnds = NanoClock.NEVER;
        for (var delivery : deliveries.all()) {
            if (delivery.stage() instanceof Delivery.Stage.Sleeping(var until, var sleep, var _)
                    && sleep > sleepNanos) {
                sleepNanos = sleep;
                sleepEnds = until;
            }
        }
        return new ShardView(
                settings.shard(),
                dispatcher.usable(),
                composer.openRows(),
                throttle.limit(),
                throttle.lingerNanos(),
                dispatcher.waitsForSlot(),
                held,
                sleepNanos,
                sleepEnds,
                lastAnswerNanos,
                dispatcher.unfinished(),
                dispatcher.view());
    }
}
