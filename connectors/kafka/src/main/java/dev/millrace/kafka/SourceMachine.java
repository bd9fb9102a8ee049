package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight;
import dev.millrace.checkpoint.CommitFlight.Answer;
import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.Resolved;
import dev.millrace.checkpoint.SegmentPlan;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.KafkaSourceSettings.OnLostOffset;
import dev.millrace.kafka.SourceCommand.Stop;
import dev.millrace.kafka.SourceCommand.Tell;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Intake;
import dev.millrace.sinkpool.NanoClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Decides for one group member what is encoded, handed over, paused, committed, given up, and when the
/// process has to end.
///
/// Reads no clock, starts no thread, touches no consumer. Its only way out besides commands is the
/// [Intake], which never blocks. The simulation and the consumer thread drive this same class.
///
/// Invariant: what is committed of a partition is its tracker's watermark in the epoch that owns it; a
/// partition whose topic changed is never committed again.
///
/// Thread ownership: one caller at a time.
public final class SourceMachine {
    /// Builders that hold a slab each: past this many a partition hands over what it has.
    public static final int MOST_OPEN_BUILDERS = 64;

    /// How often shards are told that this source still waits for them.
    private static final long PRESSURE_EVERY_NANOS = 100_000_000L;

    /// What a machine works with: one set for each member.
    public record Parts(
            KafkaSourceSettings settings,
            List<SinkFeed> sinks,
            Intake intake,
            Resolved inbox,
            OpenHandles handles,
            LongSupplier epochs,
            SourceCounters counters,
            DeadLetters deadLetters,
            List<AdvisoryFeed> advisory) {
        public Parts {
            sinks = List.copyOf(sinks);
            advisory = List.copyOf(advisory);
        }

        /// Without advisory sinks.
        public Parts(
                KafkaSourceSettings settings,
                List<SinkFeed> sinks,
                Intake intake,
                Resolved inbox,
                OpenHandles handles,
                LongSupplier epochs,
                SourceCounters counters,
                DeadLetters deadLetters) {
            this(settings, sinks, intake, inbox, handles, epochs, counters, deadLetters, List.of());
        }
    }

    private final Parts parts;
    private final Function<SourcePartition, PartitionAccount> accounts;
    private final Intake intake;
    private final Feeds feeds;
    private final List<AdvisoryOutlet> advisory;
    private final ValueFormat format;
    private final PauseBook pauses;
    private final PoisonRows.Shared poison;
    private final CommitFlight flight;
    private final TreeMap<SourcePartition, Owned> owned = new TreeMap<>();
    private final MemberPlans plans;

    private boolean budgetHeld;
    private long budgetHeldNanos;
    private long pressureNanos;
    private boolean revoking;
    private boolean draining;
    private boolean inputFinished;
    private long encodeUntilNanos;
    private boolean stopTold;

    SourceMachine(Parts parts, Function<SourcePartition, PartitionAccount> accounts, long nowNanos) {
        this.parts = parts;
        this.accounts = accounts;
        this.intake = parts.intake();
        this.feeds = new Feeds(parts.sinks(), intake);
        this.advisory = parts.advisory().stream().map(AdvisoryOutlet::new).toList();
        var values = parts.settings().values();
        this.format = ValueFormat.of(values.format(), values.onTombstone());
        this.pauses = new PauseBook(parts.counters());
        this.poison = new PoisonRows.Shared(values, parts.deadLetters());
        var planning = parts.settings().planning();
        this.flight = new CommitFlight(
                parts.settings().checkpoint().intervalNanos(),
                planning == null ? 0 : planning.quarantineNanos(),
                nowNanos);
        this.plans = new MemberPlans(
                planning,
                flight,
                intake,
                feeds,
                parts.counters(),
                owned.values(),
                parts.settings().consumers());
    }

    /// A machine with accounts of its own, for a simulation.
    public static SourceMachine alone(Parts parts, long nowNanos) {
        var accounts = new Accounts(parts.sinks());
        return new SourceMachine(parts, accounts::of, nowNanos);
    }

