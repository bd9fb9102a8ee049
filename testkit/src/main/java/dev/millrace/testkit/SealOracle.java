package dev.millrace.testkit;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.SealReason;
import dev.millrace.sinkpool.SealedBatch;
import dev.millrace.sinkpool.ShardCommand;
import dev.millrace.sinkpool.ShardEvent;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardView;
import dev.millrace.sinkpool.Slice;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// SEAL-1 to SEAL-3, SEAL-5, SEAL-9: what is sealed has its reason and overshoots by one chunk at
/// most; what is open has none of the reasons. SEAL-7: batches begin in the order in which they
/// were sealed, but for those that were parked. SEAL-8: those of one lane
/// and partition begin in that order whatever becomes of them.
///
/// Thread ownership: the run.
final class SealOracle {
    private final PipelineProcess process;
    private final ShardSettings.BatchSettings settings;
    private final int maxInFlight;
    private final boolean planned;
    private final boolean ordered;
    private final Set<EncodedChunk> open = new LinkedHashSet<>();
    private final Map<EncodedChunk, Long> sequenceOf = new HashMap<>();
    private final TreeMap<Long, Integer> unsettled = new TreeMap<>();
    private final Set<Long> begun = new LinkedHashSet<>();
    private final Map<Long, Long> sequenceOfBatch = new HashMap<>();
    private final Set<Long> parked = new LinkedHashSet<>();
    private long sequence;
    private boolean draining;

    SealOracle(PipelineProcess process, ShardSettings settings) {
        this.process = process;
        this.settings = settings.batch();
        this.maxInFlight = settings.maxInFlight();
        this.planned = settings.planned();
        this.ordered = settings.ordered();
    }

    void arrived(EncodedChunk chunk) {
        open.add(chunk);
    }

    void sealed(SealedBatch batch) {
        var chunks = batch.rows().slices().stream().map(Slice::chunk).toList();
        var rows = batch.rows().rows();
        var bytes = batch.rows().byteCount();
        var mostRows = chunks.stream().mapToInt(EncodedChunk::rows).max().orElse(0);
        var mostBytes = chunks.stream().mapToInt(EncodedChunk::byteCount).max().orElse(0);
        if (!planned && (rows - mostRows >= settings.maxRows() || bytes - mostBytes >= settings.maxBytes()))
            throw new Violation("SEAL-2", rows + " rows and " + bytes + " bytes in batch " + batch.id());
        if (batch.reason() == SealReason.LINGER
                && chunks.stream().noneMatch(chunk -> process.now() - chunk.polledNanos() >= settings.lingerNanos()))
            throw new Violation("SEAL-1", "batch " + batch.id() + " is sealed before its linger");
        sequence++;
        for (var chunk : chunks) {
            if (!open.remove(chunk)) throw new Violation("SEAL-4", chunk + " is sealed, and was not open");
            sequenceOf.put(chunk, sequence);
        }
        unsettled.put(sequence, chunks.size());
    }

    void started(ShardCommand.StartAttempt start) {
        for (var slice : start.batch().rows().slices()) {
            var of = sequenceOf.get(slice.chunk());
            if (of == null) continue;
            begun.add(of);
            sequenceOfBatch.put(start.batch().id(), of);
        }
    }

    void settled(EncodedChunk chunk) {
        open.remove(chunk);
        var of = sequenceOf.remove(chunk);
        if (of == null || unsettled.merge(of, -1, Integer::sum) > 0) return;
        unsettled.remove(of);
        begun.remove(of);
        parked.remove(of);
        sequenceOfBatch.values().remove(of);
    }

    void carriedOut(ShardEvent event, ShardView view, boolean finished) {
        if (finished) return;
        var permits = 0;
        for (var held : view.held()) {
            var of = sequenceOfBatch.get(held.batch());
            switch (held.place()) {
                case QUEUE, PERMIT -> permits++;
                case PARKED -> {
                    if (of != null) parked.add(of);
                }
                case RESTING -> {}
            }
        }
        if (ordered) inLanes();
        else inTurn();
        if (event instanceof ShardEvent.DrainBy) draining = true;
        var lanes = new TreeMap<Integer, Open>();
        for (var chunk : open)
            lanes.computeIfAbsent(chunk.target().lane(), _ -> new Open()).add(chunk, process.now());
        var rows = lanes.values().stream().mapToLong(of -> of.rows).sum();
        if (rows != view.openRows()) throw new Violation("SEAL-3", rows + " rows are open, told " + view.openRows());
        if (planned) return;
        for (var of : lanes.values()) of.check(event, view);
        if (!draining || permits >= view.limit()) return;
        // A lane that has a sealed batch may grow on behind it.
        if (ordered) view.held().forEach(held -> lanes.remove(held.lane()));
        if (!lanes.isEmpty()) throw new Violation("SEAL-9", rows + " rows linger in a drain, with a permit free");
    }

    /// What is open in one lane.
    private final class Open {
        long rows;
        long bytes;
        long oldest = Long.MIN_VALUE;

        void add(EncodedChunk chunk, long now) {
            rows += chunk.rows();
            bytes += chunk.byteCount();
            oldest = Math.max(oldest, now - chunk.polledNanos());
        }

        void check(ShardEvent event, ShardView view) {
            if (rows >= settings.maxRows() || bytes >= settings.maxBytes() || oldest >= view.lingerNanos())
                throw new Violation(
                        "SEAL-3", rows + " rows, " + bytes + " bytes, " + oldest + " ns old, are still open");
            var worth = rows * 4 >= settings.maxRows()
                    || bytes * 4 >= settings.maxBytes()
                    || oldest * 2 >= settings.lingerNanos();
            if (event instanceof ShardEvent.Pressure && worth) throw new Violation("SEAL-5", rows + " rows stay open");
        }
    }

    private void inLanes() {
        for (var of : begun)
            for (var before : unsettled.headMap(of).keySet())
                if (!begun.contains(before) && !Collections.disjoint(places(of), places(before)))
                    throw new Violation("SEAL-8", "batch number " + of + " begins before " + before + " of its lane");
    }

    private record Place(int lane, SourcePartition partition) {}

    /// Of what is left of it.
    private Set<Place> places(long number) {
        var places = new HashSet<Place>();
        sequenceOf.forEach((chunk, of) -> {
            if (of == number) places.add(new Place(chunk.target().lane(), chunk.partition()));
        });
        return places;
    }

    private void inTurn() {
        for (var of : begun)
            if (!parked.contains(of)
                    && unsettled.headMap(of).keySet().stream()
                                    .filter(other -> !parked.contains(other))
                                    .count()
                            >= maxInFlight)
                throw new Violation("SEAL-7", "batch number " + of + " begins before " + unsettled.headMap(of));
    }
}
