package dev.millrace.sinkpool;

/// Where an encoder puts the bytes of one row. Belongs to the chunk being built, which grows by whole rows only.
public interface RowBuffer {
    void put(byte b);

    void put(byte[] source, int from, int length);

    /// The same, and a newline behind them.
    default void putLine(byte[] source, int from, int length) {
        put(source, from, length);
        put((byte) '\n');
    }

    /// The lowest `bytes` of a number, one to eight, the lowest first.
    default void putLittleEndian(long value, int bytes) {
        for (var i = 0; i < bytes; i++) put((byte) (value >>> (Byte.SIZE * i)));
    }

    /// The characters of `text` as one byte each; for digits, names and punctuation.
    void putAscii(String text);
}
