package dev.millrace.testkit;

import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.SealedBatch;
import dev.millrace.sinkpool.ShardCommand;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardView;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// SEAL-4: every attempt of a batch sends the same rows under the same token. SEAL-7: at most `maxInFlight`
/// batches have begun and are not settled. One attempt of a batch is out at a time, and none waits while a
/// permit and a replica are free.
///
/// Thread ownership: the run.
final class BatchOracle {
    private record Begun(String token, Set<EncodedChunk> chunks) {}

    private final World world;
    private final ShardSettings settings;
    private final Map<Long, Begun> begun = new HashMap<>();
    private final Map<EncodedChunk, Long> batchOf = new HashMap<>();
    private final Set<Long> told = new HashSet<>();
    private final Map<Long, Integer> unsettled = new HashMap<>();
    private boolean finished;

    BatchOracle(World world, ShardSettings settings) {
        this.world = world;
        this.settings = settings;
    }

    void sealed(SealedBatch batch) {
        if (!told.add(batch.id())) throw new Violation("SEAL-4", "batch " + batch.id() + " is sealed twice");
    }

    void started(ShardCommand.StartAttempt start, ReplicaOracle replicas) {
        var batch = start.batch();
        var id = batch.id();
        if (replicas.isOut(id)) throw new Violation("SEAL-4", "batch " + id + " has two attempts out");
        Set<EncodedChunk> chunks = new HashSet<>();
        for (var slice : start.rows().slices()) chunks.add(slice.chunk());
        var before = begun.putIfAbsent(id, new Begun(start.token().text(), chunks));
        if (before == null) {
            if (!told.contains(id)) world.reached(Sometimes.BATCH_SHRUNK);
            for (var chunk : chunks) {
                var other = batchOf.put(chunk, id);
                if (other != null) throw new Violation("SEAL-4", chunk + " is of batches " + other + " and " + id);
            }
            unsettled.put(id, chunks.size());
            return;
        }
        if (!before.token.equals(start.token().text()))
            throw new Violation(
                    "O12",
                    "batch " + id + " is sent as " + before.token + " and "
                            + start.token().text());
        if (!before.chunks.equals(chunks)) throw new Violation("SEAL-4", "batch " + id + " is sent with other rows");
    }

    /// Looked at when all commands of one event are carried out: the next batch is started before the last is settled.
    void carriedOut(ShardView view) {
        if (unsettled.size() > settings.maxInFlight())
            throw new Violation("SEAL-7", unsettled.size() + " batches are in flight: " + unsettled.keySet());
        if (finished || !view.usable() || unsettled.size() == settings.maxInFlight()) return;
        for (var batch : view.held())
            if (batch.attempts() == 0)
                throw new Violation(
                        "SEAL-7", "batch " + batch.batch() + " waits, with a permit and a replica free: " + view);
    }

    /// SEAL-5: while a sealed batch waits for a permit, nothing more is taken in.
    void takes(ShardView view) {
        if (!finished && view.held().size() > settings.maxInFlight())
            throw new Violation("SEAL-5", "chunks are taken in while a batch waits: " + view.held());
    }

    void finished() {
        finished = true;
    }

    void settled(EncodedChunk chunk) {
        var id = batchOf.get(chunk);
        if (id != null && unsettled.merge(id, -1, Integer::sum) == 0) unsettled.remove(id);
    }
}
