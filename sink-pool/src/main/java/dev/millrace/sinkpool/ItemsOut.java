package dev.millrace.sinkpool;

import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Which items each chunk holds, for somebody who is told of each item's end.
///
/// Invariant: a chunk is here from before it is handed over until it has ended.
///
/// Thread ownership: shared; a chunk is held by the front's thread, and ended by whoever settles it.
final class ItemsOut<T> {
    private final ItemEndings<T> endings;
    private final Map<EncodedChunk, List<T>> out = new ConcurrentHashMap<>();

    ItemsOut(ItemEndings<T> endings) {
        this.endings = endings;
    }

    /// One item for each row, in their order.
    void hold(EncodedChunk chunk, List<T> items) {
        out.put(chunk, items);
    }

    void refused(RowRef row, Failure why) {
        var items = out.get(row.chunk());
        if (items != null) endings.refused(items.get(row.row()), why);
    }

    /// Never was in a chunk.
    void ended(T item, Fate fate) {
        endings.ended(item, fate);
    }

    /// A chunk tells which of its rows were left out, and of the others only how many ended how: where these ended
    /// differently, each may be stored.
    void ended(EncodedChunk chunk, RowCounts counts) {
        var items = out.remove(chunk);
        if (items == null) return;
        var rejected = new BitSet();
        counts.leftOut().forEach(rejected::set);
        var others = others(counts);
        for (var row = 0; row < items.size(); row++)
            endings.ended(items.get(row), rejected.get(row) ? Fate.REJECTED : others);
    }

    private static Fate others(RowCounts counts) {
        if (counts.abandoned() + counts.inDoubt() == 0) return Fate.WRITTEN;
        return counts.written() + counts.inDoubt() == 0 ? Fate.GIVEN_UP : Fate.IN_DOUBT;
    }
}
