package dev.millrace.testkit;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.Range;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.ShardEvent;
import dev.millrace.sinkpool.SlabSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// One group member, as a consumer thread drives it: inbox, group, poll, encode, offer, commit, in turns.
///
/// Thread ownership: the run.
final class Member {
    private record Told(Range range, Resolution resolution) {}

    private record Revoking(Set<SourcePartition> partitions, long deadline) {}

    /// Turns in the healed world, where nothing is to be found in haste.
    private static final long IDLE_TURN_NANOS = 500_000_000L;

    private static final long BUSY_TURN_NANOS = 50_000_000L;

    private static final long OUTAGE_TURN_NANOS = 2_000_000_000L;

    private final PipelineProcess process;
    private final World world;
    private final CommitFlight flight;
    private final Map<SourcePartition, Flow> flows = new TreeMap<>();
    private final Set<SourcePartition> toOpen = new TreeSet<>();
    private final Set<SourcePartition> everOwned = new TreeSet<>();
    private final ArrayDeque<Told> inbox = new ArrayDeque<>();
    private final List<SlabSource> slabs = new ArrayList<>();
    private final List<List<EncodedChunk>> outgoing = new ArrayList<>();
    private final SendOracle sends;
    private @Nullable Revoking revoking;
    private boolean paused;
    private boolean inputDone;
    private boolean left;
    private long seat = -1;
    private long appended;
    private long stallNanos;
    private long leaveBy = Long.MAX_VALUE;

    Member(PipelineProcess process) {
        this.process = process;
        this.world = process.world;
        this.flight = new CommitFlight(process.source.commitNanos(), process.now());
        this.sends = new SendOracle();
        for (var _ : process.shards) {
            slabs.add(new SlabSource(process.source.chunkBytes()));
            outgoing.add(new ArrayList<>());
        }
    }

    PipelineProcess process() {
        return process;
    }

    long seat() {
        return seat;
    }

    SlabSource slabs(int shard) {
        return slabs.get(shard);
    }

    boolean inputDone() {
        return inputDone;
    }

    boolean hasLeft() {
        return left;
    }

    void appended(int rows) {
        appended += rows;
    }

    long appendedRows() {
        return appended;
    }

    void begin() {
        seat = world.group.join();
        turn();
    }

    /// Its thread stands still for so long after this turn.
    void stall(long nanos) {
        stallNanos = nanos;
    }

    /// A chunk is built.
    void ready(EncodedChunk chunk) {
        process.checkBudget();
        outgoing.get(chunk.target().shard()).add(chunk);
    }

    /// A range is done or failed: production posts this to the member's inbox.
    void resolved(Range range, Resolution resolution) {
        inbox.add(new Told(range, resolution));
    }

    // --- one turn

    private void turn() {
        takeInbox();
        var idle = true;
        if (revoking != null) {
            revokeOn(revoking);
            idle = false;
        } else {
            pollGroup();
            openAssigned();
            if (revoking == null) idle = pollRecords();
        }
        offerAll();
        process.checkBudget();
        if (process.draining()) drainOn();
        else if (revoking == null) sendWhenDue();
        if (left) return;
        var pause = process.source.turnNanos();
        if (world.healed()) pause = idle ? IDLE_TURN_NANOS : Math.max(pause, BUSY_TURN_NANOS);
        if (world.outageNanos() > 0 && !process.draining()) pause = OUTAGE_TURN_NANOS;
        process.later(world.chance.between(pause / 4, pause) + stallNanos, this::turn);
        stallNanos = 0;
    }

    private void takeInbox() {
        for (var told = inbox.poll(); told != null; told = inbox.poll()) {
            var flow = flows.get(told.range.partition());
            if (flow == null) continue;
            switch (flow.tracker.resolve(told.range, told.resolution)) {
                case PartitionTracker.Moved.Forward _ -> moved(flow);
                case PartitionTracker.Moved.Stalled stalled -> {
                    if (stalled.moved()) moved(flow);
                    if (revoking == null || !revoking.partitions.contains(flow.partition)) process.stalled();
                }
                case PartitionTracker.Moved.Held(), PartitionTracker.Moved.Stale() -> {}
            }
        }
    }