    /// The one method that may change it. `nowNanos` never decreases; commands come in the order
    /// in which they are to be carried out.
    public void on(SourceEvent event, long nowNanos, Consumer<SourceCommand> out) {
        switch (event) {
            case SourceEvent.Assigned assigned -> assigned(assigned, nowNanos, out);
            case SourceEvent.Polled(var batches) -> polled(batches, nowNanos, out);
            case SourceEvent.Tick() -> step(false, nowNanos, out);
            case SourceEvent.RangeResolved resolved -> resolved(resolved, nowNanos);
            case SourceEvent.CommitAnswered(var attempt, var answer) -> answered(attempt, answer, nowNanos, out);
            case SourceEvent.Revoking(var partitions) -> revoking(partitions);
            case SourceEvent.CommitNow(var only) -> commitNow(only, nowNanos, out);
            case SourceEvent.Revoked(var partitions) -> revoked(partitions);
            case SourceEvent.Lost(var partitions) -> revoked(partitions);
            case SourceEvent.TopicChanged changed -> topicChanged(changed, out);
            case SourceEvent.OffsetsLost lost -> offsetsLost(lost, nowNanos, out);
            case SourceEvent.Skipped skipped -> skipped(skipped, nowNanos, out);
            case SourceEvent.LogTruncated cut -> truncated(cut, out);
            case SourceEvent.LayoutChanged(var sink) -> layoutChanged(sink, nowNanos);
            case SourceEvent.SplitAsked(var range) -> {
                var one = owned.get(range.partition());
                if (one != null) plans.split(one, range);
            }
            case SourceEvent.StopTaking(var untilNanos) -> {
                draining = true;
                encodeUntilNanos = untilNanos;
                step(true, nowNanos, out);
            }
        }
    }

    private void assigned(SourceEvent.Assigned assigned, long nowNanos, Consumer<SourceCommand> out) {
        var partition = assigned.partition();
        var committed = assigned.committed();
        flight.owned(partition, committed);
        pauses.arrived(partition, nowNanos);
        if (committed != null) accounts.apply(partition).committed(committed.offset());
        var found = PlanFound.of(parts.settings(), committed, assigned.logEnd());
        var one = begin(partition, plans.begin(partition, assigned.start(), found.plan()), assigned.start(), nowNanos);
        parts.counters().perhapsTwice(found.perhapsTwice());
        var known = found.plan();
        if (known != null && !known.newestTokens().isEmpty())
            out.accept(new SourceCommand.AskFor(partition, known.newestTokens()));
        var said = found.said();
        if (said != null) out.accept(new Tell(said.event(), partition + ": " + said.text()));
        var why = found.halt();
        if (why == null) return;
        one.halted = true;
        stop(5, partition + ": " + why, out);
    }

    /// An epoch of it begins.
    private Owned begin(SourcePartition partition, @Nullable SegmentPlan plan, CommitEntry start, long nowNanos) {
        var checkpoint = parts.settings().checkpoint();
        var tracker = new PartitionTracker(
                partition,
                parts.epochs().getAsLong(),
                start.offset(),
                start.leaderEpoch(),
                checkpoint.maxPending(),
                parts.handles());
        var account = accounts.apply(partition);
        var flow = new PartitionFlow(
                tracker,
                account,
                feeds,
                format,
                poison,
                parts.inbox(),
                intake.budget(),
                advisory,
                plans.segments(plan, nowNanos));
        var one = new Owned(flow, nowNanos);
        owned.put(partition, one);
        publish(one, nowNanos);
        return one;
    }

    private void polled(List<SourceEvent.Batch> batches, long nowNanos, Consumer<SourceCommand> out) {
        var records = false;
        for (var batch : batches) {
            var one = owned.get(batch.partition());
            if (one == null) throw new IllegalStateException(batch.partition() + " was polled and is not owned");
            if (one.halted) continue;
            if (one.againByNanos != null) {
                // It comes again.
                one.flow.droppedAtOnce(batch.records());
                continue;
            }
            if (batch.leftOut()) leaveOut(one, batch.next(), nowNanos, out);
            else one.flow.polled(batch.records(), batch.next(), batch.leaderEpoch(), nowNanos);
            records |= batch.records() != null;
        }
        step(!records, nowNanos, out);
    }

    private void step(boolean nothingPolled, long nowNanos, Consumer<SourceCommand> out) {
        poison.now(nowNanos);
        readAgain(nowNanos, out);
        holdBudget(nowNanos);
        feeds.offerDue(nowNanos);
        encode(nowNanos, out);
        plans.cutDue(nowNanos);
        handOver(nothingPolled, nowNanos);
        handOn();
        if (draining) finishInput(nowNanos, out);
        for (var line : poison.log().take()) out.accept(new Tell(poison.event(), line));
        if (revoking) return;
        pause(nowNanos, out);
        stalls(nowNanos, out);
        var send = flight.next(false, nowNanos);
        if (send != null) out.accept(new SourceCommand.Commit(send, false));
        for (var one : owned.values()) publish(one, nowNanos);
    }

