package dev.millrace.sinkpool;

import dev.millrace.checkpoint.SourcePartition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// The batches of segments: one for each segment, whole when its last chunk is there.
///
/// Which rows are in a batch was settled before the first of them was sent, and nothing here may
/// change that: no linger, no pressure and no threshold seals less.
///
/// Thread ownership: the shard machine that created it.
final class PlannedComposition implements Composition {
    private record Stretch(SourcePartition partition, long epoch) {}

    private final Map<Stretch, List<EncodedChunk>> open = new LinkedHashMap<>();
    private long rows;

    @Override
    public void add(EncodedChunk chunk, List<Sealing> sealed) {
        var of = new Stretch(chunk.partition(), chunk.epoch());
        var chunks = open.computeIfAbsent(of, _ -> new ArrayList<>());
        var segment = chunk.segment();
        if (segment == null) throw new IllegalArgumentException(chunk + " is of no segment");
        if (!chunks.isEmpty() && !segment.equals(chunks.getFirst().segment()))
            throw new IllegalStateException(chunk + " came before " + chunks.getFirst() + " was whole");
        chunks.add(chunk);
        rows += chunk.rows();
        if (!chunk.endsSegment()) return;
        open.remove(of);
        for (var one : chunks) rows -= one.rows();
        sealed.add(new Sealing(chunks, SealReason.SEGMENT));
    }

    @Override
    public void sealDue(long lingerNanos, long nowNanos, List<Sealing> sealed) {}

    @Override
    public void sealUnderPressure(long nowNanos, List<Sealing> sealed) {}

    @Override
    public void sealIf(Predicate<EncodedChunk> which, SealReason reason, List<Sealing> sealed) {}

    @Override
    public List<EncodedChunk> takeOut(Predicate<EncodedChunk> which) {
        var out = new ArrayList<EncodedChunk>();
        for (var chunks : open.values()) {
            for (var chunk : chunks) if (which.test(chunk)) out.add(chunk);
            chunks.removeIf(which);
        }
        open.values().removeIf(List::isEmpty);
        for (var chunk : out) rows -= chunk.rows();
        return out;
    }

    @Override
    public boolean isEmpty() {
        return open.isEmpty();
    }

    @Override
    public long rows() {
        return rows;
    }

    @Override
    public long wakeAtNanos(long lingerNanos) {
        return NanoClock.NEVER;
    }
}
