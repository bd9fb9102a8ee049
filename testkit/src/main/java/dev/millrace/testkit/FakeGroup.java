package dev.millrace.testkit;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight;
import dev.millrace.checkpoint.CommitFlight.Answer;
import dev.millrace.checkpoint.CommitNote;
import dev.millrace.checkpoint.SourcePartition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The consumer group: its members, and the offsets committed for it, by the names of partitions.
///
/// Thread ownership: the run.
final class FakeGroup {
    private static final int MOST_ROLLED_BACK = 8;

    private final World world;
    private final CommitOracle oracle;
    private final PlanOracle plans;
    final Membership members;
    private final @Nullable CommitEntry[] committed = new CommitEntry[FakeLog.MOST_SLOTS];
    private final List<ArrayDeque<CommitEntry>> earlier = new ArrayList<>();
    private final boolean[] rolledBack = new boolean[FakeLog.MOST_SLOTS];
    private final long[] highest = new long[FakeLog.MOST_SLOTS];
    private final Map<SourcePartition, Long> applied = new HashMap<>();
    private @Nullable SourcePartition refused;
    private boolean refusedByName;
    private boolean refusesOn;
    private boolean othersGoIn;
    private long movedUntilNanos;

    FakeGroup(World world) {
        this.world = world;
        this.oracle = new CommitOracle(world);
        this.plans = new PlanOracle(world);
        Arrays.fill(highest, -1);
        for (var slot = 0; slot < FakeLog.MOST_SLOTS; slot++) earlier.add(new ArrayDeque<>());
        members = switch (world.scenario.source().protocol()) {
            case EAGER -> new ClassicMembership(world, true);
            case COOPERATIVE -> new ClassicMembership(world, false);
            case EPOCHS -> new EpochMembership(world);
        };
    }

    PlanOracle plans() {
        return plans;
    }

    // --- members

    void remove(long seat) {
        members.remove(seat);
    }

    void evictAny() {
        members.evictAny();
    }

    void rebalance() {
        members.rebalance();
    }

    /// Offsets of a group without members expire.
    void emptied() {
        if (!world.strikes(Fault.OFFSETS_EXPIRE, 0.5)) return;
        var all = world.chance.of(0.3);
        for (var slot = 0; slot < world.log.slots(); slot++) {
            if (committed[slot] == null || !(all || world.chance.of(0.5))) continue;
            world.reached(Sometimes.OFFSETS_EXPIRED);
            forget(slot);
        }
    }

    // --- the coordinator

    /// For so long nobody answers for the group.
    void move(long nanos) {
        movedUntilNanos = Math.max(movedUntilNanos, world.agenda.elapsed() + nanos);
    }

    boolean moving() {
        return world.agenda.elapsed() < movedUntilNanos;
    }

    // --- committed offsets

    @Nullable
    CommitEntry committed(int slot) {
        if (rolledBack[slot]) world.reached(Sometimes.STARTED_FROM_ROLLED_BACK);
        return committed[slot];
    }

    /// A group without any offset gets its start, before anybody polls. False where somebody is in
    /// it already.
    boolean settleStart() {
        for (var slot = 0; slot < world.log.slots(); slot++) if (committed[slot] != null) return true;
        if (!members.isEmpty()) return false;
        for (var slot = 0; slot < world.log.slots(); slot++) {
            var part = world.log.at(slot);
            reset(slot, new CommitEntry(part.logStart, -1, CommitNote.of(part.id.topicId())));
            part.takenBefore(part.logStart);
        }
        return true;
    }

    /// The topic was deleted, and what was committed of it with it.
    void deleted(int slot) {
        forget(slot);
    }

    void forget(int slot) {
        world.note("offset gone", slot, 0);
        committed[slot] = null;
        highest[slot] = -1;
        begins(slot);
        world.planLost();
    }

    /// An operator, or the start of a group, says where to begin.
    void reset(int slot, CommitEntry entry) {
        world.note("offset reset", slot, entry.offset());
        committed[slot] = entry;
        highest[slot] = entry.offset();
        begins(slot);
    }

    private void begins(int slot) {
        earlier.get(slot).clear();
        rolledBack[slot] = false;
    }

    /// The topic of offsets gets a leader that lacks its newest records: of some partitions is
    /// committed what was some commits ago. Nobody is told.
    void rollBack(Chance by) {
        for (var slot = 0; slot < world.log.slots(); slot++) {
            var of = earlier.get(slot);
            if (of.isEmpty() || by.of(0.3)) continue;
            var entry = of.peekLast();
            for (var steps = by.between(0, of.size() - 1); steps >= 0; steps--) entry = of.removeLast();
            world.note("rolled back", slot, entry.offset());
            world.reached(Sometimes.OFFSETS_ROLLED_BACK);
            committed[slot] = entry;
            rolledBack[slot] = true;
            world.planLost();
        }
    }

    /// Commits that carry this partition are refused, for a while.
    void refuse(SourcePartition partition, boolean byName, boolean on) {
        refused = partition;
        refusedByName = byName;
        refusesOn = on;
        othersGoIn = world.chance.of(0.3);
    }

    void refuseNone() {
        refused = null;
    }

    /// One that was to stay refused stays so for the first half of the healed time.
    void heal() {
        movedUntilNanos = 0;
        if (!refusesOn) refuseNone();
    }