    // Hysteresis: held from the bound on, let go below the resume mark, and not within the shortest pause.
    private void holdBudget(long nowNanos) {
        var budget = intake.budget();
        if (!budgetHeld) {
            if (budget.full()) hold(nowNanos);
        } else if (budget.roomy() && nowNanos - budgetHeldNanos >= PauseBook.SHORTEST_NANOS) {
            budgetHeld = false;
        } else if (nowNanos - pressureNanos >= PRESSURE_EVERY_NANOS) {
            // Chunks that reached a shard after the last word would wait there for their linger.
            pressureNanos = nowNanos;
            plans.cutAll(nowNanos);
            intake.pressure();
        }
    }

    private void hold(long nowNanos) {
        budgetHeld = true;
        budgetHeldNanos = nowNanos;
        pressureNanos = nowNanos;
        handOverAll();
        plans.cutAll(nowNanos);
        intake.pressure();
    }

    private void encode(long nowNanos, Consumer<SourceCommand> out) {
        var openBuilders = 0;
        for (var one : owned.values()) {
            plans.admit(one);
            // Of a halted one too: what was taken before it was halted is as good as before.
            if (!budgetHeld || one.flow.admitted()) {
                one.noRoom = false;
                one.noPlan = false;
                one.lettersOut = false;
                var drifts = false;
                switch (one.flow.encodeOn(nowNanos)) {
                    case PartitionFlow.Progress.Done() -> {}
                    case PartitionFlow.Progress.NoRoom() -> one.noRoom = true;
                    case PartitionFlow.Progress.NoPlan() -> one.noPlan = true;
                    case PartitionFlow.Progress.NoPlace() -> one.noPlace = true;
                    case PartitionFlow.Progress.LettersOut() -> one.lettersOut = true;
                    case PartitionFlow.Progress.Drifting() -> drifts = true;
                    // Others may have made room since: this pause is the budget's all the same.
                    case PartitionFlow.Progress.NoBudget() -> hold(nowNanos);
                    case PartitionFlow.Progress.Poisoned(var offset, var reason, var detail) -> {
                        one.halted = true;
                        stop(5, one.flow.partition + "@" + offset + ": " + reason + " " + detail, out);
                    }
                }
                if (drifts && !one.drifting)
                    out.accept(new Tell("poison_drift", one.flow.partition + ": " + one.flow.drift()));
                one.drifting = drifts;
            }
            if (openBuilders + one.flow.openBuilders() > MOST_OPEN_BUILDERS) one.flow.handOver();
            openBuilders += one.flow.openBuilders();
        }
    }

    private void handOver(boolean nothingPolled, long nowNanos) {
        for (var one : owned.values()) {
            var full = one.flow.tracker.full();
            // Nothing more comes of it until something it gave is done: what is held back would wait for itself.
            if (full) plans.cut(one, nowNanos);
            if (full && !one.pendingFull) {
                one.flow.handOver();
                feeds.offerAll();
                intake.pressure();
            }
            one.pendingFull = full || (one.pendingFull && !lowPending(one.flow.tracker));
            if (nothingPolled || one.halted) one.flow.handOverUnplanned();
            else one.flow.handOverDue(nowNanos);
        }
        if (nothingPolled) feeds.offerAll();
        else feeds.offerDue(nowNanos);
    }

    private boolean lowPending(PartitionTracker tracker) {
        return tracker.pending() * 4L <= parts.settings().checkpoint().maxPending() * 3L;
    }

    private void handOverAll() {
        for (var one : owned.values()) one.flow.handOver();
        feeds.offerAll();
    }

    private void handOn() {
        for (var outlet : advisory) outlet.handOn();
    }

    // What was polled is encoded while there is room; at the end of the time for it the rest is given up, and replays.
    private void finishInput(long nowNanos, Consumer<SourceCommand> out) {
        if (inputFinished) return;
        // Nothing would come of waiting for these.
        for (var one : owned.values()) if (one.drifting) one.flow.dropWaiting();
        plans.giveUpHalves();
        handOverAll();
        plans.cutAll(nowNanos);
        if (NanoClock.reached(encodeUntilNanos, nowNanos)) {
            for (var one : owned.values()) one.flow.discard();
            feeds.discard();
        }
        for (var one : owned.values()) if (one.flow.hasWaiting() || one.flow.waitsForPlan()) return;
        if (!feeds.isEmpty()) return;
        inputFinished = true;
        out.accept(new SourceCommand.InputFinished());
    }

