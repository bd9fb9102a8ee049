package dev.millrace.sinkpool;

import dev.millrace.breaker.BreakerSettings;
import dev.millrace.breaker.Leave;
import dev.millrace.breaker.Permit;
import dev.millrace.breaker.ReplicaSet;
import dev.millrace.breaker.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Sends the batches that are ready to replicas that may be written to, pings those that come back, and
/// ends attempts at their deadlines.
///
/// What an attempt's outcome means for its batch is the machine's to say; what it means for its replica
/// is reported here.
///
/// Thread ownership: the shard machine that created it.
final class Dispatcher {
    private static final long HEARTBEAT_LEAST_NANOS = 100_000_000L;
    private static final long HEARTBEAT_MOST_NANOS = 30_000_000_000L;
    private static final long SLOT_GRACE_NANOS = 1_000_000_000L;
    private static final long NO_EPISODE = -1;

    private final ShardSettings settings;
    private final ShardCounts counts;
    private final Consumer<ShardNote> tell;
    private final Pins pins;
    private final TokenAges ages;
    private final ShardSlots slots;
    private final ReplicaSet replicas;
    private final ReplicaWatch watch;
    private final Attempts attempts;
    private final long[] pingedEpisode;
    private final int unfinishedBound;
    private final long heartbeatNanos;
    private long replicaWakeNanos = NanoClock.NEVER;

    Dispatcher(
            ShardSettings settings,
            Pins pins,
            TokenAges ages,
            ShardCounts counts,
            long nowNanos,
            Consumer<ShardNote> tell) {
        this.settings = settings;
        this.pins = pins;
        this.ages = ages;
        this.counts = counts;
        this.tell = tell;
        this.slots = new ShardSlots(settings);
        this.replicas = new ReplicaSet(settings.replicas(), slotSettings(settings), nowNanos);
        this.watch = new ReplicaWatch(replicas);
        this.attempts = new Attempts(settings.replicas());
        this.pingedEpisode = new long[settings.replicas()];
        Arrays.fill(pingedEpisode, NO_EPISODE);
        this.unfinishedBound = 2 * settings.maxInFlight();
        this.heartbeatNanos = Math.clamp(settings.breaker().openNanos(), HEARTBEAT_LEAST_NANOS, HEARTBEAT_MOST_NANOS);
    }

    /// A probe is an attempt of ours with a deadline of its own; the set takes its slot back only
    /// if that was lost.
    private static BreakerSettings slotSettings(ShardSettings settings) {
        var breaker = settings.breaker();
        return new BreakerSettings(
                breaker.window(),
                breaker.minCalls(),
                breaker.failureRate(),
                breaker.slowNanos(),
                breaker.slowRate(),
                breaker.openNanos(),
                breaker.openMaxNanos(),
                breaker.halfOpenProbes(),
                Math.max(settings.writeTimeoutNanos(), breaker.probeTimeoutNanos()) + SLOT_GRACE_NANOS);
    }

    /// Half-opens what is due.
    void tick(long nowNanos) {
        if (replicas.tick(nowNanos)) watch.look(nowNanos, tell);
    }

    // --- attempts that begin

    /// Starts what can be started now; the longest waiting batch first. No replica's permit is taken for a write before
    /// the write has its slot: it would be held from others meanwhile (WRT-8).
    void start(Deliveries deliveries, long nowNanos, Consumer<ShardCommand> out) {
        replicaWakeNanos = NanoClock.NEVER;
        for (var ready = inTurn(deliveries); !ready.isEmpty(); ready = inTurn(deliveries)) {
            if (probeBesideSibling(ready, nowNanos, out)) continue;
            if (waitsForSlot(ready) || !startFirst(ready, nowNanos, out)) return;
        }
    }

    /// Where writes are limited, every tenant's first goes before any tenant's second in the shard too (WRT-8).
    private List<Delivery> inTurn(Deliveries deliveries) {
        var ready = deliveries.ready();
        if (settings.maxTotal() == 0 || ready.size() < 2) return ready;
        var writing = new HashMap<String, Integer>();
        for (var attempt : attempts.live()) {
            var delivery = attempt.delivery();
            if (delivery != null) for (var tenant : delivery.tenants()) writing.merge(tenant, 1, Integer::sum);
        }
        return ready.stream()
                .sorted(Comparator.comparingInt(delivery -> delivery.tenants().stream()
                        .mapToInt(tenant -> writing.getOrDefault(tenant, 0))
                        .min()
                        .orElse(0)))
                .toList();
    }

