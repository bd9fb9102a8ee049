package dev.millrace.testkit;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.Ending;
import dev.millrace.sinkpool.RowCounts;
import dev.millrace.sinkpool.RowRef;
import dev.millrace.sinkpool.ShardCommand;
import dev.millrace.sinkpool.ShardCounts;
import java.util.ArrayList;
import java.util.BitSet;
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
    /// An attempt of the rows `[from, to)` of a chunk.
    private record Sent(FakeAttempt attempt, int from, int to) {
        boolean covers(int row) {
            return from <= row && row < to;
        }
    }

    /// A chunk that is not settled: what was sent of it, and what became of its poison rows.
    private static final class Held {
        final List<Sent> sent = new ArrayList<>(2);
        final BitSet letters = new BitSet();
        final BitSet acknowledged = new BitSet();
        final BitSet skipped = new BitSet();
    }

    private final Map<EncodedChunk, Held> held = new HashMap<>();
    private final Map<SourcePartition, Long> ended = new HashMap<>();
    private final long[] rows = new long[ShardShell.PLACES];
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
        if (held.put(chunk, new Held()) != null) throw new IllegalStateException(chunk + " arrives twice");
    }

    void epochEnded(SourcePartition partition, long epoch) {
        ended.merge(partition, epoch, Math::max);
    }

    private boolean stale(EncodedChunk chunk) {
        return chunk.epoch() <= ended.getOrDefault(chunk.partition(), -1L);
    }

    /// CKP-6: nothing of an ended epoch begins, and a batch that nobody waits for is not repeated.
    void started(ShardCommand.StartAttempt start, FakeAttempt attempt) {
        var wanted = false;
        for (var slice : start.batch().rows().slices())
            wanted |= held.containsKey(slice.chunk()) && !stale(slice.chunk());
        if (!wanted) throw new Violation("CKP-6", start.batch() + " is all of ended epochs, and is sent");
        for (var slice : start.rows().slices()) {
            var chunk = slice.chunk();
            var of = held.get(chunk);
            if (of == null) throw new Violation("M1", chunk + " is written after it was settled");
            if (of.sent.isEmpty() && stale(chunk)) throw new Violation("CKP-6", chunk + " of an ended epoch is begun");
            of.sent.add(new Sent(attempt, slice.fromRow(), slice.toRow()));
        }
    }

    void skipped(RowRef row) {
        of(row).skipped.set(row.row());
        world.log.setAside(FakeRows.lifeOf(row), row.offset());
    }

    /// What `counts` leaves out and was not told, since the worker died before it could: skipped, if no letter of it
    /// was acknowledged.
    void skippedUntold(EncodedChunk chunk, RowCounts counts) {
        var of = held.get(chunk);
        if (of == null) return;
        for (var row : counts.leftOut())
            if (!of.skipped.get(row) && !of.acknowledged.get(row)) skipped(new RowRef(chunk, row));
    }

    void sent(RowRef row) {
        if (of(row).letters.get(row.row())) throw new Violation("POI-5", row + " is sent twice");
        of(row).letters.set(row.row());
    }

    /// One that comes after its chunk was given up says nothing any more.
    void acknowledged(RowRef row) {
        var of = held.get(row.chunk());
        if (of != null) of.acknowledged.set(row.row());
    }

    private Held of(RowRef row) {
        var of = held.get(row.chunk());
        if (of == null) throw new Violation("POI-5", row + " is set aside, and its chunk is not held");
        return of;
    }

    /// Returns whether an attempt of it had begun.
    boolean settled(EncodedChunk chunk, RowCounts counts) {
        var of = held.remove(chunk);
        if (of == null) throw new Violation("M1", chunk + " is settled, and is not held");
        if (counts.rows() != chunk.rows()) throw new Violation("M1", chunk + " is settled as " + counts);
        for (var ending : Ending.values()) rows[ShardShell.place(ending)] += counts.of(ending);
        if (!dies
                && (counts.deadLettered() != of.acknowledged.cardinality()
                        || counts.skipped() != of.skipped.cardinality()))
            throw new Violation(
                    "POI-5",
                    chunk + " is settled as " + counts + ", acknowledged are " + of.acknowledged + ", skipped "
                            + of.skipped);
        var landed = 0;
        var clean = 0;
        var unclear = 0;
        for (var row = 0; row < chunk.rows(); row++) {
            if (of.acknowledged.get(row) || of.skipped.get(row)) continue;
            if (counts.written() > 0 && hasLanded(chunk, row)) landed++;
            if (clean(of, row)) clean++;
            if (of.letters.get(row) || unclear(of, row)) unclear++;
        }
        if (counts.written() > landed)
            throw new Violation("O1", chunk + " is settled as " + counts + ", and landed are " + landed);
        if (counts.abandoned() > clean)
            throw new Violation("O9", chunk + " is settled as " + counts + ", surely not stored are " + clean);
        if (!dies && counts.inDoubt() > unclear)
            throw new Violation("O9", chunk + " is settled as " + counts + ", unknown are " + unclear);
        if (counts.abandoned() == chunk.rows() && of.sent.isEmpty()) world.reached(Sometimes.STALE_CHUNK_ARRIVED);
        return !of.sent.isEmpty();
    }

    private static boolean clean(Held of, int row) {
        for (var one : of.sent) if (one.covers(row) && one.attempt.mayHaveStored()) return false;
        return true;
    }

    private static boolean unclear(Held of, int row) {
        for (var one : of.sent) if (one.covers(row) && one.attempt.unclear()) return true;
        return false;
    }

    private boolean hasLanded(EncodedChunk chunk, int row) {
        return world.log.hasLanded(world.log.indexOf(chunk.partition()), chunk.offset(row));
    }

    /// Its worker met an error: all that its machine holds is in doubt, since an attempt may just have begun.
    void dies() {
        dies = true;
    }

    void compare(ShardCounts counts) {
        compare(Ending.WRITTEN, counts.rowsWritten());
        compare(Ending.ABANDONED, counts.rowsAbandoned());
        compare(Ending.IN_DOUBT, counts.rowsInDoubt());
        compare(Ending.DEAD_LETTERED, counts.rowsDeadLettered());
        compare(Ending.SKIPPED, counts.rowsSkipped());
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
