package dev.millrace.sinkpool;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/// What one slab takes of the heap, measured by making some.
public final class SlabCost {
    private static final int TRIES = 64;

    private SlabCost() {}

    /// Bytes of heap for a slab of `chunk.target_bytes` full of rows of `rowBytes`, after others like it.
    public static long of(int targetBytes, int rowBytes) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var rows = room(targetBytes, targetBytes / rowBytes);
        var least = Long.MAX_VALUE;
        for (var n = 0; n < TRIES; n++) {
            var before = threads.getCurrentThreadAllocatedBytes();
            var slab = new Slab(targetBytes, rows, null);
            var took = threads.getCurrentThreadAllocatedBytes() - before;
            if (slab.remaining() == targetBytes) least = Math.min(least, took);
        }
        return least;
    }

    private static int room(int targetBytes, int rows) {
        var slab = new Slab(targetBytes, 0, null);
        for (var row = 0; row < rows; row++) slab.indexFor(2 * row);
        return slab.index.length / 2;
    }
}
