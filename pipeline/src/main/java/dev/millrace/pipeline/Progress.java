package dev.millrace.pipeline;

import dev.millrace.breaker.ReplicaView;
import dev.millrace.kafka.PartitionView;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardStatus;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How far a running pipeline is, for a person who watches. `lag` is null where it is not known of every partition.
public record Progress(
        long polled, long delivered, @Nullable Long lag, List<Shard> shards) {
    public Progress {
        shards = List.copyOf(shards);
    }

    static Progress of(List<PartitionView> partitions, List<ShardStatus> shards, long nowNanos) {
        var polled = 0L;
        Long lag = 0L;
        for (var partition : partitions) {
            polled += partition.polled();
            if (partition.member() < 0) continue;
            lag = lag == null || partition.lag() == null ? null : (Long) (lag + partition.lag());
        }
        var delivered =
                shards.stream().mapToLong(shard -> shard.counts().rowsWritten()).sum();
        return new Progress(
                polled,
                delivered,
                lag,
                shards.stream().map(shard -> shard(shard, nowNanos)).toList());
    }

    private static Shard shard(ShardStatus shard, long nowNanos) {
        var replicas = new ArrayList<Replica>();
        for (var replica : shard.view().replicas()) {
            var state = replica.state();
            var ends = state.phaseEndsNanos();
            var opensFor = ends == NanoClock.NEVER ? 0 : Math.max(0, ends - nowNanos);
            replicas.add(
                    new Replica(shard.endpoints().get(state.replica()).toString(), Phase.of(state.phase()), opensFor));
        }
        return new Shard(shard.shard().toString(), replicas);
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
        HALF_OPEN;

        private static Phase of(ReplicaView.Phase phase) {
            return switch (phase) {
                case CLOSED -> CLOSED;
                case HALF_OPEN -> HALF_OPEN;
                case OPEN, QUARANTINED -> OPEN;
            };
        }
    }
}
