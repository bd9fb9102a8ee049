package dev.millrace.breaker;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// May a replica of this shard be written to now, and what did the last writes say about each?
///
/// Invariant B1: in one half-open episode at most `halfOpenProbes` permits are out. B2: a report of another episode, or
/// a second report, changes nothing. B4: a replica in quarantine is granted nothing. An *episode* is one stay of one
/// replica in one phase: it grows when the replica opens, half-opens or closes.
///
/// Times are `nowNanos` of any origin and sign, compared by subtraction; `Long.MAX_VALUE` alone means
/// *never*, so what would fall due at exactly that instant does so a nanosecond later. Call [#report]
/// before [#tick] when both are due at one instant: a tick at the deadline of a probe gives its slot
/// away, and what its attempt then says is late.
///
/// To tell people each change of phase once: after a call that returned true, compare the episodes of
/// [#view] with those last told. One call moves a replica by one phase at most.
///
/// Thread ownership: the shard machine that created it.
@SuppressWarnings({"unused", "DoNotCallSuggester"})
public final class ReplicaSet {
    private static final int NONE = -1;

    private final List<Replica> replicas;
    private long lastPermit;
    private int turn;
    private int probeTurn;
    /// `acquire` or `probe` moved time on before `tick` was called: the next tick tells, so that whoever
    /// waits asks again.
    private boolean moved;

    private long movedNanos;

    public ReplicaSet(int replicas, BreakerSettings settings, long nowNanos) {
        if (replicas < 1) throw new IllegalArgumentException("replicas " + replicas + " < 1");
        List<Replica> all = new ArrayList<>(replicas);
        for (int index = 0; index < replicas; index++) all.add(new Replica(index, settings, nowNanos));
        this.replicas = List.copyOf(all);
    }

    /// A closed replica in rotation; with none closed, a probe of a half-open one; else when to ask
    /// again, which is after `nowNanos`.
    ///
    /// Beside a sibling that is further, a replica that closed again takes some of its turns only, ever
    /// more of them (BRK-13). Without one it takes all.
    ///
    /// [Preference.Only] may be given a probe of its replica while a sibling is closed; the others never.
    public Leave acquire(Preference preference, long nowNanos) {
        moveOn(nowNanos);
        return switch (preference) {
            case Preference.Any() -> inRotation(NONE, nowNanos);
            case Preference.Rather(int notReplica) -> inRotation(notReplica, nowNanos);
            case Preference.Only(int index) -> only(replicas.get(index), nowNanos);
        };
    }

    /// A probe permit of a half-open replica while a sibling is closed (BRK-7), or null. `acquire` of any
    /// replica never gives these.
    public @Nullable Permit probe(long nowNanos) {
        return probe(_ -> true, nowNanos);
    }

    /// The same, of a replica that is `wanted`.
    public @Nullable Permit probe(IntPredicate wanted, long nowNanos) {
        moveOn(nowNanos);
        if (!usable()) return null;
        Replica replica = nextProbe(wanted);
        if (replica == null) return null;
        probeTurn = after(replica);
        return grant(replica, nowNanos);
    }

    private @Nullable Replica nextProbe(IntPredicate wanted) {
        return next(one -> one.probeable() && wanted.test(one.index()), probeTurn, NONE);
    }

    /// Whether [#acquire] would grant a permit, as of the last [#tick]. Takes nothing: for who must have something else
    /// first, and may have to wait for it.
    public boolean wouldGrant(Preference preference) {
        return switch (preference) {
            case Preference.Any(), Preference.Rather(int _) -> replicas.stream().anyMatch(ReplicaSet::mayBeGranted);
            case Preference.Only(int index) -> mayBeGranted(replicas.get(index));
        };
    }

    private static boolean mayBeGranted(Replica replica) {
        return replica.usable() || replica.probeable();
    }

    /// The replica of which [#probe] would grant a permit, as of the last [#tick]; -1 for none. Takes nothing.
    public int wouldProbe(IntPredicate wanted) {
        Replica replica = usable() ? nextProbe(wanted) : null;
        return replica == null ? NONE : replica.index();
    }

    /// Tells what an attempt said about its replica. Returns whether somebody who waits should ask again:
    /// the replica changed its phase, or a probe's slot is free.
    public boolean report(Permit permit, Verdict verdict, long nowNanos) {
        return replicas.get(permit.replica()).report(permit, verdict, nowNanos);
    }

