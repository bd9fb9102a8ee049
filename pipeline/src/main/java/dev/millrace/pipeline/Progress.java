package dev.millrace.pipeline;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// How far a running pipeline is, for a person who watches. `lag` is null where it is not known of every partition.
public record Progress(
        long polled, long delivered, @Nullable Long lag, List<Shard> shards) {
    public Progress {
        shards = List.copyOf(shards);
    }

    /// `name` is `sink/shard`.
    public record Shard(String name, List<Replica> replicas) {
        public Shard {
            replicas = List.copyOf(replicas);
        }
    }

    /// `opensForNanos` is how long an open one still gets no write; 0 in any other phase.
    public record Replica(String endpoint, Phase phase, long opensForNanos) {}

    public enum Phase {
        CLOSED,
        OPEN,
        HALF_OPEN
    }
}
