package dev.millrace.lab.clickhouse;

import java.io.IOException;
import java.io.InputStream;

/// A stream that counts what was read from it.
///
/// Thread ownership: the thread that reads it.
final class CountedStream extends InputStream {
    private final InputStream in;
    private long bytes;

    CountedStream(InputStream in) {
        this.in = in;
    }

    long bytes() {
        return bytes;
    }

    @Override
    public int read() throws IOException {
        int next = in.read();
        if (next >= 0) bytes++;
        return next;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        int got = in.read(to, offset, length);
        if (got > 0) bytes += got;
        return got;
    }
}
