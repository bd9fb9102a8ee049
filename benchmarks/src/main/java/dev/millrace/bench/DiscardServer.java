package dev.millrace.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/// An HTTP/1.1 server that reads each request's body to its end, keeps nothing and answers 200: the least that a
/// receiver can cost.
///
/// Thread ownership: a thread for each connection; `told` any.
final class DiscardServer {
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] GO_ON = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int BUFFER = 256 << 10;

    private final ServerSocket listening;
    private final LongAdder requests = new LongAdder();
    private final LongAdder bodyBytes = new LongAdder();

    private DiscardServer(ServerSocket listening) {
        this.listening = listening;
    }

    /// On a free port of 127.0.0.1. It lives as long as its process.
    static DiscardServer start() throws IOException {
        var server = new DiscardServer(new ServerSocket(0, 128, InetAddress.getLoopbackAddress()));
        Thread.ofPlatform().daemon().name("discard-accept").start(server::accept);
        return server;
    }

    int port() {
        return listening.getLocalPort();
    }

    /// Its port, and how many requests and bytes of bodies it has read.
    Words told() {
        return Words.of("port", port(), "requests", requests.sum(), "bytes", bodyBytes.sum());
    }

    private void accept() {
        while (true) {
            try {
                var socket = listening.accept();
                Thread.ofPlatform().daemon().name("discard").start(() -> serve(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket accepted) {
        try (var socket = accepted) {
            socket.setTcpNoDelay(true);
            var in = new BufferedInputStream(socket.getInputStream(), BUFFER);
            var buffer = new byte[BUFFER];
            while (one(in, socket, buffer)) {
                requests.increment();
            }
        } catch (IOException gone) {
            // The other side is done with it.
        }
    }

    /// Returns false at the end of the connection.
    private boolean one(InputStream in, Socket socket, byte[] buffer) throws IOException {
        var line = line(in);
        if (line.isEmpty()) return false;
        var length = 0L;
        var chunked = false;
        while (!line.isEmpty()) {
            line = line(in).toLowerCase(Locale.ROOT);
            if (line.startsWith("content-length:"))
                length = Long.parseLong(line.substring(15).strip());
            if (line.startsWith("transfer-encoding:")) chunked = line.endsWith("chunked");
            if (line.startsWith("expect:")) socket.getOutputStream().write(GO_ON);
        }
        if (chunked) discardChunks(in, buffer);
        else discard(in, length, buffer);
        socket.getOutputStream().write(ANSWER);
        return true;
    }

    private void discardChunks(InputStream in, byte[] buffer) throws IOException {
        for (var size = chunkSize(in); ; size = chunkSize(in)) {
            discard(in, size, buffer);
            line(in);
            if (size == 0) return;
        }
    }

    private static long chunkSize(InputStream in) throws IOException {
        var line = line(in);
        var end = line.indexOf(';');
        return Long.parseLong(end < 0 ? line.strip() : line.substring(0, end).strip(), 16);
    }

    private void discard(InputStream in, long length, byte[] buffer) throws IOException {
        for (var left = length; left > 0; ) {
            var read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (read < 0) throw new EOFException("a body ended " + left + " bytes early");
            left -= read;
            bodyBytes.add(read);
        }
    }

    /// Without its end; empty at the end of the connection, too.
    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (var next = in.read(); next >= 0 && next != '\n'; next = in.read())
            if (next != '\r') line.append((char) next);
        return line.toString();
    }
}