    private void pause(long nowNanos, Consumer<SourceCommand> out) {
        for (var one : owned.values()) pauses.want(one.flow.partition, reasonToPause(one), nowNanos);
        pauses.tell(out);
    }

    private @Nullable PauseReason reasonToPause(Owned one) {
        if (one.halted) return PauseReason.HALTED;
        if (draining) return PauseReason.DRAIN;
        if (one.againByNanos != null) return PauseReason.LAYOUT;
        if (one.noPlace || (budgetHeld && !one.flow.admitted())) return PauseReason.BUDGET;
        if (one.drifting) return PauseReason.DRIFT;
        if (one.lettersOut) return PauseReason.DEAD_LETTERS;
        if (one.noPlan) return PauseReason.PLAN;
        if (one.noRoom || one.flow.hasWaiting()) return PauseReason.TARGET;
        // A segment that is read again ends where its plan says, however many polls that takes.
        return one.pendingFull && !one.flow.admitted() ? PauseReason.PENDING : null;
    }

    private void stalls(long nowNanos, Consumer<SourceCommand> out) {
        if (draining) return;
        var limit = parts.settings().checkpoint().stalledFailAfterNanos();
        for (var one : owned.values()) {
            var since = one.stalledNanos;
            var head = one.flow.tracker.head();
            if (since == null || one.halted || one.againByNanos != null || head == null || nowNanos - since < limit)
                continue;
            stop(
                    5,
                    one.flow.partition + "@" + head.from() + ": a range that failed has held the watermark for "
                            + (nowNanos - since) / 1_000_000_000L + " s; a restart replays it",
                    out);
        }
    }

    private void stop(int exitCode, String reason, Consumer<SourceCommand> out) {
        if (stopTold) return;
        stopTold = true;
        out.accept(new Stop(exitCode, reason));
    }

    private void resolved(SourceEvent.RangeResolved event, long nowNanos) {
        var one = owned.get(event.range().partition());
        var moved = one == null ? null : one.flow.tracker.resolve(event.range(), event.resolution());
        if (one == null || moved == null) {
            parts.counters().staleAck();
            return;
        }
        if (!(moved instanceof PartitionTracker.Moved.Stale))
            one.flow.resolved(event.range(), event.resolution(), nowNanos);
        switch (moved) {
            case PartitionTracker.Moved.Forward _ -> watermarkMoved(one);
            case PartitionTracker.Moved.Held() -> {}
            case PartitionTracker.Moved.Stalled stalled -> {
                if (one.stalledNanos == null) one.stalledNanos = nowNanos;
                if (stalled.moved()) watermarkMoved(one);
            }
            case PartitionTracker.Moved.Stale() -> parts.counters().staleAck();
        }
    }

    private void watermarkMoved(Owned one) {
        if (!one.forgotten && plans.reached(one)) flight.moved(one.flow.partition, one.toCommit());
    }

    private void answered(long attempt, Answer answer, long nowNanos, Consumer<SourceCommand> out) {
        parts.counters().committed(answer);
        if (answer instanceof Answer.Refused(var reason, var who))
            out.accept(new Tell("commit_refused", who.isEmpty() ? reason : who.toString()));
        flight.answered(attempt, answer, nowNanos).forEach((partition, entry) -> {
            var one = owned.get(partition);
            if (one == null) return;
            one.flow.account.committed(entry.offset());
            plans.acknowledged(one, entry);
        });
        if (answer instanceof Answer.Fenced) {
            revoked(List.copyOf(owned.keySet()));
            stop(5, "this group member was fenced: another process uses its group.instance.id", out);
        }
    }

    private void revoking(Set<SourcePartition> partitions) {
        revoking = true;
        var taken = new ArrayList<Owned>();
        for (var partition : partitions) {
            var one = owned.get(partition);
            if (one != null) taken.add(one);
        }
        for (var one : taken) {
            one.flow.dropWaiting();
            one.flow.handOver();
            var segments = one.flow.segments();
            if (segments != null) segments.discard();
        }
        finishEpochs(taken);
    }

    /// Nothing more comes of these epochs: what is open of them in a shard lingers no longer.
    private void finishEpochs(List<Owned> of) {
        feeds.offerAll();
        for (var one : of) intake.revoking(one.flow.partition, one.flow.epoch);
    }

