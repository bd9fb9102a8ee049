package dev.millrace.sinkpool;

import dev.millrace.checkpoint.SourcePartition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// An intake that keeps what it takes in memory, and settles it when told to. It stands in this
/// package because only a pool may settle a chunk.
///
/// Thread ownership: shared.
public final class MemoryIntake implements Intake {
    /// One row as the sink would have it.
    public record Row(SourcePartition partition, long offset, String text) {}

    /// What one offer of a segment had: all its rows for this target.
    public record Offered(Target target, SourcePartition partition, PlannedSegment segment, List<Long> offsets) {}

    private final AdmissionBudget budget;
    private AdmissionBudget share;
    private final List<Offered> segments = new ArrayList<>();
    private final List<EncodedChunk> held = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private final Map<Target, Boolean> refusing = new HashMap<>();
    private final List<String> calls = new ArrayList<>();
    private Runnable atEnd = () -> {};
    private boolean holding;
    private int offers;
    private int pressures;

    public MemoryIntake() {
        this(new AdmissionBudget(1_000_000, 256L << 20, 0.6));
    }

    public MemoryIntake(AdmissionBudget budget) {
        this.budget = budget;
        this.share = budget;
    }

    /// What is for its targets counts in half of the budget.
    public synchronized MemoryIntake halved() {
        share = budget.half();
        return this;
    }

    @Override
    public synchronized AdmissionBudget budget(Target target) {
        return share;
    }

    /// From now on chunks are kept unsettled.
    public synchronized MemoryIntake hold() {
        holding = true;
        return this;
    }

    /// Settles what is held as written, and everything that comes.
    public synchronized void letGo() {
        holding = false;
        settleHeld(Ending.WRITTEN);
    }

    public synchronized void settleHeld(Ending ending) {
        for (var chunk : held) settle(chunk, ending);
        held.clear();
    }

    /// Settles the held chunk at `index`, in order of arrival.
    public synchronized void settleOne(int index, Ending ending) {
        settle(held.remove(index), ending);
    }

    /// The same, where some of its rows are written and these, by their place, are dead-lettered.
    public synchronized void settleOne(int index, Integer... deadLettered) {
        var chunk = held.remove(index);
        var dead = List.of(deadLettered);
        for (var i = 0; i < chunk.rows(); i++) if (!dead.contains(i)) rows.add(row(chunk, i));
        chunk.settle(new RowCounts(chunk.rows() - dead.size(), dead.size(), 0, 0, 0, dead));
        notifyAll();
    }

    private static Row row(EncodedChunk chunk, int i) {
        var text = new String(chunk.array(), chunk.start(i), chunk.end(i) - chunk.start(i), StandardCharsets.UTF_8);
        return new Row(chunk.partition(), chunk.offset(i), text);
    }

    public synchronized void refuse(Target target, boolean refused) {
        refusing.put(target, refused);
    }

    @Override
    public synchronized boolean offer(Target target, List<EncodedChunk> chunks) {
        if (!hasRoom(target)) return false;
        offers++;
        if (chunks.getFirst().segment() != null) segments.add(segment(target, chunks));
        for (var chunk : chunks) {
            if (!chunk.target().equals(target)) throw new IllegalStateException(chunk + " is not for " + target);
            if (holding) held.add(chunk);
            else settle(chunk, Ending.WRITTEN);
        }
        return true;
    }

    private static Offered segment(Target target, List<EncodedChunk> chunks) {
        var offsets = new ArrayList<Long>();
        var of = chunks.getFirst().segment();
        if (of == null) throw new IllegalStateException("of no segment");
        for (var chunk : chunks) {
            if (!of.equals(chunk.segment())) throw new IllegalStateException(chunk + " is of another segment");
            if (chunk.endsSegment() != (chunk == chunks.getLast()))
                throw new IllegalStateException(chunk + " does not end its segment, or ends it early");
            for (var i = 0; i < chunk.rows(); i++) offsets.add(chunk.offset(i));
        }
        return new Offered(target, chunks.getFirst().partition(), of, offsets);
    }

    /// The segments that were offered, in order; of each what is for one target.
    public synchronized List<Offered> segments() {
        return List.copyOf(segments);
    }

    private void settle(EncodedChunk chunk, Ending ending) {
        if (ending == Ending.WRITTEN) {
            for (var i = 0; i < chunk.rows(); i++) rows.add(row(chunk, i));
        }
        chunk.settle(ending);
        notifyAll();
    }

    @Override
    public synchronized boolean hasRoom(Target target) {
        return !refusing.getOrDefault(target, false);
    }

    @Override
    public AdmissionBudget budget() {
        return budget;
    }

    @Override
    public synchronized void pressure() {
        pressures++;
    }

    @Override
    public synchronized void revoking(SourcePartition partition, long epoch) {
        calls.add("revoking " + partition + " " + epoch);
    }

    @Override
    public synchronized void splitMarked(SourcePartition partition, long epoch, long from) {
        calls.add("marked " + partition + " " + epoch + " " + from);
    }

    @Override
    public void epochEnded(SourcePartition partition, long epoch) {
        atEnd().run();
        synchronized (this) {
            calls.add("ended " + partition + " " + epoch);
        }
    }

    private synchronized Runnable atEnd() {
        return atEnd;
    }

    /// What the source thread does first when an epoch ends, inside the client's callback.
    public synchronized void atEnd(Runnable first) {
        atEnd = first;
    }

    public synchronized List<Row> rows() {
        return List.copyOf(rows);
    }

    /// How often each (topic-partition, offset) was written.
    public synchronized Map<String, Integer> writes() {
        var writes = new TreeMap<String, Integer>();
        for (var row : rows) writes.merge(row.partition() + "@" + row.offset(), 1, Integer::sum);
        return writes;
    }

    /// The held chunk at `index`, in order of arrival.
    public synchronized EncodedChunk held(int index) {
        return held.get(index);
    }

    public synchronized int heldChunks() {
        return held.size();
    }

    public synchronized long heldRows() {
        return held.stream().mapToLong(EncodedChunk::rows).sum();
    }

    public synchronized int offers() {
        return offers;
    }

    public synchronized int pressures() {
        return pressures;
    }

    public synchronized List<String> calls() {
        return List.copyOf(calls);
    }
}
