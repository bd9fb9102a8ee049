package dev.millrace.sinkpool;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/// The sealed batches of one shard that are not settled: a FIFO queue of those without a permit, and those that hold
/// one.
///
/// Invariant M3: at most `permits` batches hold one, each from its first attempt until it is removed (SEAL-7).
///
/// Thread ownership: the shard machine that created it.
final class Deliveries {
    private final int permits;
    private final ArrayDeque<Delivery> queue = new ArrayDeque<>();
    private final List<Delivery> inFlight = new ArrayList<>();

    Deliveries(int permits) {
        this.permits = permits;
    }

    void enqueue(Delivery delivery) {
        queue.addLast(delivery);
    }

    /// Gives permits to those that wait for one, the longest waiting first.
    void admit() {
        while (inFlight.size() < permits && !queue.isEmpty()) inFlight.add(queue.removeFirst());
    }

    boolean permitFree() {
        return queue.isEmpty() && inFlight.size() < permits;
    }

    /// None waits for a permit.
    boolean noneWaits() {
        return queue.isEmpty();
    }

    boolean isEmpty() {
        return queue.isEmpty() && inFlight.isEmpty();
    }

    /// Settled or given up: its permit is free.
    void remove(Delivery delivery) {
        if (!inFlight.remove(delivery)) queue.remove(delivery);
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
    }

    /// Those that hold a permit, in the order in which they got it, then those that wait.
    List<Delivery> all() {
        var out = new ArrayList<>(inFlight);
        out.addAll(queue);
        return out;
    }

    /// Those that hold a permit and want a replica now.
    List<Delivery> ready() {
        var out = new ArrayList<Delivery>();
        for (var delivery : inFlight) if (delivery.stage() instanceof Delivery.Stage.Ready) out.add(delivery);
        return out;
    }

    void wake(long nowNanos) {
        inFlight.forEach(delivery -> delivery.wake(nowNanos));
    }

    /// The shard wrote something: every ladder starts afresh (WRT-2).
    void freshLadders() {
        inFlight.forEach(Delivery::freshLadder);
    }

    /// When the next sleep ends.
    long wakeAtNanos() {
        var wake = NanoClock.NEVER;
        for (var delivery : inFlight) {
            if (delivery.stage() instanceof Delivery.Stage.Sleeping(var until, var _, var _))
                wake = NanoClock.earlier(wake, until);
        }
        return wake;
    }
}
