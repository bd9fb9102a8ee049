package dev.millrace.httpclient;

import dev.millrace.sinkpool.ShardId;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// The replicas of each shard of a sink, in the order in which they were given.
public final class Endpoints {
    private Endpoints() {}

    /// `form` makes an endpoint of an address, or throws `IllegalArgumentException`, as this does for a sink
    /// without shards, and for a shard without endpoints.
    public static <E> Map<ShardId, List<E>> of(Map<ShardId, List<URI>> shards, Function<URI, E> form) {
        if (shards.isEmpty()) throw new IllegalArgumentException("a sink has a shard");
        var endpoints = new LinkedHashMap<ShardId, List<E>>();
        shards.forEach((shard, addresses) -> {
            if (addresses.isEmpty()) throw new IllegalArgumentException(shard + ": a shard has an endpoint");
            endpoints.put(shard, addresses.stream().map(form).toList());
        });
        return endpoints;
    }
}
