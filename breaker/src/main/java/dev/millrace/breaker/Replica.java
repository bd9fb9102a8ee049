package dev.millrace.breaker;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowSynchronizationStrategy;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// One replica behind its resilience4j breaker: its phase, the permits out in it, and how long it stays open.
///
/// The breaker decides closed to open, and half-open to closed or open. It is never asked for a permission and
/// never waits: the move to half-open is made here at exactly the end of the open time, and only reports of
/// permits out in the current stay reach it.
///
/// Invariant: a [Stay] owns the permits granted in it, so a report of an earlier episode, or a second one, finds
/// nothing (B1, B2).
///
/// Thread ownership: the [ReplicaSet] it belongs to.
final class Replica {
    static final long NEVER = Long.MAX_VALUE;

    /// Longest time that sums and differences of instants bear without overflow: 146 years.
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;

    /// What is true of the replica between two changes of phase.
    private sealed interface Stay {
        record Closed(Set<Permit> out) implements Stay {}

        record Open(long endsNanos) implements Stay {}

        record HalfOpen(Set<Permit> out) implements Stay {}
    }

    private final int index;
    private final BreakerSettings settings;
    private final GivenClock clock;
    private final CircuitBreaker breaker;
    private final Turns turns;
    private Stay stay = new Stay.Closed(new HashSet<>());
    private long beganNanos;
    private long episode;
    private int openings;
    private boolean unfinished;
    private boolean quarantined;
    private long quarantinedNanos;

    Replica(int index, BreakerSettings settings, long nowNanos) {
        this.index = index;
        this.settings = settings;
        this.clock = new GivenClock(nowNanos);
        this.breaker = CircuitBreaker.of("replica-" + index, config(settings, clock));
        this.turns = new Turns(settings.openNanos());
        this.beganNanos = nowNanos;
    }

    /// One outcome decides a half-open breaker: how many probes may be out is counted here, since resilience4j never
    /// gives a slot back.
    private static CircuitBreakerConfig config(BreakerSettings settings, GivenClock clock) {
        return CircuitBreakerConfig.custom()
                .slidingWindow(
                        settings.window(),
                        settings.minCalls(),
                        SlidingWindowType.COUNT_BASED,
                        SlidingWindowSynchronizationStrategy.SYNCHRONIZED)
                .failureRateThreshold(settings.failureRate())
                .slowCallDurationThreshold(Duration.ofNanos(settings.slowNanos()))
                .slowCallRateThreshold(settings.slowRate())
                .permittedNumberOfCallsInHalfOpenState(1)
                .waitDurationInOpenState(Duration.ofDays(36_500))
                .recordResult(verdict -> verdict == Verdict.SICK)
                .clock(clock)
                .build();
    }

    int index() {
        return index;
    }

    boolean eligible() {
        return !unfinished && !quarantined;
    }

    long episode() {
        return episode;
    }

    boolean halfOpen() {
        return stay instanceof Stay.HalfOpen;
    }

    /// Closed and eligible.
    boolean usable() {
        return eligible() && stay instanceof Stay.Closed;
    }

    /// While it is closed, it takes one of its turns in so many.
    int oneTurnIn() {
        return turns.oneIn();
    }

    /// It is its turn, and the siblings that have come back furthest take one in `leastOneIn`. Returns
    /// whether it takes it: those always do, so that somebody does.
    boolean takesTurn(int leastOneIn) {
        return turns.oneIn() == leastOneIn || turns.take();
    }

    /// Half-open and eligible, with a slot free.
    boolean probeable() {
        return eligible() && stay instanceof Stay.HalfOpen(var out) && out.size() < settings.halfOpenProbes();
    }

    Permit grant(long id, long nowNanos) {
        Permit permit = new Permit(id, index, episode, halfOpen(), nowNanos);
        switch (stay) {
            case Stay.Closed(var out) -> out.add(permit);
            case Stay.HalfOpen(var out) -> out.add(permit);
            case Stay.Open _ -> throw new IllegalStateException("a permit of replica " + index + ", which is open");
        }
        return permit;
    }

    boolean report(Permit permit, Verdict verdict, long nowNanos) {
        boolean counts = switch (stay) {
            case Stay.Closed(var out) -> out.remove(permit);
            case Stay.HalfOpen(var out) -> out.remove(permit);
            case Stay.Open _ -> false;
        };
        if (!counts) return false;
        return switch (verdict) {
            case HEALTHY, OVERLOADED, SICK -> tell(permit, verdict, nowNanos);
            case UNTRIED -> permit.probe();
        };
    }

    boolean unfinished(boolean atBound) {
        boolean freed = unfinished && !atBound;
        unfinished = atBound;
        return freed;
    }

