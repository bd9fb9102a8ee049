package dev.millrace.config;

import java.time.Duration;
import java.util.List;

/// One sink: where rows go, over which shards, in which batches, and how patient it is.
///
/// `shards` keeps the file's order; a shard's identity is its name. `writeTimeout` bounds one attempt.
/// Nothing waits for an `advisory` sink.
public record SinkConfig(
        String name,
        Topics topics,
        boolean advisory,
        SinkKind kind,
        List<ShardConfig> shards,
        BatchConfig batch,
        ChunkConfig chunk,
        OrderingConfig ordering,
        InflightConfig inflight,
        Duration writeTimeout,
        RetryConfig retry,
        BreakerConfig breaker,
        AmbiguousConfig ambiguous) {
    public SinkConfig {
        Require.matches("sink name", Names.isName(name), name);
        shards = List.copyOf(shards);
        Require.atLeast("shards", shards.size(), 1);
        Require.atLeast(
                "distinct shard names",
                shards.stream().map(ShardConfig::name).distinct().count(),
                shards.size());
        var endpoints = shards.stream().flatMap(s -> s.endpoints().stream()).toList();
        Require.atLeast("distinct endpoints", endpoints.stream().distinct().count(), endpoints.size());
        Require.positive("writeTimeout", writeTimeout);
    }
}
