package dev.millrace.sinkpool;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A stretch of memory that chunks of one target are cut from, one after the other. What a chunk took is not written
/// again before the chunk is written and each attempt that was given it has ended, so one that outlived its batch may
/// go on reading it (WRT-9).
///
/// Its users are who fills it, and each chunk until nobody reads that.
///
/// `index` holds two numbers a row: its end in `bytes`, and its offset less its chunk's first. It grows with the rows,
/// since rows of a kilobyte need a fiftieth of what the shortest rows do; a chunk keeps the one it was made with.
///
/// Thread ownership: the source thread, for what no chunk has taken yet; users leave from any.
final class Slab {
    /// Rows shorter than this end a slab by its index before its bytes are full.
    private static final int BYTES_PER_ROW = 48;

    private static final int LEAST_ROWS = 64;

    final byte[] bytes;
    int[] index;
    int at;
    int indexAt;
    private final int mostRows;
    private final @Nullable SlabPool pool;
    private final AtomicInteger users = new AtomicInteger();

    /// The index has room for `rows` at first. With its last user it goes to `pool`, if there is one.
    Slab(int size, int rows, @Nullable SlabPool pool) {
        this.pool = pool;
        bytes = new byte[size];
        mostRows = Math.max(LEAST_ROWS, size / BYTES_PER_ROW);
        index = new int[2 * Math.clamp(rows, LEAST_ROWS, mostRows)];
    }

    /// Somebody more uses it.
    void used() {
        users.incrementAndGet();
    }

    /// One user is gone.
    void left() {
        if (users.decrementAndGet() == 0 && pool != null) pool.give(this);
    }

    int remaining() {
        return bytes.length - at;
    }

    int rowsRemaining() {
        return mostRows - indexAt / 2;
    }

    /// The index, with room for a row at `place` if it may hold one.
    int[] indexFor(int place) {
        if (place == index.length) index = Arrays.copyOf(index, 2 * Math.min(index.length, mostRows));
        return index;
    }

    /// Whether it may hold no row at `place`.
    boolean full(int place) {
        return place >= 2 * mostRows;
    }
}