    /// What waits was polled for the old layout's encoders, and is polled again; what is encoded
    /// gets the time of a revoke to be written.
    private void layoutChanged(String sink, long nowNanos) {
        for (var outlet : advisory) if (outlet.renew(sink)) for (var one : owned.values()) one.flow.splitAdvisory();
        if (!feeds.renew(sink)) return;
        var by = nowNanos + parts.settings().membership().drainTimeoutNanos();
        var turned = new ArrayList<Owned>();
        for (var one : owned.values()) {
            if (one.halted || !feeds.takes(sink, one.flow.partition.topic())) continue;
            if (one.againByNanos == null) one.againByNanos = by;
            one.flow.giveUpWaiting(nowNanos);
            plans.commit(one);
            one.flow.account.nothingWaits();
            poison.forget(one.flow.partition);
            turned.add(one);
        }
        finishEpochs(turned);
    }

    /// A new epoch begins at the watermark of each that is to be read again and has nothing on its way,
    /// or no more time for it. What is given up then was made for the old layout; what is out may still
    /// land, and is stored twice then.
    private void readAgain(long nowNanos, Consumer<SourceCommand> out) {
        if (draining || revoking) return;
        for (var one : List.copyOf(owned.values())) {
            var by = one.againByNanos;
            if (by == null || one.halted || (!one.flow.tracker.settled() && !NanoClock.reached(by, nowNanos))) continue;
            var from = one.toCommit();
            var segments = one.flow.segments();
            endEpoch(one);
            plans.readAgain(segments);
            begin(one.flow.partition, segments == null ? null : segments.plan, from, nowNanos);
            out.accept(new SourceCommand.ReadAgain(one.flow.partition, from));
        }
    }

    private void commitNow(@Nullable Set<SourcePartition> only, long nowNanos, Consumer<SourceCommand> out) {
        var send = only == null ? flight.next(true, nowNanos) : flight.nextOf(only, nowNanos);
        if (send != null) out.accept(new SourceCommand.Commit(send, true));
    }

    private void revoked(Collection<SourcePartition> partitions) {
        revoking = false;
        for (var partition : partitions) {
            var one = owned.remove(partition);
            if (one == null) continue;
            forget(one);
            pauses.forget(partition);
        }
    }

    private void endEpoch(Owned one) {
        var flow = one.flow;
        flow.forget();
        flow.account.nothingWaits();
        feeds.drop(flow.partition, flow.epoch);
        intake.epochEnded(flow.partition, flow.epoch);
    }

    private void forget(Owned one) {
        var flow = one.flow;
        endEpoch(one);
        flight.forget(flow.partition);
        // What waited is dropped now: told as waiting too, it would be counted twice.
        one.publishLast(pauses.reason(flow.partition));
        one.forgotten = true;
    }

    private void topicChanged(SourceEvent.TopicChanged changed, Consumer<SourceCommand> out) {
        for (var one : owned.values()) {
            if (!one.flow.partition.topic().equals(changed.topic()) || one.forgotten) continue;
            forget(one);
            one.halted = true;
        }
        var now = changed.is();
        stop(
                5,
                "topic " + changed.topic() + " is no longer the one that was read: its id was " + changed.was()
                        + (now == null ? ", and it is gone" : ", and is " + now + " now")
                        + "; nothing more of it is committed",
                out);
    }

    private void offsetsLost(SourceEvent.OffsetsLost lost, long nowNanos, Consumer<SourceCommand> out) {
        var one = owned.get(lost.partition());
        if (one == null || one.halted) return;
        var count = lost.logStart() - lost.position();
        var what = lost.partition() + ": retention took " + count + " offsets that were not read, [" + lost.position()
                + ", " + lost.logStart() + ")";
        if (parts.settings().onLostOffset() == OnLostOffset.HALT) {
            one.halted = true;
            stop(5, what + "; on_lost_offset: continue goes on at the log's start", out);
            return;
        }
        parts.counters().lostOffsets(count);
        plans.lost(one, lost.position(), lost.logStart());
        one.flow.passOver(lost.logStart(), -1, nowNanos);
        out.accept(new Tell("offsets_lost", what));
        out.accept(new SourceCommand.SeekTo(lost.partition(), lost.logStart()));
    }