    /// While true, the replica is not eligible: cancelled attempts that have not ended are at their bound
    /// (WRT-10). Returns whether somebody who waits should ask again.
    public boolean unfinished(int replica, boolean atBound) {
        return replicas.get(replica).unfinished(atBound);
    }

    /// While `on`, a person keeps the replica from being written to, whatever its breaker says. Permits that are out
    /// stay good. Returns whether somebody who waits should ask again.
    public boolean quarantine(int replica, boolean on, long nowNanos) {
        return replicas.get(replica).quarantined(on, nowNanos);
    }

    /// Gives back probes whose deadline has passed and half-opens what is due. Returns whether anything
    /// changed since the last tick but by [#report]. Idempotent at one `nowNanos`.
    public boolean tick(long nowNanos) {
        moveOn(nowNanos);
        boolean changed = moved;
        moved = false;
        return changed;
    }

    /// When `tick` or `acquire` would next answer differently; `Long.MAX_VALUE` if never.
    public long wakeAtNanos() {
        if (moved) return movedNanos;
        long earliest = Replica.NEVER;
        for (Replica replica : replicas) earliest = Replica.earlier(earliest, replica.wakeAtNanos());
        return earliest;
    }

    /// In which episode a replica is: a permit granted now is of this one.
    public long episode(int replica) {
        return replicas.get(replica).episode();
    }

    /// At least one replica is closed and eligible (BRK-8).
    public boolean usable() {
        for (Replica replica : replicas) if (replica.usable()) return true;
        return false;
    }

    public List<ReplicaView> view() {
        var out = new ArrayList<ReplicaView>(replicas.size());
        for (Replica replica : replicas) out.add(replica.view());
        return List.copyOf(out);
    }

    private void moveOn(long nowNanos) {
        boolean changed = false;
        for (Replica replica : replicas) changed |= replica.moveOn(nowNanos);
        if (changed && !moved) {
            moved = true;
            movedNanos = nowNanos == Replica.NEVER ? nowNanos - 1 : nowNanos;
        }
    }

    private Leave inRotation(int notReplica, long nowNanos) {
        Replica replica = closed(notReplica);
        if (replica == null) replica = next(Replica::probeable, turn, notReplica);
        if (replica == null) return whenOf(replicas);
        turn = after(replica);
        return new Leave.Granted(grant(replica, nowNanos));
    }

    /// The next closed one that takes its turn, and is not `notReplica` if another is closed.
    ///
    /// Invariant B3: a closed replica is passed over only for a closed one that has come back further.
    private @Nullable Replica closed(int notReplica) {
        int least = Integer.MAX_VALUE;
        for (Replica replica : replicas)
            if (replica.usable() && replica.index() != notReplica) least = Math.min(least, replica.oneTurnIn());
        if (least == Integer.MAX_VALUE) return next(Replica::usable, turn, NONE);
        int furthest = least;
        return next(
                replica -> replica.usable() && replica.index() != notReplica && replica.takesTurn(furthest),
                turn,
                NONE);
    }

    private Leave only(Replica replica, long nowNanos) {
        if (replica.usable() || replica.probeable()) return new Leave.Granted(grant(replica, nowNanos));
        return whenOf(List.of(replica));
    }

    /// The first from `start` on that fits and is not `notReplica`; `notReplica` if it alone fits.
    private @Nullable Replica next(Predicate<Replica> fits, int start, int notReplica) {
        Replica spare = null;
        for (int i = 0; i < replicas.size(); i++) {
            Replica replica = replicas.get((start + i) % replicas.size());
            if (!fits.test(replica)) continue;
            if (replica.index() != notReplica) return replica;
            spare = replica;
        }
        return spare;
    }

    private int after(Replica replica) {
        return (replica.index() + 1) % replicas.size();
    }

    private Permit grant(Replica replica, long nowNanos) {
        return replica.grant(++lastPermit, nowNanos);
    }

    /// When to ask again for one of these, none of which may be written to now.
    private static Leave whenOf(List<Replica> asked) {
        long until = Replica.NEVER;
        boolean probing = false;
        for (Replica replica : asked) {
            if (!replica.eligible()) continue;
            probing |= replica.halfOpen();
            until = Replica.earlier(until, replica.wakeAtNanos());
        }
        return probing ? new Leave.WaitForProbe(until) : new Leave.Wait(until);
    }
}
