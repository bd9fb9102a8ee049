package dev.millrace.testkit;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.Ending;
import dev.millrace.sinkpool.ShardCounts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// M1: a chunk that arrived is settled once, and as written only when its rows have landed. O9: what is abandoned was
/// not stored by this run, what is in doubt may have been, and the counts are the truth.
///
/// Thread ownership: the run.
final class ChunkOracle {
    private final PipelineProcess process;
    private final World world;
    private final Map<EncodedChunk, List<FakeAttempt>> held = new HashMap<>();
    private final Map<SourcePartition, Long> ended = new HashMap<>();
    private final long[] rows = new long[ShardShell.ABANDONED + 1];
    private boolean dies;

    ChunkOracle(PipelineProcess process) {
        this.process = process;
        this.world = process.world;
    }

    void offered(EncodedChunk chunk) {
        // More rows than a poll gives come from more than one.
        if (chunk.rows() > process.source.polled()) world.reached(Sometimes.CHUNK_SPANS_RANGES);
    }

    void arrived(EncodedChunk chunk) {
        if (held.put(chunk, new ArrayList<>(2)) != null) throw new IllegalStateException(chunk + " arrives twice");
    }

    void epochEnded(SourcePartition partition, long epoch) {
        ended.merge(partition, epoch, Math::max);
    }

    private boolean stale(EncodedChunk chunk) {
        return chunk.epoch() <= ended.getOrDefault(chunk.partition(), -1L);
    }

    /// CKP-6: nothing of an ended epoch begins, and a batch that nobody waits for is not repeated.
    void started(List<EncodedChunk> chunks, FakeAttempt attempt) {
        if (chunks.stream().allMatch(this::stale))
            throw new Violation("CKP-6", chunks + " are all of ended epochs, and are sent");
        for (var chunk : chunks) {
            var attempts = held.get(chunk);
            if (attempts == null) throw new Violation("M1", chunk + " is written after it was settled");
            if (attempts.isEmpty() && stale(chunk)) throw new Violation("CKP-6", chunk + " of an ended epoch is begun");
            attempts.add(attempt);
        }
    }

    /// Returns whether an attempt of it had begun.
    boolean settled(EncodedChunk chunk, Ending ending) {
        var attempts = held.remove(chunk);
        if (attempts == null) throw new Violation("M1", chunk + " is settled, and is not held");
        rows[ShardShell.place(ending)] += chunk.rows();
        switch (ending) {
            case WRITTEN -> written(chunk);
            case ABANDONED -> {
                if (attempts.stream().anyMatch(FakeAttempt::mayHaveStored))
                    throw new Violation("O9", chunk + " is abandoned, and may be stored");
                if (attempts.isEmpty()) world.reached(Sometimes.STALE_CHUNK_ARRIVED);
            }
            case IN_DOUBT -> {
                if (!dies && attempts.stream().noneMatch(FakeAttempt::unclear))
                    throw new Violation("O9", chunk + " is in doubt, and no attempt ended unknown");
            }
        }
        return !attempts.isEmpty();
    }

    private void written(EncodedChunk chunk) {
        var p = world.log.indexOf(chunk.partition());
        for (var i = 0; i < chunk.rows(); i++)
            if (!world.log.hasLanded(p, chunk.offset(i)))
                throw new Violation("O1", chunk + " is settled as written, and " + chunk.offset(i) + " has not landed");
    }

    /// Its worker met an error: all that its machine holds is in doubt, since an attempt may just have begun.
    void dies() {
        dies = true;
    }

    void compare(ShardCounts counts) {
        compare(Ending.WRITTEN, counts.rowsWritten());
        compare(Ending.ABANDONED, counts.rowsAbandoned());
        compare(Ending.IN_DOUBT, counts.rowsInDoubt());
    }

    private void compare(Ending ending, long counted) {
        var truth = rows[ShardShell.place(ending)];
        if (truth != counted) throw new Violation("O9", truth + " rows are " + ending + ", counted " + counted);
    }

    void finished() {
        if (!held.isEmpty()) throw new Violation("O9", "finished, and holds " + held.keySet());
    }

    /// What is said to be held is what arrived and was not settled.
    void died(List<EncodedChunk> unsettled) {
        Set<EncodedChunk> said = new HashSet<>();
        said.addAll(unsettled);
        if (said.size() != held.size() || !said.containsAll(held.keySet()))
            throw new Violation("M1", "said to be held " + said + ", and is " + held.keySet());
    }
}
