package dev.millrace.lab.http;

import dev.millrace.lab.LabException;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/// A server of HTTP/1.1 at an address of this machine. Each request takes the next turn that was given, or
/// the one that always serves.
///
/// Thread ownership: any thread.
public final class HttpFront implements Closeable {
    /// Answers one request, and may break the line. After it the connection serves the next. What it throws
    /// ends the connection, and is told by [#failures].
    @FunctionalInterface
    public interface Turn {
        void take(HttpLine line) throws Exception;
    }

    private final ServerSocket server;
    private final String scheme;
    private volatile Turn always;
    private final ConcurrentLinkedQueue<Turn> turns = new ConcurrentLinkedQueue<>();
    private final List<HttpLine.Request> requests = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();

    private HttpFront(ServerSocket server, String scheme, Turn always) {
        this.server = server;
        this.scheme = scheme;
        this.always = always;
        Thread.ofVirtual().start(this::accept);
    }

    /// In the clear. `always` serves what no turn is left for.
    public static HttpFront launch(Turn always) {
        try {
            return over(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), "http", always);
        } catch (IOException failure) {
            throw new LabException("no port to listen at", failure);
        }
    }

    /// At a socket that listens, of this scheme.
    public static HttpFront over(ServerSocket server, String scheme, Turn always) {
        return new HttpFront(server, scheme, always);
    }

    /// Of the next requests, one each, in this order.
    public HttpFront next(Turn... more) {
        turns.addAll(List.of(more));
        return this;
    }

    /// From now on, with no turn left of those before.
    public HttpFront always(Turn other) {
        turns.clear();
        always = other;
        return this;
    }

    public URI uri() {
        return URI.create(scheme + "://localhost:" + server.getLocalPort() + "/rows");
    }

    /// Those that came whole, in the order in which they did.
    public List<HttpLine.Request> requests() {
        synchronized (requests) {
            return List.copyOf(requests);
        }
    }

    /// What turns threw, but for lines that were cut.
    public List<Throwable> failures() {
        synchronized (failures) {
            return List.copyOf(failures);
        }
    }

    /// How many were accepted.
    public int connections() {
        return connections.get();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var socket = server.accept();
                connections.incrementAndGet();
                open.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException _) {
                // It was closed, or a handshake failed.
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var line = new HttpLine(socket, new BufferedInputStream(socket.getInputStream()), this::came);
            while (line.begin()) {
                var turn = turns.poll();
                (turn == null ? always : turn).take(line);
            }
        } catch (IOException _) {
            // It was cut.
        } catch (Exception | AssertionError failure) {
            synchronized (failures) {
                failures.add(failure);
            }
        } finally {
            open.remove(socket);
        }
    }

    private void came(HttpLine.Request request) {
        synchronized (requests) {
            requests.add(request);
        }
    }

    /// Nobody listens there any more, and every connection is cut.
    @Override
    public void close() {
        try {
            server.close();
            for (var socket : open) socket.close();
        } catch (IOException failure) {
            throw new LabException("it could not be closed", failure);
        }
    }
}
