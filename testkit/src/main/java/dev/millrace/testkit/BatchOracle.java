package dev.millrace.testkit;

import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.SealedBatch;
import dev.millrace.sinkpool.ShardCommand;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardView;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// SEAL-4: every attempt of a batch sends the same rows under the same token. SEAL-7: at most `maxInFlight`
/// batches have begun and are not settled. One attempt of a batch is out at a time, and none waits while a
/// permit, a replica and, where they are limited, a write slot are free ([FakeSlots]). SEAL-8: where order is kept, one
/// attempt of a lane is out at a time, and none waits for its lane unless something of it is in flight or sleeps, or
/// has rows of a partition of its own before it.
///
/// Thread ownership: the run.
final class BatchOracle {
    private final World world;
    private final ShardSettings settings;
    private final Map<Long, SealedBatch> begun = new HashMap<>();
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
        if (settings.ordered()) aloneInItsLane(batch, replicas);
        if (replicas.isOut(id)) throw new Violation("SEAL-4", "batch " + id + " has two attempts out");
        part(start);
        var before = begun.putIfAbsent(id, batch);
        if (before != null) {
            if (!before.equals(batch)) throw new Violation("SEAL-4", "batch " + id + " is sent with other rows");
            return;
        }
        if (!told.contains(id)) world.reached(Sometimes.BATCH_SHRUNK);
        for (var slice : batch.rows().slices()) {
            var other = batchOf.put(slice.chunk(), id);
            if (other != null) throw new Violation("SEAL-4", slice.chunk() + " is of batches " + other + " and " + id);
        }
        unsettled.put(id, batch.rows().slices().size());
        if (!start.token().equals(batch.token())) throw new Violation("SEAL-4", "batch " + id + " begins with a part");
    }

    private void aloneInItsLane(SealedBatch batch, ReplicaOracle replicas) {
        for (var id : unsettled.keySet()) {
            var other = begun.get(id);
            if (other != null && other.lane() == batch.lane() && id != batch.id() && replicas.isOut(id))
                throw new Violation("SEAL-8", "batch " + batch.id() + " is sent beside " + id + " of its lane");
        }
    }

    /// O12: what is sent is the batch under its token, or the part that its token names.
    private static void part(ShardCommand.StartAttempt start) {
        var batch = start.batch();
        var token = start.token().text();
        var whole = batch.token().text();
        var from = 0;
        var to = batch.rows().rows();
        if (!token.equals(whole)) {
            var dash = token.lastIndexOf('-');
            if (!token.startsWith(whole + "#") || dash < whole.length())
                throw new Violation("O12", "batch " + batch.id() + " is sent as " + token);
            from = Integer.parseInt(token.substring(whole.length() + 1, dash));
            to = Integer.parseInt(token.substring(dash + 1));
        }
        if (!start.rows().slices().equals(batch.rows().part(from, to).slices()))
            throw new Violation("SEAL-4", "batch " + batch.id() + " is sent with other rows as " + token);
    }

    /// Looked at when all commands of one event are carried out: the next batch is started before
    /// the last is settled.
    void carriedOut(ShardView view) {
        var permits = unsettled.size();
        for (var batch : view.held()) {
            switch (batch.place()) {
                case QUEUE, PERMIT -> {
                    continue;
                }
                case PARKED -> world.reached(Sometimes.PARKED);
                case RESTING -> world.reached(Sometimes.RESTED);
            }
            if (unsettled.containsKey(batch.batch())) permits--;
        }
        if (!finished && permits > settings.maxInFlight())
            throw new Violation("SEAL-7", unsettled.size() + " batches are in flight: " + unsettled.keySet());
        var writing = view.held().stream().filter(ShardView.Held::writing).count();
        if (!finished && writing > settings.maxInFlight())
            throw new Violation("SEAL-7", writing + " batches are being written");
        if (view.waitsForSlot()) return;
        if (finished || !view.usable() || permits >= view.limit() || writing >= view.limit()) return;
        for (var batch : view.held())
            if (batch.attempts() == 0 && !waitsForItsLane(batch, view))
                throw new Violation(
                        "SEAL-7", "batch " + batch.batch() + " waits, with a permit and a replica free: " + view);
    }

    private boolean waitsForItsLane(ShardView.Held batch, ShardView view) {
        if (!settings.ordered()) return false;
        var passed = false;
        for (var other : view.held()) {
            // Those that hold permits, are parked or rest come first, and then those that wait, in their order.
            passed |= other.batch() == batch.batch();
            if (other.lane() != batch.lane() || other.batch() == batch.batch()) continue;
            var holds = other.writing() || (!passed && holdsUp(other, batch));
            if (!holds) continue;
            world.reached(other.parked() ? Sometimes.LANE_HELD_WITHOUT_A_PERMIT : Sometimes.LANE_HELD);
            return true;
        }
        return false;
    }

    private static boolean holdsUp(ShardView.Held before, ShardView.Held batch) {
        return switch (before.place()) {
            case PERMIT, RESTING -> true;
            case PARKED, QUEUE -> !Collections.disjoint(before.partitions(), batch.partitions());
        };
    }

    /// SEAL-5: while a sealed batch waits for a permit, nothing more is taken in. Where order is kept, that is one of a
    /// lane of which none is parked or rests.
    void takes(ShardView view) {
        var waiting = view.held().stream().filter(held -> !held.parked());
        if (settings.ordered()) {
            var parked = view.held().stream()
                    .filter(held -> held.parked() || held.place() == ShardView.Place.RESTING)
                    .map(ShardView.Held::lane)
                    .collect(Collectors.toSet());
            waiting = lastOfEachLane(waiting.filter(held -> !parked.contains(held.lane())));
        }
        if (!finished && waiting.count() > settings.maxInFlight())
            throw new Violation("SEAL-5", "chunks are taken in while a batch waits: " + view.held());
    }

    private static Stream<ShardView.Held> lastOfEachLane(Stream<ShardView.Held> held) {
        var lanes = new HashMap<Integer, ShardView.Held>();
        held.forEach(one -> lanes.put(one.lane(), one));
        return lanes.values().stream();
    }

    void finished() {
        finished = true;
    }

    void settled(EncodedChunk chunk) {
        var id = batchOf.get(chunk);
        if (id != null && unsettled.merge(id, -1, Integer::sum) == 0) unsettled.remove(id);
    }
}