    /// Its breaker goes on meanwhile: permits that are out report as ever, and open time passes.
    boolean quarantined(boolean on, long nowNanos) {
        boolean freed = quarantined && !on;
        if (on && !quarantined) quarantinedNanos = nowNanos;
        quarantined = on;
        return freed;
    }

    boolean moveOn(long nowNanos) {
        return switch (stay) {
            case Stay.Closed _ -> false;
            case Stay.Open(long endsNanos) -> {
                if (nowNanos - endsNanos < 0) yield false;
                clock.set(nowNanos);
                breaker.transitionToHalfOpenState();
                become(new Stay.HalfOpen(new HashSet<>()), nowNanos);
                yield true;
            }
            case Stay.HalfOpen(var out) -> out.removeIf(permit -> nowNanos - deadlineNanos(permit) >= 0);
        };
    }

    long wakeAtNanos() {
        return switch (stay) {
            case Stay.Closed _ -> NEVER;
            case Stay.Open(long endsNanos) -> endsNanos;
            case Stay.HalfOpen(var out) -> {
                long earliest = NEVER;
                for (Permit permit : out) earliest = earlier(earliest, deadlineNanos(permit));
                yield earliest;
            }
        };
    }

    ReplicaView view() {
        return switch (stay) {
            case Stay.Closed _ -> view(ReplicaView.Phase.CLOSED, NEVER, 0);
            case Stay.Open(long endsNanos) -> view(ReplicaView.Phase.OPEN, endsNanos, 0);
            case Stay.HalfOpen(var out) -> view(ReplicaView.Phase.HALF_OPEN, NEVER, out.size());
        };
    }

    private ReplicaView view(ReplicaView.Phase phase, long endsNanos, int probesOut) {
        return new ReplicaView(
                index,
                quarantined ? ReplicaView.Phase.QUARANTINED : phase,
                quarantined ? quarantinedNanos : beganNanos,
                quarantined ? NEVER : endsNanos,
                episode,
                openings,
                probesOut,
                unfinished,
                turns.oneIn());
    }

    /// The earlier of two instants, either of which may be [#NEVER].
    static long earlier(long a, long b) {
        if (a == NEVER) return b;
        if (b == NEVER) return a;
        return a - b < 0 ? a : b;
    }

    private boolean tell(Permit permit, Verdict verdict, long nowNanos) {
        clock.set(nowNanos);
        // How long an overloaded shard takes to say so speaks against no replica either.
        long tookNanos = verdict == Verdict.OVERLOADED ? 0 : Math.max(0, nowNanos - permit.grantedNanos());
        breaker.onResult(tookNanos, TimeUnit.NANOSECONDS, verdict);
        return switch (breaker.getState()) {
            case CLOSED -> {
                if (stay instanceof Stay.Closed) {
                    comesBack(verdict, tookNanos, nowNanos);
                    yield false;
                }
                openings = 0;
                turns.comeBack(nowNanos);
                become(new Stay.Closed(new HashSet<>()), nowNanos);
                yield true;
            }
            case OPEN -> {
                if (openings < Integer.MAX_VALUE) openings++;
                become(new Stay.Open(due(nowNanos, openNanos())), nowNanos);
                yield true;
            }
            case HALF_OPEN, DISABLED, FORCED_OPEN, METRICS_ONLY ->
                throw new IllegalStateException("breaker of replica " + index + " is " + breaker.getState());
        };
    }

    /// Of a replica that comes back, a slow write is none that speaks for it; an overload answer says
    /// nothing.
    private void comesBack(Verdict verdict, long tookNanos, long nowNanos) {
        if (verdict == Verdict.SICK || tookNanos > settings.slowNanos()) turns.failed(nowNanos);
        else if (verdict == Verdict.HEALTHY) turns.succeeded(nowNanos);
    }

    /// The one place where the phase changes.
    private void become(Stay next, long nowNanos) {
        stay = next;
        beganNanos = nowNanos;
        episode++;
    }

    /// `openNanos` doubled for every opening in a row after the first, at most `openMaxNanos`.
    private long openNanos() {
        int doublings = Math.min(openings - 1, Long.SIZE - 1);
        boolean capped = settings.openNanos() > settings.openMaxNanos() >> doublings;
        return capped ? settings.openMaxNanos() : settings.openNanos() << doublings;
    }

    private long deadlineNanos(Permit permit) {
        return due(permit.grantedNanos(), settings.probeTimeoutNanos());
    }

    private static long due(long fromNanos, long lengthNanos) {
        long at = fromNanos + Math.min(lengthNanos, LONGEST_NANOS);
        return at == NEVER ? at + 1 : at;
    }
}
