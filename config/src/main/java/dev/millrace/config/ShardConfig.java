package dev.millrace.config;

import java.util.List;

/// One slice of a sink's data: its name, which is its identity, and its replicas' endpoints in the file's order.
public record ShardConfig(String name, List<Endpoint> endpoints) {
    public ShardConfig {
        Require.matches("shard name", Names.isName(name), name);
        endpoints = List.copyOf(endpoints);
        Require.atLeast("endpoints", endpoints.size(), 1);
    }
}
