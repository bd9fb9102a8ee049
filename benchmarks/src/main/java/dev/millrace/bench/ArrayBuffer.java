package dev.millrace.bench;

import dev.millrace.sinkpool.RowBuffer;

/// One row in an array of its own.
///
/// Thread ownership: one caller.
final class ArrayBuffer implements RowBuffer {
    private final byte[] bytes;
    private int at;

    ArrayBuffer(int room) {
        this.bytes = new byte[room];
    }

    void clear() {
        at = 0;
    }

    @Override
    public void put(byte b) {
        bytes[at++] = b;
    }

    @Override
    public void put(byte[] source, int from, int length) {
        System.arraycopy(source, from, bytes, at, length);
        at += length;
    }

    @Override
    public void putAscii(String text) {
        for (var i = 0; i < text.length(); i++) bytes[at++] = (byte) text.charAt(i);
    }
}
