package dev.millrace.sinkpool;

import dev.millrace.breaker.Permit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The attempts of one shard whose threads have not ended: live ones, whose outcome decides, and cancelled ones, which
/// are only counted.
///
/// Invariant: an id leaves each of the two once; the outcome of a cancelled attempt decides nothing (WRT-1).
///
/// Thread ownership: the shard machine that created it.
final class Attempts {
    /// A live attempt: of a batch, or, without one, a ping.
    record Live(long id, @Nullable Delivery delivery, Permit permit, long startedNanos, long deadlineNanos) {}

    private final Map<Long, Live> live = new LinkedHashMap<>();
    private final Map<Long, Integer> cancelled = new HashMap<>();
    private final int[] unfinished;
    private long lastId;

    Attempts(int replicas) {
        unfinished = new int[replicas];
    }

    Live begin(@Nullable Delivery delivery, Permit permit, long nowNanos, long deadlineNanos) {
        var attempt = new Live(++lastId, delivery, permit, nowNanos, deadlineNanos);
        live.put(attempt.id(), attempt);
        return attempt;
    }

    /// The live attempt of this id, which is over; null if it is not live.
    @Nullable
    Live end(long id) {
        return live.remove(id);
    }

    /// Its outcome no longer counts; its thread may go on.
    void cancel(Live attempt) {
        if (live.remove(attempt.id()) == null) throw new IllegalStateException("attempt " + attempt.id() + " is over");
        cancelled.put(attempt.id(), attempt.permit().replica());
        unfinished[attempt.permit().replica()]++;
    }

    /// The thread of a cancelled attempt ended. Returns its replica, or −1 if there is no such attempt.
    int gone(long id) {
        var replica = cancelled.remove(id);
        if (replica == null) return -1;
        unfinished[replica]--;
        return replica;
    }

    List<Live> live() {
        return new ArrayList<>(live.values());
    }

    /// The id of the last attempt that began; 0 for none.
    long lastId() {
        return lastId;
    }

    int unfinished(int replica) {
        return unfinished[replica];
    }

    int unfinished() {
        return cancelled.size();
    }

    /// The earliest deadline.
    long wakeAtNanos() {
        var wake = NanoClock.NEVER;
        for (var attempt : live.values()) wake = NanoClock.earlier(wake, attempt.deadlineNanos());
        return wake;
    }
}
