package dev.millrace.testkit;

import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;

/// The classic protocol, eager or cooperative: generations, and a barrier that all members pass together.
///
/// Thread ownership: the run.
final class ClassicMembership implements Membership {
    private static final class Seat {
        final Runnable news;
        long owned;
        long target;

        /// What it was told that it has.
        long told;

        boolean revoking;
        boolean assigned;
        long knownGeneration = -1;

        Seat(Runnable news) {
            this.news = news;
        }
    }

    private final World world;
    private final boolean eager;
    private final Map<Long, Seat> seats = new TreeMap<>();
    private long lastSeat;
    private long generation;
    private boolean preparing;
    private boolean again;

    ClassicMembership(World world, boolean eager) {
        this.world = world;
        this.eager = eager;
    }

    @Override
    public long join(Runnable news) {
        var id = ++lastSeat;
        seats.put(id, new Seat(news));
        world.note("join", id, generation);
        rebalance();
        return id;
    }

    @Override
    public void remove(long id) {
        var gone = seats.remove(id);
        if (gone == null) return;
        gone.news.run();
        world.note("out of the group", id, generation);
        if (preparing) completeIfReady();
        rebalance();
        if (seats.isEmpty()) world.group.emptied();
    }

    @Override
    public void evictAny() {
        if (!seats.isEmpty()) remove(world.chance.any(new ArrayList<>(seats.keySet())));
    }

    @Override
    public Told poll(long id) {
        var seat = seats.get(id);
        if (seat == null) return LOST;
        if (seat.assigned) {
            seat.assigned = false;
            if (seat.knownGeneration >= 0 && generation > seat.knownGeneration + 1)
                world.reached(Sometimes.GENERATION_SKIPPED);
            seat.knownGeneration = generation;
            var added = seat.owned & ~seat.told;
            if ((seat.told & ~seat.owned) != 0)
                throw new IllegalStateException("the group forgot to revoke from seat " + id);
            seat.told = seat.owned;
            if (preparing && seat.revoking) seat.news.run();
            return new Told.Assigned(added);
        }
        if (!preparing || !seat.revoking) return NOTHING;
        return new Told.Revoke(toRevoke(seat));
    }

    private long toRevoke(Seat seat) {
        return eager ? seat.owned : seat.owned & ~seat.target;
    }

    @Override
    public void revoked(long id) {
        var seat = seats.get(id);
        if (seat == null || !preparing) return;
        seat.owned &= ~toRevoke(seat);
        seat.told &= seat.owned;
        seat.revoking = false;
        completeIfReady();
    }

    @Override
    public void rebalance() {
        if (preparing) {
            again = true;
            return;
        }
        if (seats.isEmpty()) return;
        world.note("rebalance", seats.size(), generation);
        var all = new ArrayList<>(seats.values());
        for (var seat : all) {
            seat.target = 0;
            if (seat.assigned && world.strikes(Fault.GENERATION_SKIPPED, 0.5)) skipGeneration(seat);
        }
        for (var slot = 0; slot < world.log.slots(); slot++) {
            var bit = 1L << slot;
            Seat owner = null;
            for (var seat : all) if ((seat.owned & bit) != 0) owner = seat;
            var next = owner != null && world.chance.of(0.5) ? owner : world.chance.any(all);
            next.target |= bit;
        }
        preparing = true;
        for (var seat : all) {
            seat.revoking = seat.assigned || toRevoke(seat) != 0;
            if (seat.revoking) seat.news.run();
        }
        var of = generation;
        world.agenda.in(world.chance.spreadMillis(1_000, 20_000), () -> {
            if (preparing && generation == of) evictLate();
        });
        completeIfReady();
    }

    /// It never hears of the generation that has just begun, since the next one begins already.
    private static void skipGeneration(Seat seat) {
        seat.owned = seat.told;
        seat.assigned = false;
    }

    private void evictLate() {
        for (var entry : new ArrayList<>(seats.entrySet())) if (entry.getValue().revoking) remove(entry.getKey());
    }

    private void completeIfReady() {
        for (var seat : seats.values()) if (seat.revoking) return;
        preparing = false;
        generation++;
        world.note("generation", generation, seats.size());
        for (var seat : seats.values()) {
            seat.owned = seat.target;
            seat.assigned = true;
            seat.news.run();
        }
        if (again) {
            again = false;
            rebalance();
        }
    }

    @Override
    public long stamp(long id) {
        var seat = seats.get(id);
        return seat == null ? -2 : seat.knownGeneration;
    }

    @Override
    public Stamp check(long id, long stamp) {
        if (!seats.containsKey(id)) return Stamp.UNKNOWN;
        if (stamp == generation) return Stamp.CURRENT;
        world.reached(Sometimes.COMMIT_OF_EARLIER_GENERATION);
        return Stamp.STALE;
    }

    @Override
    public boolean isEmpty() {
        return seats.isEmpty();
    }

    @Override
    public boolean has(long seat) {
        return seats.containsKey(seat);
    }
}
