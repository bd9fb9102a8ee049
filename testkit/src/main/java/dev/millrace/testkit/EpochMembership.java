package dev.millrace.testkit;

import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;

/// KIP-848's protocol: no barrier. The coordinator has a target for each member; a member gives up what is not its any
/// more, says so with a heartbeat, and gets what others have given up. Its epoch follows the group's once it gave up
/// what it had to, and the client hears of that with its next heartbeat.
///
/// Thread ownership: the run.
final class EpochMembership implements Membership {
    private static final class Seat {
        final Runnable news;
        long owned;
        long target;
        long toRevoke;
        long toTell;
        long epoch;
        boolean revokeTold;
        boolean fresh = true;

        /// What the client stamps on commits.
        long clientEpoch;

        Seat(Runnable news) {
            this.news = news;
        }
    }

    private final World world;
    private final Map<Long, Seat> seats = new TreeMap<>();
    private long lastSeat;
    private long groupEpoch;

    EpochMembership(World world) {
        this.world = world;
    }

    private void atHeartbeat(long id, Runnable what) {
        world.agenda.in(world.chance.millis(0, 300), () -> {
            if (seats.containsKey(id)) what.run();
        });
    }

    @Override
    public long join(Runnable news) {
        var id = ++lastSeat;
        seats.put(id, new Seat(news));
        world.note("join", id, groupEpoch);
        rebalance();
        return id;
    }

    @Override
    public void remove(long id) {
        var gone = seats.remove(id);
        if (gone == null) return;
        gone.news.run();
        world.note("out of the group", id, groupEpoch);
        rebalance();
        if (seats.isEmpty()) world.group.emptied();
    }

    @Override
    public void evictAny() {
        if (!seats.isEmpty()) remove(world.chance.any(new ArrayList<>(seats.keySet())));
    }

    @Override
    public void rebalance() {
        if (seats.isEmpty()) return;
        groupEpoch++;
        world.note("rebalance", seats.size(), groupEpoch);
        var all = new ArrayList<>(seats.values());
        for (var seat : all) seat.target = 0;
        for (var slot = 0; slot < world.log.slots(); slot++) {
            var bit = 1L << slot;
            Seat owner = null;
            for (var seat : all) if ((seat.owned & bit) != 0) owner = seat;
            var next = owner != null && world.chance.of(0.5) ? owner : world.chance.any(all);
            next.target |= bit;
        }
        for (var id : new ArrayList<>(seats.keySet())) atHeartbeat(id, () -> reconcile(id));
    }

    /// What the coordinator answers a member's heartbeat.
    private void reconcile(long id) {
        var seat = seats.get(id);
        if (seat == null || seat.toRevoke != 0) return;
        var give = seat.owned & ~seat.target;
        if (give != 0) {
            seat.toRevoke = give;
            seat.revokeTold = false;
            var of = seat;
            world.agenda.in(world.chance.spreadMillis(1_000, 20_000), () -> {
                if (seats.get(id) == of && of.toRevoke == give) remove(id);
            });
            seat.news.run();
            return;
        }
        if (seat.epoch < groupEpoch) {
            seat.epoch = groupEpoch;
            // The answer with the new epoch is on its way: what is sent before it comes is stamped with the old one.
            var epoch = seat.epoch;
            atHeartbeat(id, () -> seat.clientEpoch = Math.max(seat.clientEpoch, epoch));
        }
        var free = seat.target & ~seat.owned;
        for (var other : seats.values()) free &= ~other.owned;
        if (free == 0 && !seat.fresh) return;
        seat.owned |= free;
        seat.toTell |= free;
        seat.fresh = false;
        var epoch = seat.epoch;
        var toTell = seat.toTell;
        atHeartbeat(id, () -> {
            seat.clientEpoch = Math.max(seat.clientEpoch, epoch);
            if (toTell == seat.toTell) seat.news.run();
        });
    }

    @Override
    public Told poll(long id) {
        var seat = seats.get(id);
        if (seat == null) return LOST;
        if (seat.toRevoke != 0 && !seat.revokeTold) {
            seat.revokeTold = true;
            // What it was never told of it gives up by not taking it.
            var told = seat.toRevoke & ~seat.toTell;
            seat.toTell &= ~seat.toRevoke;
            return new Told.Revoke(told);
        }
        if (seat.toTell == 0 || seat.clientEpoch < seat.epoch) return NOTHING;
        var added = seat.toTell;
        seat.toTell = 0;
        return new Told.Assigned(added);
    }

    @Override
    public void revoked(long id) {
        atHeartbeat(id, () -> {
            var seat = seats.get(id);
            if (seat == null || seat.toRevoke == 0) return;
            world.reached(Sometimes.KIP848_RECONCILED);
            world.note("gave up", id, seat.toRevoke);
            seat.owned &= ~seat.toRevoke;
            seat.toRevoke = 0;
            for (var each : new ArrayList<>(seats.keySet())) reconcile(each);
        });
    }

    @Override
    public long stamp(long id) {
        var seat = seats.get(id);
        return seat == null ? -2 : seat.clientEpoch;
    }

    @Override
    public Stamp check(long id, long stamp) {
        var seat = seats.get(id);
        if (seat == null) return Stamp.UNKNOWN;
        if (stamp == seat.epoch) return Stamp.CURRENT;
        world.reached(Sometimes.EPOCH_STALE_COMMIT);
        return Stamp.STALE;
    }

    /// A member that gives up twice in a row keeps its epoch in between.
    @Override
    public boolean gaveUp(long id, int slot) {
        var seat = seats.get(id);
        return seat != null && (seat.owned & 1L << slot) == 0;
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