    private void skipped(SourceEvent.Skipped skipped, long nowNanos, Consumer<SourceCommand> out) {
        var one = owned.get(skipped.partition());
        if (one == null || one.halted) return;
        leaveOut(one, skipped.next(), nowNanos, out);
        one.publish(pauses.reason(one.flow.partition), nowNanos);
        out.accept(new SourceCommand.SeekTo(skipped.partition(), skipped.next()));
    }

    private void leaveOut(Owned one, long next, long nowNanos, Consumer<SourceCommand> out) {
        var from = one.flow.tracker.end();
        if (next <= from) return;
        parts.counters().skippedOffsets(next - from);
        plans.lost(one, from, next);
        one.flow.passOver(next, -1, nowNanos);
        out.accept(new Tell(
                "offsets_skipped",
                one.flow.partition + ": source.kafka.skip leaves [" + from + ", " + next + ") unread for good"));
    }

    private void truncated(SourceEvent.LogTruncated cut, Consumer<SourceCommand> out) {
        var one = owned.get(cut.partition());
        if (one == null || one.halted) return;
        one.halted = true;
        stop(
                5,
                cut.partition() + ": the log was truncated: it was read up to " + cut.position()
                        + " and now ends, or differs, at " + cut.logEnd(),
                out);
    }

    private void publish(Owned one, long nowNanos) {
        one.publish(pauses.reason(one.flow.partition), nowNanos);
    }

    /// When a tick would next do something, if nothing else happens.
    public long wakeAtNanos() {
        var wake = NanoClock.earlier(flight.wakeAtNanos(), feeds.wakeAtNanos());
        for (var one : owned.values()) {
            wake = NanoClock.earlier(wake, one.flow.wakeAtNanos());
            wake = NanoClock.earlier(wake, plans.cutAtNanos(one));
            var by = one.againByNanos;
            if (by != null && !draining) wake = NanoClock.earlier(wake, by);
        }
        if (draining && !inputFinished) wake = NanoClock.earlier(wake, encodeUntilNanos);
        return wake;
    }

    /// Something waits for room: the shell looks again soon.
    public boolean held() {
        return budgetHeld || feeds.anyBlocked() || pauses.anyTransient();
    }

    /// Nothing that was taken is undone, and nothing waits or is due: until something comes or is told, a tick does
    /// nothing.
    boolean atRest() {
        if (draining || revoking || held() || intake.budget().full() || unexplained()) return false;
        if (!nothingToCommit() || wakeAtNanos() != NanoClock.NEVER) return false;
        for (var one : owned.values()) if (!one.atRest()) return false;
        return true;
    }

    /// Nothing that was taken of these is undone.
    public boolean idle(Set<SourcePartition> partitions) {
        for (var partition : partitions) {
            var one = owned.get(partition);
            if (one != null && !one.idle()) return false;
        }
        return true;
    }

    /// A commit is out that writes wait for.
    public boolean planOut() {
        return plans.waits();
    }

    /// A commit was refused because of the membership, and nothing has told since what that means.
    public boolean unexplained() {
        return flight.unexplained();
    }

    /// No commit is out, and nothing waits for one.
    boolean nothingToCommit() {
        return flight.nothingToCommit();
    }

    /// A commit is out.
    public boolean commitOut() {
        return flight.outstanding();
    }

    /// What it owns now.
    public Set<SourcePartition> owned() {
        return Set.copyOf(owned.keySet());
    }

    /// What of `partition` is known to be committed in this epoch, or null.
    @Nullable
    CommitEntry committed(SourcePartition partition) {
        return flight.committed(partition);
    }

    /// How the segments of a partition that it owns stand, in words; empty without any.
    public String segments(SourcePartition partition) {
        var one = owned.get(partition);
        var segments = one == null ? null : one.flow.segments();
        return segments == null ? "" : segments.toString();
    }

    /// What became of the rows of a partition that it owns or owned.
    public PartitionView view(SourcePartition partition, long nowNanos) {
        return accounts.apply(partition).view(nowNanos, 0);
    }

    /// Gives up everything that is not handed over; every handle it holds is closed.
    public void close() {
        handOn();
        for (var partition : new ArrayList<>(owned.keySet())) revoked(List.of(partition));
        feeds.discard();
    }

    /// Watermarks of what is owned.
    Map<SourcePartition, Long> watermarks() {
        var watermarks = new TreeMap<SourcePartition, Long>();
        owned.forEach((partition, one) -> watermarks.put(partition, one.flow.tracker.watermark()));
        return watermarks;
    }
}
