package dev.millrace.intake;

import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.Router;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// An intake on a real port over sinks in memory, and who posts to it.
///
/// The encoder refuses a value with the word `poisoned`, knows none with the word `later` for now, and breaks at one
/// with the word `broken`.
final class Listening implements AutoCloseable {
    static final Duration LONG = Duration.ofSeconds(30);

    final FakeInlet store;
    final IntakeServer server;
    volatile Gate.Claim claim = Gate.Claim.HOLDS;
    volatile boolean paused;
    private final HttpClient client = HttpClient.newHttpClient();

    Listening(FakeInlet store) throws IOException {
        this(store, UnaryOperator.identity(), List.of());
    }

    Listening(FakeInlet store, UnaryOperator<IntakeSettings> changed, List<IntakeSink> more) throws IOException {
        this.store = store;
        var settings = new IntakeSettings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                List.of("orders", "payments"),
                1000,
                4,
                5_000_000_000L,
                true,
                null);
        var sinks = new ArrayList<>(List.of(sink("store", store)));
        sinks.addAll(more);
        server = IntakeServer.start(changed.apply(settings), sinks, new TestGate(), NanoClock.SYSTEM);
    }

    static IntakeSettings with(IntakeSettings from, int maxBody, int maxRequests, long waitNanos) {
        return new IntakeSettings(
                from.listen(), from.topics(), maxBody, maxRequests, waitNanos, from.json(), from.tls());
    }

    static IntakeSink sink(String name, Inlet inlet) {
        return new IntakeSink(
                name,
                topic -> true,
                Encoder::new,
                new Keyed(),
                List.of("s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"),
                inlet);
    }

    private final class TestGate implements Gate {
        @Override
        public Claim check(@Nullable String authorization) {
            return claim;
        }

        @Override
        public boolean paused() {
            return paused;
        }
    }

    private static final class Encoder implements RowEncoder {
        @Override
        public @Nullable String waitsFor(RecordView record) {
            return text(record).contains("later") ? "a column is gone" : null;
        }

        @Override
        public Encoded encode(RecordView record, RowBuffer row) {
            if (text(record).contains("broken")) throw new IllegalStateException("a test's");
            row.put(record.valueArray(), record.valueFrom(), record.valueLength());
            if (text(record).contains("poisoned")) return new Encoded.Poison("bad_number", "field a");
            return Encoded.WRITTEN;
        }

        private static String text(RecordView record) {
            return new String(record.valueArray(), record.valueFrom(), record.valueLength(), StandardCharsets.UTF_8);
        }
    }

    private static final class Keyed implements Router {
        @Override
        public int shard(RecordView record) {
            return record.keyLength() < 0 ? 0 : record.keyArray()[0] - '0';
        }

        @Override
        public int lane(RecordView record) {
            return 0;
        }
    }

    URI at(String path) {
        return URI.create("http://127.0.0.1:" + server.address().getPort() + path);
    }

    HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        var request = HttpRequest.newBuilder(at(path)).timeout(LONG).POST(HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) request.headers(headers);
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.timeout(LONG).build(), HttpResponse.BodyHandlers.ofString());
    }

    /// A connection to write what one likes to.
    Socket line() throws IOException {
        var socket =
                new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
        socket.setSoTimeout((int) LONG.toMillis());
        return socket;
    }

    /// Sends these bytes, says that no more come, and reads all that is answered.
    String raw(String text) throws IOException {
        try (var socket = line()) {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Override
    public void close() {
        server.close();
        client.shutdownNow();
    }
}
