package dev.millrace.intake;

import dev.millrace.sinkpool.RowBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Encoded rows, one behind the other.
///
/// Thread ownership: the request's thread.
final class RowBytes implements RowBuffer {
    private byte[] bytes;
    private int at;

    /// Room for about so many bytes, and more when they come.
    RowBytes(int about) {
        this.bytes = new byte[Math.max(64, about)];
    }

    int at() {
        return at;
    }

    /// Takes back what was put since.
    void backTo(int before) {
        at = before;
    }

    /// Holds the rows, and nothing behind [#at]. Of one that is put to again, another.
    byte[] array() {
        return bytes;
    }

    @Override
    public void put(byte b) {
        room(1);
        bytes[at++] = b;
    }

    @Override
    public void put(byte[] source, int from, int length) {
        room(length);
        System.arraycopy(source, from, bytes, at, length);
        at += length;
    }

    @Override
    public void putAscii(String text) {
        put(text.getBytes(StandardCharsets.ISO_8859_1), 0, text.length());
    }

    private void room(int more) {
        var needed = Math.addExact(at, more);
        if (needed > bytes.length) bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8L, needed * 2L));
    }
}
