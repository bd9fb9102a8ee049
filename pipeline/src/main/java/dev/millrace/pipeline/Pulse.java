package dev.millrace.pipeline;

import dev.millrace.sinkpool.ShardId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// What came in and became durable, second by second, for the last three minutes.
///
/// Thread ownership: shared; one caller of `beat`.
final class Pulse {
    private static final int BEATS = 181;
    /// A rate is over so many beats, so that batches that come every few seconds do not make it jump.
    private static final int RATE_BEATS = 10;

    private static final double NANOS_PER_SECOND = 1e9;

    private record Beat(long nanos, long polled, long durable, long deadLettered) {}

    private record Place(ShardId shard, int replica) {}

    private record Rows(long nanos, Map<Place, Long> byReplica) {}

    private final ArrayDeque<Beat> beats = new ArrayDeque<>();
    private final ArrayDeque<Rows> rows = new ArrayDeque<>();

    synchronized void beat(Snapshot now) {
        if (beats.size() == BEATS) beats.removeFirst();
        beats.addLast(new Beat(now.nowNanos(), now.polled(), now.durable(), now.deadLettered()));
        if (rows.size() > RATE_BEATS) rows.removeFirst();
        var byReplica = new HashMap<Place, Long>();
        for (var shard : now.shards())
            for (var i = 0; i < shard.endpoints().size(); i++)
                byReplica.put(new Place(shard.shard(), i), shard.counts().rowsWrittenTo(i));
        rows.addLast(new Rows(now.nowNanos(), byReplica));
    }

    /// Rows a second; null while that is not known yet.
    @Nullable
    Double inPerSecond() {
        return rate(Beat::polled);
    }

    @Nullable
    Double durablePerSecond() {
        return rate(Beat::durable);
    }

    private synchronized @Nullable Double rate(ToLongFunction<Beat> of) {
        if (beats.size() < 2) return null;
        var all = new ArrayList<>(beats);
        return perSecond(all.get(Math.max(0, all.size() - 1 - RATE_BEATS)), all.getLast(), of);
    }

    @Nullable
    synchronized Double ofReplica(ShardId shard, int replica) {
        if (rows.size() < 2) return null;
        var place = new Place(shard, replica);
        var first = rows.getFirst();
        var last = rows.getLast();
        var came = last.byReplica().getOrDefault(place, 0L) - first.byReplica().getOrDefault(place, 0L);
        return perSecond(came, last.nanos() - first.nanos());
    }

    /// Rows a second between one beat and the next, the oldest first.
    List<Double> in() {
        return series(Beat::polled);
    }

    List<Double> durable() {
        return series(Beat::durable);
    }

    private synchronized List<Double> series(ToLongFunction<Beat> of) {
        var out = new ArrayList<Double>();
        @Nullable Beat before = null;
        for (var beat : beats) {
            if (before != null) out.add(perSecond(before, beat, of));
            before = beat;
        }
        return out;
    }

    /// Rows that were set aside since the oldest beat.
    synchronized long deadLetteredLately() {
        return beats.isEmpty()
                ? 0
                : beats.getLast().deadLettered() - beats.getFirst().deadLettered();
    }

    private static double perSecond(Beat from, Beat to, ToLongFunction<Beat> of) {
        return perSecond(of.applyAsLong(to) - of.applyAsLong(from), to.nanos() - from.nanos());
    }

    private static double perSecond(long came, long nanos) {
        return nanos <= 0 ? 0 : Math.max(0, came) * NANOS_PER_SECOND / nanos;
    }
}
