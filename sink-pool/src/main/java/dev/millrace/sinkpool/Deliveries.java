package dev.millrace.sinkpool;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The sealed batches of one shard that are not settled: a FIFO queue of those without a permit, those
/// that hold one, and those that are parked: they wait for evidence, for their dead letters or for the
/// one replica that they are pinned to, and hold up nobody. Where order is kept, those that rest too: they sleep
/// between two attempts, keep their lane, and leave their permit to other lanes.
///
/// Invariant M3: a permit is given while fewer are out than the throttle's limit, and kept from a
/// batch's first attempt until it is removed, parked, or rests; so at most `inflight.max_per_shard` hold one
/// (SEAL-7). Of those that hold one, no more are being written than the limit (BRK-12), those that
/// are pinned among them.
///
/// Invariant M9: where order is kept, at most one batch of a lane has a permit or rests, at most one is being written,
/// and none gets a permit that has rows of a partition of which a batch before it in the lane may still send some,
/// parked or not (SEAL-8, [LaneHolds]). A batch whose rows are all written or on their way to the dead-letter topic
/// holds nothing.
///
/// Thread ownership: the shard machine that created it.
final class Deliveries {
    /// Past these a batch that should be parked keeps its permit: so a shard that only refuses
    /// holds (POI-4, POI-13).
    static final int MOST_PARKED = 64;

    /// Behind a batch that holds its lane wait no more than these, and no more than one batch may have in it:
    /// past that nothing more is taken in.
    static final int MOST_BEHIND = 16;

    private final ShardSettings settings;
    private final Throttle throttle;
    private final Pins pins;
    private final ArrayDeque<Delivery> queue = new ArrayDeque<>();
    private final List<Delivery> inFlight = new ArrayList<>();
    private final List<Delivery> parked = new ArrayList<>();
    private final List<Delivery> resting = new ArrayList<>();

    /// Lanes in which nothing more may be written, since a batch before it was given up for good.
    private final BitSet closed = new BitSet();

    Deliveries(ShardSettings settings, Throttle throttle, Pins pins) {
        this.settings = settings;
        this.throttle = throttle;
        this.pins = pins;
    }

    void enqueue(Delivery delivery) {
        queue.addLast(delivery);
    }

    /// Gives permits to those that wait for one, what has rested first and then the longest waiting, past those whose
    /// lane is held. What is pinned gives its own back first.
    void admit() {
        for (var delivery : begun())
            if (pins.pinned(delivery) && !(delivery.stage() instanceof Delivery.Stage.Writing)) park(delivery);
        for (var rested = resting.iterator(); rested.hasNext() && permitFree(); ) {
            var next = rested.next();
            if (!(next.stage() instanceof Delivery.Stage.Ready)) continue;
            rested.remove();
            inFlight.add(next);
        }
        var holds = laneHolds();
        for (var waiting = queue.iterator(); waiting.hasNext() && inFlight.size() < throttle.limit(); ) {
            var next = waiting.next();
            if (!holds.mayBegin(next)) {
                holds.waitFor(next);
                continue;
            }
            waiting.remove();
            // What was pinned until now may sleep here.
            var rests = settings.ordered() && next.stage() instanceof Delivery.Stage.Sleeping;
            (rests ? resting : inFlight).add(next);
            if (settings.ordered()) holds.take(next.lane());
        }
    }

    /// Nothing is held where no order is kept.
    LaneHolds laneHolds() {
        var holds = new LaneHolds();
        if (!settings.ordered()) return holds;
        for (var one : inFlight) if (one.holdsLane()) holds.take(one.lane());
        for (var one : resting) holds.take(one.lane());
        for (var one : parked) if (one.holdsLane()) holds.waitFor(one);
        return holds;
    }

    /// What it was to send was given up for good: nothing behind it in its lane may be begun before it is
    /// read again. What has begun goes on: it has no rows of its partitions, or came before it.
    void close(Delivery delivery) {
        if (settings.ordered()) closed.set(delivery.lane());
    }

