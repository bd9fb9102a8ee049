package dev.millrace.pipeline;

import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.PoolListener;
import dev.millrace.sinkpool.RowRef;
import dev.millrace.sinkpool.SealedBatch;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardNote;
import dev.millrace.sinkpool.ShardStatus;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Hands on what the shards of a pipeline tell: to its meters, to its events, and where one cannot go on, to its end.
///
/// Thread ownership: shard workers.
final class PoolNews implements PoolListener {
    private static final double NANOS_PER_SECOND = 1e9;

    private final Pipeline of;
    private final List<Consumer<ReplicaChange>> whenReplicaChanges = new CopyOnWriteArrayList<>();

    /// Nothing is told before `of` is started.
    PoolNews(Pipeline of) {
        this.of = of;
    }

    void whenReplicaChanges(Consumer<ReplicaChange> action) {
        whenReplicaChanges.add(action);
    }

    @Override
    public void note(ShardId shard, ShardNote note) {
        var meters = of.metrics();
        if (meters != null) meters.note(shard, note);
        if (note instanceof ShardNote.Poison poison)
            of.parts().setAside.refused(poison.failure().code());
        if (note instanceof ShardNote.Wrote wrote)
            of.parts().keptTokens.written(shard, wrote.batch(), wrote.accepted() == 0);
        else if (!(note instanceof ShardNote.Sealed))
            of.parts().news.tell(shard, endpoints(shard), note, Instant.now());
        switch (note) {
            case ShardNote.ReplicaOpened(var replica, var last, var _) ->
                change(shard, replica, Progress.Phase.OPEN, last.toString());
            case ShardNote.ReplicaHalfOpened(var replica) -> change(shard, replica, Progress.Phase.HALF_OPEN, null);
            case ShardNote.ReplicaClosed(var replica) -> change(shard, replica, Progress.Phase.CLOSED, null);
            default -> {}
        }
    }

    private List<ShardStatus> shards() {
        return of.parts().shards.status();
    }

    private List<URI> endpoints(ShardId shard) {
        for (var status : shards()) if (status.shard().equals(shard)) return status.endpoints();
        return List.of();
    }

    private void change(ShardId shard, int replica, Progress.Phase phase, @Nullable String reason) {
        for (var status : shards()) {
            if (!status.shard().equals(shard)) continue;
            var change = new ReplicaChange(status.endpoints().get(replica).toString(), phase, reason);
            whenReplicaChanges.forEach(action -> action.accept(change));
        }
    }

    @Override
    public void stopFor(ShardId shard, RowRef row, Failure failure) {
        of.fault(row + ": refused by " + shard + ": " + failure, ExitCode.FATAL);
    }

    @Override
    public void stopForExpired(ShardId shard, SealedBatch batch, long ageNanos, long windowNanos) {
        of.fault(
                shard + ": a batch of " + batch.rows().rows() + " rows of "
                        + batch.rows().slices().getFirst().chunk() + " waits for "
                        + (long) (ageNanos / NANOS_PER_SECOND) + " s, and the sink is sure to know its token for "
                        + (long) (windowNanos / NANOS_PER_SECOND) + " s only: it may be stored already. Store row"
                        + " coordinates, so that it can be looked at, widen the window, or set on_expired_token:"
                        + " resend, which may store it twice",
                ExitCode.FATAL);
    }

    @Override
    public void died(ShardId shard, Throwable cause) {
        of.parts().events.tell("worker_died", shard.toString(), cause.getClass().getName(), Instant.now());
        of.fault("the worker of " + shard + " died: " + cause.getClass().getName(), ExitCode.FATAL);
    }

    @Override
    public void frontDied(String sink, Throwable cause) {
        of.parts().events.tell("front_died", sink, cause.getClass().getName(), Instant.now());
        of.fault("what takes rows in for " + sink + " died: " + cause.getClass().getName(), ExitCode.FATAL);
    }
}