    void commit(long id, CommitFlight.Send send, Consumer<Answer> answer) {
        var stamp = members.stamp(id);
        var chance = world.chance;
        var there = chance.millis(0, 20);
        var back = there + chance.millis(0, 20);
        var timeout = chance.millis(50, 2_000);
        if (moving()) {
            world.reached(Sometimes.COORDINATOR_MOVED);
            var said = chance.of(0.5) ? new Answer.Unknown() : new Answer.Later();
            world.agenda.in(said instanceof Answer.Unknown ? timeout : back, () -> answer.accept(said));
            return;
        }
        if (world.strikes(Fault.COMMIT_LATE, 0.3)) {
            world.agenda.in(timeout, () -> answer.accept(new Answer.Unknown()));
            world.agenda.in(timeout + chance.millis(0, 2_000), () -> {
                if (apply(id, stamp, send, true) instanceof Answer.Acknowledged)
                    world.reached(Sometimes.COMMIT_APPLIED_LATE);
            });
            return;
        }
        if (world.strikes(Fault.COMMIT_LOST, 0.3)) {
            if (chance.of(0.5)) {
                world.reached(Sometimes.COMMIT_APPLIED_ANSWER_LOST);
                world.agenda.in(there, () -> apply(id, stamp, send, false));
            } else world.reached(Sometimes.COMMIT_LOST);
            world.agenda.in(timeout, () -> answer.accept(new Answer.Unknown()));
            return;
        }
        world.agenda.in(there, () -> {
            var said = apply(id, stamp, send, false);
            world.agenda.in(back - there, () -> answer.accept(said));
        });
    }

    private Answer apply(long id, long stamp, CommitFlight.Send send, boolean late) {
        switch (members.check(id, stamp)) {
            case UNKNOWN -> {
                if (world.chance.of(0.8)) return new Answer.Later();
                world.reached(Sometimes.FENCED);
                return new Answer.Fenced();
            }
            case STALE -> {
                return new Answer.Later();
            }
            case CURRENT -> {}
        }
        if (world.strikes(Fault.COMMIT_LATER, 0.3)) return new Answer.Later();
        var bad = refused;
        if (bad == null || !send.entries().containsKey(bad)) {
            send.entries().forEach((partition, entry) -> put(id, partition, entry, late));
            return new Answer.Acknowledged();
        }
        world.reached(refusedByName ? Sometimes.COMMIT_REFUSED_FOR_ONE : Sometimes.COMMIT_REFUSED_UNNAMED);
        if (othersGoIn)
            send.entries().forEach((partition, entry) -> {
                if (!partition.equals(bad)) put(id, partition, entry, late);
            });
        return new Answer.Refused("refused", refusedByName ? Map.of(bad, "metadata too large") : Map.of());
    }

    private void put(long id, SourcePartition partition, CommitEntry entry, boolean late) {
        var slot = world.log.life(partition).slot;
        world.note("committed", slot, entry.offset());
        // Over the plan of the owner that it has by now, until that one commits again.
        if (late && members.gaveUp(id, slot)) world.planLost();
        var before = committed[slot];
        rolledBack[slot] = false;
        if (before != null) remember(slot, before);
        committed[slot] = world.log.at(slot).id.equals(partition) ? damaged(slot, entry) : entry;
        oracle.applied(partition, before, entry, late);
        plans.applied(partition, before, entry, late);
        highest[slot] = Math.max(highest[slot], entry.offset());
        applied.merge(partition, entry.offset(), Math::max);
    }

    private void remember(int slot, CommitEntry entry) {
        var of = earlier.get(slot);
        if (of.size() == MOST_ROLLED_BACK) of.removeFirst();
        of.addLast(entry);
    }

    /// A text that another changed, or that a bit of is wrong.
    private CommitEntry damaged(int slot, CommitEntry entry) {
        var text = entry.metadata();
        if (!world.scenario.planned() || text.isEmpty() || !world.strikes(Fault.PLAN_DAMAGED, 0.05)) return entry;
        world.note("plan damaged", slot, entry.offset());
        world.reached(Sometimes.PLAN_DAMAGED);
        var at = world.chance.between(3, text.length() - 1);
        var other = text.charAt(at) == 'A' ? 'B' : 'A';
        return new CommitEntry(
                entry.offset(), entry.leaderEpoch(), text.substring(0, at) + other + text.substring(at + 1));
    }

    /// The highest offset that was ever applied.
    long applied(SourcePartition partition) {
        return applied.getOrDefault(partition, -1L);
    }

    /// A request that was given up was applied after a newer one, and nothing newer came since. No
    /// sender can know: the rows between are replayed by the next start.
    boolean wentBack() {
        for (var slot = 0; slot < world.log.slots(); slot++) {
            var entry = committed[slot];
            if (entry != null && entry.offset() < highest[slot]) return true;
        }
        return false;
    }

    /// Everything is landed and committed to the end, but what is refused.
    boolean allCommitted() {
        for (var slot = 0; slot < world.log.slots(); slot++) {
            var part = world.log.at(slot);
            if (part.id.equals(refused)) continue;
            var entry = committed[slot];
            if (part.visible != part.size() || part.firstMissing() != Long.MAX_VALUE) return false;
            // Whoever begins at the end of an empty log has nothing to commit.
            if (entry == null && part.logStart == part.end) continue;
            if (entry == null || entry.offset() != part.end) return false;
            var id = CommitNote.read(entry).topic();
            if (id != null && !id.equals(part.id.topicId())) return false;
        }
        return true;
    }

    /// What of the group is not done, in words.
    String undone() {
        var out = new StringBuilder();
        for (var slot = 0; slot < world.log.slots(); slot++) {
            var part = world.log.at(slot);
            out.append("\n  ")
                    .append(part.id)
                    .append(" id ")
                    .append(part.id.topicId())
                    .append(" committed ")
                    .append(committed[slot])
                    .append(", ends at ")
                    .append(part.end)
                    .append(", log [")
                    .append(part.logStart)
                    .append(", ")
                    .append(part.logEnd())
                    .append("), missing ")
                    .append(part.firstMissing());
        }
        return out.toString();
    }
}