    private void moved(Flow flow) {
        var tracker = flow.tracker;
        flight.moved(flow.partition, new CommitEntry(tracker.watermark(), tracker.watermarkLeaderEpoch(), ""));
    }

    /// Returns whether there was nothing to do.
    private boolean pollRecords() {
        if (paused && process.budget.roomy()) paused = false;
        var idle = true;
        for (var flow : flows.values()) {
            var linger = process.source.chunkLingerNanos();
            if (flow.tracker.full()) world.reached(Sometimes.PENDING_FULL);
            var mayPoll = !process.draining() && !paused && !flow.tracker.full();
            if (mayPoll && !flow.hasCursor()) {
                process.effect();
                if (flow.poll()) idle = false;
                else flow.handOver();
            }
            if (!paused || process.draining()) idle &= flow.encode();
            flow.handOverLingering(process.now(), linger);
            idle &= flow.tracker.idle();
        }
        if (!process.draining() && (paused || flows.values().stream().anyMatch(flow -> flow.tracker.full())))
            for (var shard : process.shards) shard.post(new ShardEvent.Pressure());
        return idle;
    }

    /// A row for this shard may be encoded now.
    boolean mayEncode(int shard) {
        if (process.budget.full()) {
            world.reached(Sometimes.BUDGET_FULL);
            paused = true;
            return false;
        }
        if (outgoing.get(shard).isEmpty() || process.shards.get(shard).hasRoom()) return true;
        world.reached(Sometimes.MAILBOX_FULL);
        return false;
    }

    private void offerAll() {
        for (var shard : process.shards) {
            var chunks = outgoing.get(shard.index());
            if (chunks.isEmpty()) continue;
            process.effect();
            if (shard.offer(chunks)) chunks.clear();
        }
    }

    // --- the group

    private void pollGroup() {
        process.effect();
        switch (world.group.poll(seat)) {
            case FakeGroup.Told.Nothing() -> {}
            case FakeGroup.Told.Revoke(var partitions) -> beginRevoke(partitions);
            case FakeGroup.Told.Assigned(var partitions) -> {
                for (var partition : partitions) if (!flows.containsKey(partition)) toOpen.add(partition);
                if (!partitions.containsAll(flows.keySet()))
                    throw new IllegalStateException("the group forgot to revoke from seat " + seat);
            }
            case FakeGroup.Told.Lost() -> lost();
        }
    }

    private void lost() {
        world.note("lost", seat, flows.size());
        if (!flows.isEmpty()) world.reached(Sometimes.PARTITIONS_LOST);
        for (var partition : List.copyOf(flows.keySet())) giveUp(partition);
        toOpen.clear();
        seat = world.group.join();
    }

    /// Before the committed offset of a new partition is read, no commit may be out.
    private void openAssigned() {
        if (toOpen.isEmpty() || revoking != null || flight.outstanding()) return;
        for (var partition : toOpen) {
            if (!everOwned.add(partition)) world.reached(Sometimes.REASSIGNED_TO_SAME_MEMBER);
            var committed = world.group.committed(partition);
            flight.owned(partition, committed);
            sends.owned(partition, committed);
            var flow = new Flow(this, partition, process.nextEpoch(), committed);
            world.note("owned", flow.index, flow.epoch);
            flows.put(partition, flow);
        }
        toOpen.clear();
    }