    BitSet closed() {
        return closed;
    }

    /// Between two attempts it leaves its permit to other lanes, and keeps its own.
    void rest(Delivery delivery) {
        if (settings.ordered() && inFlight.remove(delivery)) resting.add(delivery);
    }

    /// After [#admit]: what waits all the same waits for its lane.
    boolean permitFree() {
        return inFlight.size() < throttle.limit();
    }

    /// More has a place: none waits for a permit alone, and not too much for its lane.
    boolean hasPlace() {
        for (var one : resting) if (one.stage() instanceof Delivery.Stage.Ready) return false;
        if (queue.isEmpty()) return true;
        if (!settings.ordered()) return false;
        var holds = laneHolds();
        var batches = new int[settings.lanes()];
        var rows = new long[settings.lanes()];
        var bytes = new long[settings.lanes()];
        for (var one : queue) {
            var lane = one.lane();
            if (holds.mayBegin(one)) return false;
            holds.waitFor(one);
            batches[lane]++;
            rows[lane] += one.batch().rows().rows();
            bytes[lane] += one.batch().rows().byteCount();
            if (batches[lane] >= MOST_BEHIND
                    || rows[lane] >= settings.batch().maxRows()
                    || bytes[lane] >= settings.batch().maxBytes()) return false;
        }
        return true;
    }

    boolean isEmpty() {
        return queue.isEmpty() && inFlight.isEmpty() && parked.isEmpty() && resting.isEmpty();
    }

    /// Gives its permit back, or waits for none any more, if there is a place to wait without one.
    void park(Delivery delivery) {
        if (parked.size() >= MOST_PARKED) return;
        if (inFlight.remove(delivery) || resting.remove(delivery) || queue.remove(delivery)) parked.add(delivery);
    }

    /// It has something to write again: it is the next to get a permit, unless it is pinned.
    void unpark(Delivery delivery) {
        if (!pins.pinned(delivery) && parked.remove(delivery)) queue.addFirst(delivery);
    }

    /// How many suspects others than `delivery` have.
    int suspectsElsewhere(Delivery delivery) {
        var suspects = 0;
        for (var one : inFlight) if (one != delivery) suspects += one.suspects();
        for (var one : parked) if (one != delivery) suspects += one.suspects();
        for (var one : resting) if (one != delivery) suspects += one.suspects();
        for (var one : queue) if (one != delivery) suspects += one.suspects();
        return suspects;
    }

    /// The delivery of this batch, if it is not settled.
    @Nullable
    Delivery find(long batch) {
        for (var one : parked) if (one.batch().id() == batch) return one;
        for (var one : inFlight) if (one.batch().id() == batch) return one;
        for (var one : resting) if (one.batch().id() == batch) return one;
        for (var one : queue) if (one.batch().id() == batch) return one;
        return null;
    }

    /// Settled or given up: its permit is free.
    void remove(Delivery delivery) {
        if (!inFlight.remove(delivery) && !parked.remove(delivery) && !resting.remove(delivery)) queue.remove(delivery);
    }

    /// The same place for what is left of it.
    void replace(Delivery delivery, Delivery rest) {
        var at = inFlight.indexOf(delivery);
        if (at >= 0) {
            inFlight.set(at, rest);
            return;
        }
        var after = new ArrayList<Delivery>(queue.size());
        for (var one : queue) after.add(one == delivery ? rest : one);
        queue.clear();
        queue.addAll(after);
    }

    void clear() {
        queue.clear();
        inFlight.clear();
        parked.clear();
        resting.clear();
    }

    /// Those that hold a permit, in the order in which they got it, those that are parked, those that rest, and
    /// those that wait.
    List<Delivery> all() {
        var out = begun();
        out.addAll(queue);
        return out;
    }

    /// Those of which an attempt may have begun.
    List<Delivery> begun() {
        var out = new ArrayList<>(inFlight);
        out.addAll(parked);
        out.addAll(resting);
        return out;
    }

