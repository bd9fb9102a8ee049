package dev.millrace.lab.clickhouse;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/// The body of one request as it comes over the wire, without the framing of its chunks.
///
/// Ends where the request does; a connection that ends before it, or a size that is none, breaks it.
///
/// Thread ownership: the thread that serves the connection.
final class WireBody extends InputStream {
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int MOST_LINE = 4096;

    private final InputStream in;
    private final OutputStream toClient;
    private final boolean chunked;
    private boolean awaitsContinue;

    /// Of the body, or of the chunk under way.
    private long left;

    private boolean ended;
    private boolean firstChunk = true;
    private long bytes;
    private long cutAfter = Long.MAX_VALUE;

    private WireBody(InputStream in, OutputStream toClient, boolean chunked, long left, boolean awaitsContinue) {
        this.in = in;
        this.toClient = toClient;
        this.chunked = chunked;
        this.left = left;
        this.awaitsContinue = awaitsContinue;
        this.ended = !chunked && left == 0;
    }

    static WireBody of(RequestHead head, InputStream in, OutputStream toClient) throws IOException {
        boolean awaits = head.header("expect").equalsIgnoreCase("100-continue");
        if (head.header("transfer-encoding").equalsIgnoreCase("chunked"))
            return new WireBody(in, toClient, true, 0, awaits);
        String length = head.header("content-length");
        try {
            return new WireBody(in, toClient, false, length.isEmpty() ? 0 : Long.parseLong(length), awaits);
        } catch (NumberFormatException failure) {
            throw new IOException("no length of a body: " + length, failure);
        }
    }

    /// The front was told to cut the connection here.
    static final class CutHere extends IOException {
        private static final long serialVersionUID = 1;
    }

    /// Reading more than so many bytes throws [CutHere].
    void cutAfter(long most) {
        cutAfter = most;
    }

    /// How many have been read.
    long bytes() {
        return bytes;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, to.length);
        if (bytes >= cutAfter) throw new CutHere();
        if (ended) return -1;
        if (length == 0) return 0;
        if (awaitsContinue) proceed();
        if (chunked && left == 0 && !nextChunk()) return -1;
        int got = in.read(to, offset, (int) Math.min(Math.min(length, left), cutAfter - bytes));
        if (got < 0) throw new EOFException("the body broke off after " + bytes + " bytes");
        left -= got;
        bytes += got;
        if (!chunked && left == 0) ended = true;
        return got;
    }

    private void proceed() throws IOException {
        awaitsContinue = false;
        toClient.write(CONTINUE);
        toClient.flush();
    }

    // A chunk's bytes end with an empty line, the last chunk with the trailer and an empty line.
    private boolean nextChunk() throws IOException {
        if (!firstChunk && !line().isEmpty()) throw new IOException("a chunk is longer than it said");
        firstChunk = false;
        String size = line().split(";", 2)[0].strip();
        try {
            left = Long.parseLong(size, 16);
        } catch (NumberFormatException failure) {
            throw new IOException("no size of a chunk: " + size, failure);
        }
        if (left > 0) return true;
        while (!line().isEmpty()) {
            // A trailer says nothing to us.
        }
        ended = true;
        return false;
    }

    private String line() throws IOException {
        String line = RequestHead.line(in, MOST_LINE);
        if (line == null) throw new EOFException("the body broke off after " + bytes + " bytes");
        return line;
    }

    /// Reads what is left of it.
    void drain() throws IOException {
        transferTo(OutputStream.nullOutputStream());
    }
}
