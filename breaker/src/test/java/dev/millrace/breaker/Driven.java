package dev.millrace.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// A [ReplicaSet] and the instant at which it is spoken to: tests move time by saying so. Instants read from it are
/// relative to its start.
final class Driven {
    static final long MS = 1_000_000;
    static final long SECOND = 1_000 * MS;
    static final long HOUR = 3_600 * SECOND;
    static final long YEAR = 365 * 24 * HOUR;
    static final Preference ANY = new Preference.Any();

    /// Three failures in a row open it for 5 s, up to 60 s; one probe of at most 5 s.
    static final BreakerSettings PLAIN = settings(3, 5 * SECOND, 60 * SECOND, 1);

    final ReplicaSet set;
    final long startNanos;
    long elapsed;

    Driven(int replicas, BreakerSettings settings) {
        this(replicas, settings, 1_234_567_890_123L);
    }

    Driven(int replicas, BreakerSettings settings, long startNanos) {
        this.set = new ReplicaSet(replicas, settings, startNanos);
        this.startNanos = startNanos;
    }

    static BreakerSettings settings(int failures, long openNanos, long openMaxNanos, int probes) {
        return new BreakerSettings(
                failures, failures, 100, Long.MAX_VALUE, 100, openNanos, openMaxNanos, probes, 5 * SECOND);
    }

    static Preference only(int replica) {
        return new Preference.Only(replica);
    }

    static Preference rather(int notReplica) {
        return new Preference.Rather(notReplica);
    }

    long now() {
        return startNanos + elapsed;
    }

    Driven pass(long nanos) {
        elapsed += nanos;
        return this;
    }

    boolean tick() {
        return set.tick(now());
    }

    Leave acquire(Preference preference) {
        return set.acquire(preference, now());
    }

    Permit granted(Preference preference) {
        Leave leave = acquire(preference);
        assertThat(leave).isInstanceOf(Leave.Granted.class);
        return ((Leave.Granted) leave).permit();
    }

    /// A probe beside a closed sibling.
    Permit probed() {
        return Objects.requireNonNull(set.probe(now()), "no probe");
    }

    boolean report(Permit permit, Verdict verdict) {
        return set.report(permit, verdict, now());
    }

    /// One write to that replica alone that ends at once. Returns what the report returned.
    boolean write(int replica, Verdict verdict) {
        return report(granted(only(replica)), verdict);
    }

    /// Fails writes to a closed replica until it opens.
    Driven open(int replica) {
        while (phase(replica) == ReplicaView.Phase.CLOSED) write(replica, Verdict.SICK);
        return this;
    }

    /// Opens the replica and lets its open time pass.
    Driven halfOpen(int replica) {
        open(replica).pass(openFor(replica));
        assertThat(tick()).isTrue();
        assertThat(phase(replica)).isEqualTo(ReplicaView.Phase.HALF_OPEN);
        return this;
    }

    ReplicaView view(int replica) {
        return set.view().get(replica);
    }

    ReplicaView.Phase phase(int replica) {
        return view(replica).phase();
    }

    long openFor(int replica) {
        ReplicaView view = view(replica);
        assertThat(view.phase()).isEqualTo(ReplicaView.Phase.OPEN);
        return view.phaseEndsNanos() - view.phaseBeganNanos();
    }

    /// How long until the set wants a tick.
    long wakesIn() {
        assertThat(set.wakeAtNanos()).isNotEqualTo(Long.MAX_VALUE);
        return set.wakeAtNanos() - now();
    }

    /// Replicas of the next grants to anybody, each of which ends well.
    List<Integer> rotation(int grants) {
        List<Integer> seen = new ArrayList<>();
        for (int i = 0; i < grants; i++) {
            Permit permit = granted(ANY);
            report(permit, Verdict.HEALTHY);
            seen.add(permit.replica());
        }
        return seen;
    }
}
