package dev.millrace.sinkpool;

/// A stretch of memory that chunks of one target are cut from, one after the other. What a chunk took is never
/// written again, so an attempt that outlived its batch may go on reading it (WRT-9).
///
/// `index` holds two numbers a row: its end in `bytes`, and its offset less its chunk's first.
///
/// Thread ownership: the source thread, for what no chunk has taken yet.
final class Slab {
    /// Rows shorter than this end a slab by its index before its bytes are full.
    private static final int BYTES_PER_ROW = 48;

    final byte[] bytes;
    final int[] index;
    int at;
    int indexAt;

    Slab(int size) {
        bytes = new byte[size];
        index = new int[2 * Math.max(64, size / BYTES_PER_ROW)];
    }

    int remaining() {
        return bytes.length - at;
    }

    int rowsRemaining() {
        return (index.length - indexAt) / 2;
    }
}
