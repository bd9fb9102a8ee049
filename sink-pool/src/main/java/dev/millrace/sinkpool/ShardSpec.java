package dev.millrace.sinkpool;

import java.net.URI;
import java.util.List;

/// One shard to be driven: its settings, the sink it belongs to, and the endpoints of its replicas.
public record ShardSpec(ShardSettings settings, Sink sink, List<URI> endpoints) {
    public ShardSpec {
        endpoints = List.copyOf(endpoints);
        if (endpoints.size() != settings.replicas())
            throw new IllegalArgumentException(
                    settings.shard() + ": " + endpoints.size() + " endpoints for " + settings.replicas() + " replicas");
    }
}
