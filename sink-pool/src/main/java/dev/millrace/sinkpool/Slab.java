package dev.millrace.sinkpool;

import java.util.Arrays;

/// A stretch of memory that chunks of one target are cut from, one after the other. What a chunk took is never
/// written again, so an attempt that outlived its batch may go on reading it (WRT-9).
///
/// `index` holds two numbers a row: its end in `bytes`, and its offset less its chunk's first. It grows with the rows,
/// since rows of a kilobyte need a fiftieth of what the shortest rows do; a chunk keeps the one it was made with.
///
/// Thread ownership: the source thread, for what no chunk has taken yet.
final class Slab {
    /// Rows shorter than this end a slab by its index before its bytes are full.
    private static final int BYTES_PER_ROW = 48;

    private static final int LEAST_ROWS = 64;

    final byte[] bytes;
    int[] index;
    int at;
    int indexAt;
    private final int mostRows;

    /// The index has room for `rows` at first.
    Slab(int size, int rows) {
        bytes = new byte[size];
        mostRows = Math.max(LEAST_ROWS, size / BYTES_PER_ROW);
        index = new int[2 * Math.clamp(rows, LEAST_ROWS, mostRows)];
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
