package dev.millrace.testkit;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight;
import dev.millrace.checkpoint.CommitFlight.Answer;
import dev.millrace.checkpoint.SourcePartition;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The consumer group and its committed offsets. It checks a member's generation, stamped when a commit is sent, and
/// never who owns a partition, as Kafka does.
///
/// Thread ownership: the run.
final class FakeGroup {
    /// What a poll tells a member.
    sealed interface Told {
        record Nothing() implements Told {}

        /// Give these up, then say [FakeGroup#revoked].
        record Revoke(Set<SourcePartition> partitions) implements Told {}

        /// This is all that is owned now.
        record Assigned(Set<SourcePartition> partitions) implements Told {}

        /// Put out of the group: everything is lost.
        record Lost() implements Told {}
    }

    private static final class Seat {
        Set<SourcePartition> owned = new TreeSet<>();
        Set<SourcePartition> target = new TreeSet<>();
        boolean revoking;
        boolean assigned;
        long knownGeneration = -1;
    }

    private final World world;
    private final CommitOracle oracle;
    private final Map<Long, Seat> seats = new TreeMap<>();
    private final Map<SourcePartition, CommitEntry> committed = new TreeMap<>();
    private final Map<SourcePartition, Long> highest = new TreeMap<>();
    private long lastSeat;
    private long generation;
    private boolean preparing;
    private boolean again;
    private @Nullable SourcePartition refused;
    private boolean refusedByName;
    private boolean refusesOn;
    private boolean othersGoIn;

    FakeGroup(World world) {
        this.world = world;
        this.oracle = new CommitOracle(world);
    }

    // --- members

    long join() {
        var id = ++lastSeat;
        seats.put(id, new Seat());
        world.note("join", id, generation);
        rebalance();
        return id;
    }

    /// Left, or put out.
    void remove(long id) {
        if (seats.remove(id) == null) return;
        world.note("out of the group", id, generation);
        if (preparing) completeIfReady();
        rebalance();
    }

    /// Puts a random member out.
    void evictAny() {
        if (!seats.isEmpty()) remove(world.chance.any(seats.keySet().stream().toList()));
    }

    Told poll(long id) {
        var seat = seats.get(id);
        if (seat == null) return new Told.Lost();
        if (seat.assigned) {
            seat.assigned = false;
            seat.knownGeneration = generation;
            return new Told.Assigned(new TreeSet<>(seat.owned));
        }
        if (!preparing || !seat.revoking) return new Told.Nothing();
        return new Told.Revoke(toRevoke(seat));
    }

    private Set<SourcePartition> toRevoke(Seat seat) {
        var out = new TreeSet<>(seat.owned);
        if (!world.scenario.source().eager()) out.removeAll(seat.target);
        return out;
    }

    void revoked(long id) {
        var seat = seats.get(id);
        if (seat == null || !preparing) return;
        seat.owned.removeAll(toRevoke(seat));
        seat.revoking = false;
        completeIfReady();
    }

    void rebalance() {
        if (preparing) {
            again = true;
            return;
        }
        if (seats.isEmpty()) return;
        world.note("rebalance", seats.size(), generation);
        var ids = seats.keySet().stream().toList();
        for (var seat : seats.values()) seat.target = new TreeSet<>();
        for (var partition : world.log.partitions()) {
            var owner = ids.stream()
                    .filter(id -> seatOf(id).owned.contains(partition))
                    .findFirst()
                    .orElse(-1L);
            var next = owner >= 0 && world.chance.of(0.5) ? owner : world.chance.any(ids);
            seatOf(next).target.add(partition);
        }
        preparing = true;
        for (var seat : seats.values())
            seat.revoking = seat.assigned || !toRevoke(seat).isEmpty();
        var of = generation;
        world.agenda.in(world.chance.spreadMillis(1_000, 20_000), () -> {
            if (preparing && generation == of) evictLate();
        });
        completeIfReady();
    }

    private Seat seatOf(long id) {
        var seat = seats.get(id);
        if (seat == null) throw new IllegalStateException("no seat " + id);
        return seat;
    }

    private void evictLate() {
        for (var id : seats.keySet().stream().toList()) if (seatOf(id).revoking) remove(id);
    }

    private void completeIfReady() {
        if (seats.values().stream().anyMatch(seat -> seat.revoking)) return;
        preparing = false;
        generation++;
        world.note("generation", generation, seats.size());
        for (var seat : seats.values()) {
            seat.owned = new TreeSet<>(seat.target);
            seat.assigned = true;
        }
        if (again) {
            again = false;
            rebalance();
        }
    }

    // --- commits

    @Nullable
    CommitEntry committed(SourcePartition partition) {
        return committed.get(partition);
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
        if (!refusesOn) refuseNone();
    }

    @Nullable
    SourcePartition refused() {
        return refused;
    }

    void commit(long id, CommitFlight.Send send, Consumer<Answer> answer) {
        var seat = seats.get(id);
        var stamp = seat == null ? -2 : seat.knownGeneration;
        var chance = world.chance;
        var there = chance.millis(0, 20);
        var back = there + chance.millis(0, 20);
        var timeout = chance.millis(50, 2_000);
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
        var seat = seats.get(id);
        if (seat == null) {
            if (world.chance.of(0.7)) return new Answer.Later();
            world.reached(Sometimes.FENCED);
            return new Answer.Fenced();
        }
        if (stamp != generation) {
            world.reached(Sometimes.COMMIT_OF_EARLIER_GENERATION);
            return new Answer.Later();
        }
        if (world.strikes(Fault.COMMIT_LATER, 0.3)) return new Answer.Later();
        var bad = refused;
        if (bad == null || !send.entries().containsKey(bad)) {
            send.entries().forEach((partition, entry) -> put(partition, entry, late));
            return new Answer.Acknowledged();
        }
        world.reached(refusedByName ? Sometimes.COMMIT_REFUSED_FOR_ONE : Sometimes.COMMIT_REFUSED_UNNAMED);
        if (othersGoIn)
            send.entries().forEach((partition, entry) -> {
                if (!partition.equals(bad)) put(partition, entry, late);
            });
        return new Answer.Refused("refused", refusedByName ? Map.of(bad, "metadata too large") : Map.of());
    }

    private void put(SourcePartition partition, CommitEntry entry, boolean late) {
        world.note("committed", world.log.indexOf(partition), entry.offset());
        var before = committed.put(partition, entry);
        oracle.applied(partition, before, entry, late);
        highest.merge(partition, entry.offset(), Math::max);
    }

    /// The highest offset that was ever applied.
    long highest(SourcePartition partition) {
        return highest.getOrDefault(partition, -1L);
    }

    /// A request that was given up was applied after a newer one, and nothing newer came since. No sender can know: the
    /// rows between are replayed by the next start.
    boolean wentBack() {
        return committed.entrySet().stream()
                .anyMatch(e -> e.getValue().offset() < highest.getOrDefault(e.getKey(), 0L));
    }

    /// Everything is committed to the end, but what is refused.
    boolean allCommitted() {
        for (var p = 0; p < world.log.partitions().size(); p++) {
            var partition = world.log.partitions().get(p);
            if (partition.equals(refused)) continue;
            var entry = committed.get(partition);
            if (entry == null || entry.offset() != world.log.end(p)) return false;
        }
        return true;
    }
}
