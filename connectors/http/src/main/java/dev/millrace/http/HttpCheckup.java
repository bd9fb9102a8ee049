package dev.millrace.http;

import dev.millrace.httpclient.ServerCertificate;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.http.HttpClient;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// Looks at every endpoint of every shard, all at once. It writes nothing.
///
/// Thread ownership: the thread that asks; it looks on virtual threads of its own.
record HttpCheckup(HttpSettings settings, Map<ShardId, List<HttpEndpoint>> shards, NanoClock clock) {
    private record Place(ShardId shard, HttpEndpoint endpoint) {
        @Override
        public String toString() {
            return "sinks." + shard.sink() + ".shards." + shard.shard() + " " + endpoint;
        }
    }

    /// The shards of which no replica is there.
    List<ShardId> silent(HttpClient over, long deadlineNanos) throws InterruptedException {
        var there = new ArrayList<ShardId>();
        reached(over, deadlineNanos).forEach((place, outcome) -> {
            if (outcome instanceof WriteOutcome.Written) there.add(place.shard());
        });
        return shards.keySet().stream().filter(shard -> !there.contains(shard)).toList();
    }

    List<Finding> look(HttpClient over, long deadlineNanos, InstantSource wallClock) throws InterruptedException {
        var findings = new ArrayList<Finding>();
        for (var one : reached(over, deadlineNanos).entrySet()) {
            var place = one.getKey();
            var found = found(place, one.getValue());
            if (found != null) {
                findings.add(found);
                continue;
            }
            var certificate = ServerCertificate.look(
                    place.endpoint().address(), over.sslContext(), place.toString(), clock, deadlineNanos, wallClock);
            if (certificate != null) findings.add(certificate);
        }
        return findings;
    }

    private Map<Place, WriteOutcome> reached(HttpClient over, long deadlineNanos) throws InterruptedException {
        var asked = new LinkedHashMap<Place, Future<WriteOutcome>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            shards.forEach((shard, endpoints) -> endpoints.forEach(endpoint -> asked.put(
                    new Place(shard, endpoint),
                    threads.submit(() -> new Reach(settings, new Head(settings, shard), clock)
                            .ask(endpoint, over, deadlineNanos, _ -> {})))));
            var told = new LinkedHashMap<Place, WriteOutcome>();
            for (var one : asked.entrySet())
                told.put(one.getKey(), one.getValue().get());
            return told;
        } catch (ExecutionException bug) {
            throw new IllegalStateException("asking a server failed", bug.getCause());
        }
    }

    private static @Nullable Finding found(Place place, WriteOutcome outcome) {
        return switch (outcome) {
            case WriteOutcome.Written _ -> null;
            case WriteOutcome.Unavailable(var failure, var _) -> unreached(place, failure);
            case WriteOutcome.Refused(var failure, var _) -> unreached(place, failure);
            case WriteOutcome.TooLarge(var failure) -> unreached(place, failure);
            case WriteOutcome.Misconfigured(var failure) ->
                Finding.fault(place.toString(), failure.message(), "mend it, or what the file says of it");
        };
    }

    private static Finding unreached(Place place, Failure failure) {
        return Finding.unreached(
                place.toString(),
                failure.message() + " (" + failure.code() + ")",
                "see that it runs and is let through");
    }
}