    /// Asks for a slot, if there is none to write with and a replica would take something. Returns whether it waits for
    /// one.
    private boolean waitsForSlot(List<Delivery> ready) {
        if (slots.mayBegin()) return false;
        var next = next(ready);
        if (next == null) return false;
        slots.want(next.tenants());
        return true;
    }

    /// What would be written first with a slot; null if no replica would take anything.
    private @Nullable Delivery next(List<Delivery> ready) {
        var probed = replicas.wouldProbe(replica -> pinged(replica) && anyMayGoTo(ready, replica));
        if (probed >= 0) return smallest(ready, probed);
        for (var delivery : ready)
            if (delivery.stage() instanceof Delivery.Stage.Ready(var preference)
                    && replicas.wouldGrant(pins.preference(delivery, preference))) return delivery;
        return null;
    }

    /// A write may begin.
    void granted(long slot) {
        slots.granted(slot);
    }

    /// The end of a step: what it has to ask of the sink's write slots, or to give back to them.
    void carryOut(Consumer<ShardCommand> out) {
        slots.carryOut(out);
    }

    /// With a healthy sibling, a probe is a ping, then the smallest batch that waits and may go there
    /// (BRK-7). One that is pinned there has no other way, and so the whole time of a write. Returns
    /// whether a batch was started.
    private boolean probeBesideSibling(List<Delivery> ready, long nowNanos, Consumer<ShardCommand> out) {
        var deadline =
                NanoClock.due(nowNanos, Math.min(settings.breaker().probeTimeoutNanos(), settings.writeTimeoutNanos()));
        IntPredicate wanted = replica -> (slots.mayBegin() || !pinged(replica)) && anyMayGoTo(ready, replica);
        for (var permit = replicas.probe(wanted, nowNanos); permit != null; permit = replicas.probe(wanted, nowNanos)) {
            var replica = permit.replica();
            if (pinged(replica)) {
                var smallest = smallest(ready, replica);
                write(smallest, permit, pins.pinned(smallest) ? writeDeadline(nowNanos) : deadline, nowNanos, out);
                return true;
            }
            var ping = attempts.begin(null, permit, nowNanos, deadline);
            out.accept(new ShardCommand.StartPing(ping.id(), replica, deadline));
        }
        return false;
    }

    /// The next batch to go there is the probe.
    private boolean pinged(int replica) {
        return pingedEpisode[replica] == replicas.episode(replica);
    }

    private boolean anyMayGoTo(List<Delivery> ready, int replica) {
        return ready.stream().anyMatch(delivery -> pins.mayGoTo(delivery, replica));
    }

    private Delivery smallest(List<Delivery> ready, int replica) {
        return ready.stream()
                .filter(delivery -> pins.mayGoTo(delivery, replica))
                .min(Comparator.comparingLong(delivery -> delivery.rows().byteCount()))
                .orElseThrow();
    }

    private long writeDeadline(long nowNanos) {
        return NanoClock.due(nowNanos, settings.writeTimeoutNanos());
    }

    private boolean startFirst(List<Delivery> ready, long nowNanos, Consumer<ShardCommand> out) {
        for (var delivery : ready) {
            if (!(delivery.stage() instanceof Delivery.Stage.Ready(var preference))) continue;
            switch (replicas.acquire(pins.preference(delivery, preference), nowNanos)) {
                case Leave.Granted(var permit) -> {
                    write(delivery, permit, writeDeadline(nowNanos), nowNanos, out);
                    return true;
                }
                case Leave.Wait(var until) -> waitForReplica(until, nowNanos);
                case Leave.WaitForProbe(var until) -> waitForReplica(until, nowNanos);
            }
        }
        return false;
    }

    /// Waiting for a replica is no attempt and climbs no ladder; a heartbeat bounds it (BRK-6).
    private void waitForReplica(long untilNanos, long nowNanos) {
        var until = NanoClock.earlier(untilNanos, NanoClock.due(nowNanos, heartbeatNanos));
        replicaWakeNanos = NanoClock.earlier(replicaWakeNanos, until);
    }

