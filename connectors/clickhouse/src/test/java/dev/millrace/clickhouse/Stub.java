package dev.millrace.clickhouse;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// What stands at a replica's address, on a real socket: it answers as it is told to, well or ill.
///
/// A question of the preflight's is answered as a server of today does. Every other request takes the
/// next turn; the last one stays.
final class Stub implements Closeable {
    /// Answers one request, and may break the line. After it the connection serves the next.
    @FunctionalInterface
    interface Turn {
        void take(Line line) throws Exception;
    }

    record Request(String target, Map<String, String> headers, String latin1) {
        byte[] body() {
            return latin1.getBytes(StandardCharsets.ISO_8859_1);
        }

        String text() {
            return new String(body(), StandardCharsets.UTF_8);
        }

        /// The settings in the URL, decoded.
        Map<String, String> query() {
            var out = new LinkedHashMap<String, String>();
            for (var pair : target.substring(target.indexOf('?') + 1).split("&", -1)) {
                var equals = pair.indexOf('=');
                out.put(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
            }
            return out;
        }

        private static String decoded(String text) {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        }
    }

    static final String CLICKHOUSE = "X-ClickHouse-Query-Id: 1\r\n";

    private final ServerSocket server;
    private final String scheme;
    private final Queue<Turn> turns = new ArrayDeque<>();
    private final List<Request> requests = new ArrayList<>();
    private final List<Socket> open = new ArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private String version = "26.7.2.1";
    private List<String> unknown = List.of();
    private String engine = "ReplicatedMergeTree";
    private List<String> columns = List.of();

    private Stub(ServerSocket server, String scheme) {
        this.server = server;
        this.scheme = scheme;
        Thread.ofVirtual().start(this::accept);
    }

    static Stub listen(Turn... turns) throws IOException {
        return over(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), "http", turns);
    }

    static Stub over(ServerSocket server, String scheme, Turn... turns) {
        var stub = new Stub(server, scheme);
        stub.next(turns);
        return stub;
    }

    /// An address where nobody listens.
    static URI nobody() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return URI.create("http://127.0.0.1:" + socket.getLocalPort());
        }
    }

    synchronized void next(Turn... more) {
        turns.addAll(List.of(more));
    }

    synchronized Stub ofVersion(String version, String... unknown) {
        this.version = version;
        this.unknown = List.of(unknown);
        return this;
    }

    /// A column as `name`, tab, kind of default, tab, type.
    synchronized Stub ofTable(String itsEngine, String... itsColumns) {
        engine = itsEngine;
        columns = List.of(itsColumns);
        return this;
    }

    URI uri() {
        return URI.create(scheme + "://localhost:" + server.getLocalPort());
    }

    synchronized List<Request> requests() {
        return List.copyOf(requests);
    }

    Request only() {
        var all = requests();
        if (all.size() != 1) throw new AssertionError(all.size() + " requests");
        return all.getFirst();
    }

    int connections() {
        return connections.get();
    }

    static Turn ok() {
        return answer("200 OK", CLICKHOUSE, "");
    }

    static Turn answer(String status, String headers, String body) {
        return line -> {
            line.read();
            line.say("HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: "
                    + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body);
        };
    }

    /// An exception as a server tells it.
    static Turn exception(String status, int code, String text) {
        return answer(
                status,
                CLICKHOUSE + "X-ClickHouse-Exception-Code: " + code + "\r\n",
                "Code: " + code + ". DB::Exception: " + text + "\n");
    }

    private void accept() {
        while (true) {
            try {
                var socket = server.accept();
                connections.incrementAndGet();
                synchronized (this) {
                    open.add(socket);
                }
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException _) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var line = new Line(socket, new BufferedInputStream(socket.getInputStream()));
            while (line.begin()) {
                if (line.preflight()) line.say(described(line.read()));
                else turn().take(line);
            }
        } catch (IOException _) {
            // It was cut.
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    private synchronized Turn turn() {
        return turns.size() > 1 ? turns.remove() : turns.element();
    }

    private String described(Request question) {
        var body = new StringBuilder("version\t" + version + "\nengine\t" + engine
                + "\nwindow\t\nplain\t0\nshared\t10000\nshared_seconds\t3600\n");
        for (var name : InsertSettings.asked()) if (!unknown.contains(name)) body.append("setting\t" + name + "\n");
        for (var column : columns) body.append("column\t" + column + "\n");
        synchronized (this) {
            requests.remove(question);
        }
        return "HTTP/1.1 200 OK\r\n" + CLICKHOUSE + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    @Override
    public synchronized void close() throws IOException {
        server.close();
        for (var socket : open) socket.close();
    }

    /// One connection, at one request.
    final class Line {
        private final Socket socket;
        private final InputStream in;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private String target = "";

        Line(Socket socket, InputStream in) {
            this.socket = socket;
            this.in = in;
        }

        private boolean begin() throws IOException {
            var first = readLine();
            if (first == null) return false;
            target = first.split(" ", -1)[1];
            headers.clear();
            for (var header = readLine(); header != null && !header.isEmpty(); header = readLine()) {
                var colon = header.indexOf(':');
                headers.put(
                        header.substring(0, colon).toLowerCase(Locale.ROOT),
                        header.substring(colon + 1).strip());
            }
            return true;
        }

        private boolean preflight() {
            return target.contains("default_format=TSVRaw");
        }

        /// The whole request.
        Request read() throws IOException {
            var body = new ByteArrayOutputStream();
            if (headers.containsKey("transfer-encoding")) readChunks(body);
            else body.write(exactly(Integer.parseInt(headers.getOrDefault("content-length", "0"))));
            var request = new Request(target, Map.copyOf(headers), body.toString(StandardCharsets.ISO_8859_1));
            synchronized (Stub.this) {
                requests.add(request);
            }
            return request;
        }

        private void readChunks(ByteArrayOutputStream to) throws IOException {
            while (true) {
                var line = readLine();
                if (line == null) throw new IOException("cut in the middle");
                var length = Integer.parseInt(line, 16);
                to.write(exactly(length));
                readLine();
                if (length == 0) return;
            }
        }

        byte[] exactly(int length) throws IOException {
            var bytes = in.readNBytes(length);
            if (bytes.length < length) throw new IOException("cut in the middle");
            return bytes;
        }

        private @Nullable String readLine() throws IOException {
            var out = new ByteArrayOutputStream();
            for (var b = in.read(); b != '\n'; b = in.read()) {
                if (b < 0) return null;
                out.write(b);
            }
            return out.toString(StandardCharsets.ISO_8859_1).stripTrailing();
        }

        void say(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().flush();
        }

        void cut() throws IOException {
            socket.close();
        }

        /// With a reset instead of an end.
        void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }

        /// Returns when the other side has closed the connection.
        void untilClosed() {
            try {
                while (in.read() >= 0) {}
            } catch (IOException _) {
                // By a reset.
            }
        }

        Socket socket() {
            return socket;
        }
    }
}
