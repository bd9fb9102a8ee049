package dev.millrace.sinkpool;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/// What one slab takes of the heap, measured by making some.
public final class SlabCost {
    private static final int TRIES = 64;

    private SlabCost() {}

    /// Bytes of heap for a slab of `chunk.target_bytes`.
    public static long of(int targetBytes) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var least = Long.MAX_VALUE;
        for (var n = 0; n < TRIES; n++) {
            var before = threads.getCurrentThreadAllocatedBytes();
            var slab = new Slab(targetBytes);
            var took = threads.getCurrentThreadAllocatedBytes() - before;
            if (slab.remaining() == targetBytes) least = Math.min(least, took);
        }
        return least;
    }
}
