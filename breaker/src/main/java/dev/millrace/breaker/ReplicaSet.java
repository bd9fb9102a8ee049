package dev.millrace.breaker;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// May a replica of this shard be written to now, and what did the last writes say about each?
///
/// Invariant B1: in one half-open episode at most `halfOpenProbes` permits are out. B2: a report of another episode, or a second report,
/// changes nothing.
///
/// Thread ownership: the shard machine that created it.
@SuppressWarnings({"unused", "DoNotCallSuggester"})
public final class ReplicaSet {
    public ReplicaSet(int replicas, BreakerSettings settings, long nowNanos) {
        throw new UnsupportedOperationException("to come");
    }

    /// A closed replica in rotation; with none closed, a probe of a half-open one; else when to ask again.
    public Leave acquire(Preference preference, long nowNanos) {
        throw new UnsupportedOperationException("to come");
    }

    /// A probe permit of a half-open replica while a sibling is closed (BRK-7), or null. `acquire` never gives these.
    public @Nullable Permit probe(long nowNanos) {
        throw new UnsupportedOperationException("to come");
    }

    /// Tells what an attempt said about its replica. Returns whether somebody who waits should ask again.
    public boolean report(Permit permit, Verdict verdict, long nowNanos) {
        throw new UnsupportedOperationException("to come");
    }

    /// While true, the replica is not eligible: cancelled attempts that have not ended are at their bound (WRT-10).
    public void unfinished(int replica, boolean atBound) {
        throw new UnsupportedOperationException("to come");
    }

    /// Gives back probes whose deadline has passed and half-opens what is due. Returns whether anything changed. Idempotent at one `nowNanos`.
    public boolean tick(long nowNanos) {
        throw new UnsupportedOperationException("to come");
    }

    /// When `tick` or `acquire` would next answer differently; `Long.MAX_VALUE` if never.
    public long wakeAtNanos() {
        throw new UnsupportedOperationException("to come");
    }

    /// At least one replica is closed and eligible (BRK-8).
    public boolean usable() {
        throw new UnsupportedOperationException("to come");
    }

    public List<ReplicaView> view() {
        throw new UnsupportedOperationException("to come");
    }
}
