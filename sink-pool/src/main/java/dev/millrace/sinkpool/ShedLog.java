package dev.millrace.sinkpool;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Counts what is shed by tenant, to be told at most once a second for each.
///
/// Tenants beyond the first thousand are told of together: their names come from outside, and there may be any number.
///
/// Thread ownership: `shed` from any thread; everything else the front's.
final class ShedLog {
    private static final long BETWEEN_NANOS = 1_000_000_000L;
    private static final long LOOK_EVERY_NANOS = 10_000_000L;
    private static final int MOST_TENANTS = 1000;

    /// Beside the tenant, what was shed since its last line, and in all.
    interface Line {
        void tell(String tenant, long since, long all);
    }

    private static final class Tenant {
        private final LongAdder shed = new LongAdder();
        private long told;
        private long toldNanos;
    }

    private final Map<String, Tenant> tenants = new ConcurrentHashMap<>();
    private final Tenant others = new Tenant();
    private long nextNanos = NanoClock.NEVER;
    private long lookedNanos;
    private volatile boolean news;

    ShedLog(long nowNanos) {
        lookedNanos = nowNanos - LOOK_EVERY_NANOS;
    }

    /// A producer that breaks the rules and names no tenant is one of the others.
    void shed(@Nullable String tenant) {
        (tenant == null ? others : of(tenant)).shed.increment();
        if (!news) news = true;
    }

    private Tenant of(String tenant) {
        var known = tenants.get(tenant);
        if (known != null) return known;
        return tenants.size() >= MOST_TENANTS ? others : tenants.computeIfAbsent(tenant, _ -> new Tenant());
    }

    /// Tells what is due. Returns when the next is, [NanoClock#NEVER] if nothing waits to be told.
    long tell(long nowNanos, Line line) {
        if (!news) {
            if (!NanoClock.reached(nextNanos, nowNanos)) return nextNanos;
        } else if (nowNanos - lookedNanos < LOOK_EVERY_NANOS) {
            return lookedNanos + LOOK_EVERY_NANOS;
        }
        lookedNanos = nowNanos;
        news = false;
        nextNanos = all(nowNanos, line);
        return nextNanos;
    }

    private long all(long nowNanos, Line line) {
        var next = NanoClock.NEVER;
        for (var one : tenants.entrySet())
            next = NanoClock.earlier(next, tell(one.getKey(), one.getValue(), nowNanos, line));
        return NanoClock.earlier(next, tell("others", others, nowNanos, line));
    }

    private static long tell(String name, Tenant tenant, long nowNanos, Line line) {
        var all = tenant.shed.sum();
        if (all == tenant.told) return NanoClock.NEVER;
        var due = NanoClock.due(tenant.toldNanos, BETWEEN_NANOS);
        if (tenant.told > 0 && due - nowNanos > 0) return due;
        tellNow(name, tenant, all, nowNanos, line);
        return NanoClock.NEVER;
    }

    private static void tellNow(String name, Tenant tenant, long all, long nowNanos, Line line) {
        line.tell(name, all - tenant.told, all);
        tenant.told = all;
        tenant.toldNanos = nowNanos;
    }

    /// Tells all that was not told, at the end.
    void rest(long nowNanos, Line line) {
        tenants.forEach((name, tenant) -> rest(name, tenant, nowNanos, line));
        rest("others", others, nowNanos, line);
    }

    private static void rest(String name, Tenant tenant, long nowNanos, Line line) {
        var all = tenant.shed.sum();
        if (all > tenant.told) tellNow(name, tenant, all, nowNanos, line);
    }
}
