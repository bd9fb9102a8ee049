package dev.millrace.sinkpool;

/// Where an encoder puts the bytes of one row. Belongs to the chunk being built, which grows by whole rows only.
public interface RowBuffer {
    void put(byte b);

    void put(byte[] source, int from, int length);

    /// The characters of `text` as one byte each; for digits, names and punctuation.
    void putAscii(String text);
}
