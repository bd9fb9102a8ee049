package dev.millrace.sinkpool;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/// Rows that are written together, ordered by (topic, partition, epoch, offset). A view: no byte is
/// copied, and a part of it is made as cheaply.
public record BatchRows(List<Slice> slices, int rows, long byteCount) {
    public BatchRows {
        slices = List.copyOf(slices);
        if (slices.isEmpty()) throw new IllegalArgumentException("an empty batch is never made");
    }

    /// Whole chunks, whatever order they came in (SEAL-6).
    public static BatchRows of(List<EncodedChunk> chunks) {
        var order = new ArrayList<>(chunks);
        order.sort(Comparator.comparing(EncodedChunk::partition)
                .thenComparingLong(EncodedChunk::epoch)
                .thenComparingLong(chunk -> chunk.offset(0)));
        return ofSlices(
                order.stream().map(chunk -> new Slice(chunk, 0, chunk.rows())).toList());
    }

    private static BatchRows ofSlices(List<Slice> slices) {
        var rows = 0;
        var bytes = 0L;
        for (var slice : slices) {
            rows = Math.addExact(rows, slice.rows());
            bytes += slice.byteCount();
        }
        return new BatchRows(slices, rows, bytes);
    }

    /// The rows `[fromRow, toRow)`, in the same order: a half of a bisection, or one row.
    public BatchRows part(int fromRow, int toRow) {
        if (fromRow < 0 || toRow <= fromRow || toRow > rows)
            throw new IllegalArgumentException("rows [" + fromRow + ", " + toRow + ") of " + rows);
        var out = new ArrayList<Slice>();
        var at = 0;
        for (var slice : slices) {
            var low = Math.max(fromRow - at, 0);
            var high = Math.min(toRow - at, slice.rows());
            if (low < high) out.add(new Slice(slice.chunk(), slice.fromRow() + low, slice.fromRow() + high));
            at += slice.rows();
        }
        return ofSlices(out);
    }

    /// The rows whose numbers are set, in the same order. There must be one.
    public BatchRows only(BitSet wanted) {
        var out = new ArrayList<Slice>();
        var at = 0;
        for (var slice : slices) {
            var end = at + slice.rows();
            for (var from = wanted.nextSetBit(at); from >= 0 && from < end; ) {
                var to = Math.min(end, wanted.nextClearBit(from));
                out.add(new Slice(slice.chunk(), slice.fromRow() + from - at, slice.fromRow() + to - at));
                from = wanted.nextSetBit(to);
            }
            at = end;
        }
        return ofSlices(out);
    }

    /// An attempt is given these. Their bytes stay as they are until it tells that it has ended, with
    /// [#readNoMore], and for ever if it never does (WRT-9).
    public void reading() {
        for (var slice : slices) slice.chunk().reading();
    }

    /// Once for each [#reading].
    public void readNoMore() {
        for (var slice : slices) slice.chunk().readNoMore();
    }

    /// The bytes, as read-only views in order, for a gathering write.
    public ByteBuffer[] gather() {
        var out = new ByteBuffer[slices.size()];
        for (var i = 0; i < out.length; i++) {
            var slice = slices.get(i);
            out[i] = ByteBuffer.wrap(slice.chunk().array(), slice.chunk().start(slice.fromRow()), slice.byteCount())
                    .asReadOnlyBuffer();
        }
        return out;
    }
}