    private void write(
            Delivery delivery, Permit permit, long deadlineNanos, long nowNanos, Consumer<ShardCommand> out) {
        counts.began(permit.replica());
        counts.perhapsTwice(ages.perhapsUnrecognised(delivery));
        var attempt = attempts.begin(delivery, permit, nowNanos, deadlineNanos);
        slots.began(attempt.id());
        delivery.writing(attempt.id());
        out.accept(new ShardCommand.StartAttempt(
                attempt.id(),
                permit.replica(),
                delivery.batch(),
                delivery.rows(),
                delivery.token(),
                delivery.mayBeStored(),
                ages.readsFirst(delivery),
                deadlineNanos));
    }

    // --- attempts that end

    /// The live attempt of this id, which is over. Null for one that was cancelled: its outcome is only
    /// counted, and its replica may be eligible again (WRT-1, WRT-10).
    Attempts.@Nullable Live ended(long id, long nowNanos) {
        var attempt = attempts.end(id);
        if (attempt != null) {
            slots.ended(id);
            return attempt;
        }
        var replica = attempts.gone(id);
        if (replica < 0) return null;
        counts.late();
        if (replicas.unfinished(replica, attempts.unfinished(replica) >= unfinishedBound)) watch.look(nowNanos, tell);
        return null;
    }

    /// Attempts at their deadline, whether or not their threads ever end: they are cancelled, and
    /// no longer live.
    List<Attempts.Live> expire(long nowNanos, Consumer<ShardCommand> out) {
        var expired = new ArrayList<Attempts.Live>();
        for (var attempt : attempts.live()) {
            if (!NanoClock.reached(attempt.deadlineNanos(), nowNanos)) continue;
            cancel(attempt, out);
            expired.add(attempt);
        }
        return expired;
    }

    void cancelAll(long nowNanos, Consumer<ShardCommand> out) {
        for (var attempt : attempts.live()) {
            cancel(attempt, out);
            if (attempt.delivery() != null) counts.ended(attempt.permit().replica(), ShardCounts.Attempt.CANCELLED);
            report(attempt.permit(), Verdict.UNTRIED, nowNanos);
        }
    }

    private void cancel(Attempts.Live attempt, Consumer<ShardCommand> out) {
        var replica = attempt.permit().replica();
        attempts.cancel(attempt);
        slots.ended(attempt.id());
        replicas.unfinished(replica, attempts.unfinished(replica) >= unfinishedBound);
        out.accept(new ShardCommand.CancelAttempt(attempt.id()));
    }

    /// A write succeeded.
    void succeeded(Permit permit, long nowNanos) {
        if (replicas.report(permit, Verdict.HEALTHY, nowNanos)) {
            watch.openedBySlowness(permit.replica());
            watch.look(nowNanos, tell);
        }
        watch.succeeded(nowNanos, tell);
    }

    /// A ping succeeded: the next batch that waits is the probe.
    void pinged(Permit permit, long nowNanos) {
        pingedEpisode[permit.replica()] = permit.episode();
        report(permit, Verdict.UNTRIED, nowNanos);
    }

    /// An attempt got nothing done; `verdict` is what that says of its replica.
    void failed(Permit permit, Failure failure, Verdict verdict, long nowNanos) {
        watch.failed(permit.replica(), failure);
        report(permit, verdict, nowNanos);
    }

    private void report(Permit permit, Verdict verdict, long nowNanos) {
        if (replicas.report(permit, verdict, nowNanos)) watch.look(nowNanos, tell);
    }

    /// A person keeps a replica from new attempts and pings, or lets it have them again.
    void quarantine(int replica, boolean on, long nowNanos) {
        replicas.quarantine(replica, on, nowNanos);
        watch.look(nowNanos, tell);
    }

    // --- what others may ask

    /// The last attempt that began.
    long lastAttempt() {
        return attempts.lastId();
    }

    long wakeAtNanos() {
        var wake = NanoClock.earlier(attempts.wakeAtNanos(), replicas.wakeAtNanos());
        return NanoClock.earlier(wake, replicaWakeNanos);
    }

    boolean waitsForSlot() {
        return slots.waits();
    }

    boolean usable() {
        return replicas.usable();
    }

    /// Cancelled attempts whose threads have not ended.
    int unfinished() {
        return attempts.unfinished();
    }

    List<ShardView.Replica> view() {
        return watch.view();
    }
}
