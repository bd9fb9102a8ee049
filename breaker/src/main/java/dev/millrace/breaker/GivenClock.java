package dev.millrace.breaker;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/// The clock that resilience4j sees: the last `nowNanos` that it was set to, counted from the epoch.
///
/// Thread ownership: the [Replica] whose breaker reads it.
final class GivenClock extends Clock {
    private long nowNanos;

    GivenClock(long nowNanos) {
        this.nowNanos = nowNanos;
    }

    void set(long nowNanos) {
        this.nowNanos = nowNanos;
    }

    @Override
    public Instant instant() {
        return Instant.EPOCH.plusNanos(nowNanos);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