    private void beginRevoke(Set<SourcePartition> partitions) {
        world.note("revoke", seat, partitions.size());
        toOpen.removeAll(partitions);
        for (var partition : partitions) {
            var flow = flows.get(partition);
            if (flow == null) continue;
            flow.dropCursor();
            flow.handOver();
            if (!flow.tracker.idle()) world.reached(Sometimes.REVOKE_WITH_CHUNKS_IN_FLIGHT);
            for (var shard : process.shards) shard.post(new ShardEvent.Revoking(partition, flow.epoch));
        }
        var begun = new Revoking(new TreeSet<>(partitions), world.agenda.elapsed() + process.source.revokeNanos());
        revoking = begun;
        revokeOn(begun);
    }

    private void revokeOn(Revoking of) {
        var over = world.agenda.elapsed() >= of.deadline;
        var idle = of.partitions.stream().map(flows::get).allMatch(flow -> flow == null || flow.tracker.idle());
        if (!idle && !over) return;
        var late = world.agenda.elapsed() >= of.deadline + PipelineProcess.STOP_SLACK_NANOS;
        if (!late) {
            send(flight.nextOf(of.partitions, process.now()));
            if (flight.outstanding()) return;
        }
        if (!idle) world.reached(Sometimes.REVOKE_CUT_BY_ITS_TIMEOUT);
        for (var partition : of.partitions) giveUp(partition);
        revoking = null;
        process.effect();
        world.group.revoked(seat);
    }

    /// The partition is no longer ours.
    private void giveUp(SourcePartition partition) {
        flight.forget(partition);
        sends.forgotten(partition);
        var flow = flows.remove(partition);
        if (flow == null) return;
        flow.discard();
        for (var shard : process.shards) shard.post(new ShardEvent.EpochEnded(partition, flow.epoch));
    }

    // --- commits

    /// CKP-8: the flight says exactly when it has something to send.
    private void sendWhenDue() {
        var wake = flight.wakeAtNanos();
        var due = wake != Long.MAX_VALUE && process.now() - wake >= 0;
        var send = flight.next(false, process.now());
        if (due != (send != null))
            throw new Violation("CKP-8", "a commit is due at " + wake + ", now is " + process.now() + ", sent " + send);
        send(send);
    }

    private void send(CommitFlight.@Nullable Send send) {
        if (send == null) return;
        sends.sent(send, flows.keySet());
        process.effect();
        world.note("commit", seat, send.attempt());
        var from = seat;
        world.group.commit(from, send, answer -> process.doNow(() -> answered(send, answer)));
    }

    private void answered(CommitFlight.Send send, CommitFlight.Answer answer) {
        world.note("commit answered " + answer.getClass().getSimpleName(), seat, send.attempt());
        sends.answered(send);
        sends.known(flight.answered(send.attempt(), answer, process.now()), world.group);
    }

    // --- the drain

    private void drainOn() {
        if (process.deadlinePassed()) {
            flows.values().forEach(Flow::discard);
            for (var chunks : outgoing) {
                chunks.forEach(EncodedChunk::close);
                chunks.clear();
            }
        } else if (revoking != null) {
            return;
        } else if (flows.values().stream().noneMatch(Flow::hasCursor)) {
            flows.values().forEach(Flow::handOver);
        }
        var nothingLeft = outgoing.stream().allMatch(List::isEmpty)
                && flows.values().stream().noneMatch(Flow::hasCursor);
        if (!inputDone && nothingLeft) {
            flows.values().forEach(Flow::discard);
            inputDone = outgoing.stream().allMatch(List::isEmpty);
            if (inputDone) process.inputDone();
        }
        if (inputDone && process.shardsFinished()) leaveOn();
    }

    private void leaveOn() {
        takeInbox();
        if (leaveBy == Long.MAX_VALUE) leaveBy = world.agenda.elapsed() + PipelineProcess.STOP_SLACK_NANOS;
        if (world.agenda.elapsed() < leaveBy) {
            if (revoking == null) send(flight.next(true, process.now()));
            if (flight.outstanding()) return;
        }
        for (var partition : List.copyOf(flows.keySet())) giveUp(partition);
        left = true;
        process.effect();
        world.group.remove(seat);
        process.left();
    }
}