    /// All as they are told to people.
    List<ShardView.Held> views() {
        var out = new ArrayList<ShardView.Held>();
        for (var one : inFlight) out.add(one.view(ShardView.Place.PERMIT, pins.view(one)));
        for (var one : parked) out.add(one.view(ShardView.Place.PARKED, pins.view(one)));
        for (var one : resting) out.add(one.view(ShardView.Place.RESTING, pins.view(one)));
        for (var one : queue)
            out.add(one.view(one.begun() ? ShardView.Place.PARKED : ShardView.Place.QUEUE, pins.view(one)));
        return out;
    }

    /// Those that may have a replica now, what is pinned first, which has waited longest: none while as
    /// many are being written as the limit allows, and, where order is kept, none of a lane of which one is:
    /// what is pinned writes without a permit.
    List<Delivery> ready() {
        var out = new ArrayList<Delivery>();
        var lanes = new BitSet();
        var writing = 0;
        for (var delivery : parked) {
            if (delivery.stage() instanceof Delivery.Stage.Ready && pins.pinned(delivery)) out.add(delivery);
            if (delivery.stage() instanceof Delivery.Stage.Writing) {
                writing++;
                lanes.set(delivery.lane());
            }
        }
        for (var delivery : inFlight) {
            if (delivery.stage() instanceof Delivery.Stage.Ready) out.add(delivery);
            if (delivery.stage() instanceof Delivery.Stage.Writing) {
                writing++;
                lanes.set(delivery.lane());
            }
        }
        if (settings.ordered()) out.removeIf(delivery -> lanes.get(delivery.lane()));
        return writing < throttle.limit() ? out : List.of();
    }

    /// What is parked and wants any replica again is the next to get a permit.
    void wake(long nowNanos) {
        inFlight.forEach(delivery -> delivery.wake(nowNanos));
        resting.forEach(delivery -> delivery.wake(nowNanos));
        queue.forEach(delivery -> delivery.wake(nowNanos)); // what was pinned may sleep there
        for (var at = parked.size() - 1; at >= 0; at--) {
            var one = parked.get(at);
            one.wake(nowNanos);
            if (one.stage() instanceof Delivery.Stage.Ready && !pins.pinned(one)) queue.addFirst(parked.remove(at));
        }
    }

    /// The shard took something: what waits for evidence is tried again.
    void evidence(long nowNanos) {
        for (var one : parked) if (!pins.pinned(one)) one.wakeNow();
        wake(nowNanos);
    }

    /// Those whose suspects are to be looked at again.
    List<Delivery> drifting(long nowNanos) {
        var due = new ArrayList<Delivery>();
        for (var one : inFlight) if (driftOver(one, nowNanos)) due.add(one);
        for (var one : parked) if (driftOver(one, nowNanos)) due.add(one);
        return due;
    }

    private static boolean driftOver(Delivery one, long nowNanos) {
        return one.stage() instanceof Delivery.Stage.Drifting(var until) && NanoClock.reached(until, nowNanos);
    }

    /// The shard wrote something: every ladder starts afresh (WRT-2).
    void freshLadders() {
        inFlight.forEach(Delivery::freshLadder);
        resting.forEach(Delivery::freshLadder);
    }

    /// When the next sleep ends.
    long wakeAtNanos() {
        var wake = NanoClock.NEVER;
        for (var delivery : begun()) wake = NanoClock.earlier(wake, wakeAtNanos(delivery));
        return wake;
    }

    private static long wakeAtNanos(Delivery delivery) {
        return switch (delivery.stage()) {
            case Delivery.Stage.Sleeping(var until, var _, var _) -> until;
            case Delivery.Stage.Drifting(var until) -> until;
            case Delivery.Stage.Ready _,
                    Delivery.Stage.Writing _,
                    Delivery.Stage.Settling _,
                    Delivery.Stage.Marking _ -> NanoClock.NEVER;
        };
    }
}
