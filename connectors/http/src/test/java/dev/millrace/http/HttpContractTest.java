package dev.millrace.http;

import dev.millrace.lab.http.HttpFront;
import dev.millrace.lab.http.HttpLine;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.testkit.SinkContract;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/// The http sink does what the pool takes for granted of any sink, over a server that remembers tokens.
@Timeout(120)
class HttpContractTest extends SinkContract {
    private final Set<String> tokens = new HashSet<>();
    private final List<String> rows = new ArrayList<>();
    private HttpFront front;
    private HttpSink sink;

    @BeforeEach
    void launch() {
        front = HttpFront.launch(this::store);
        sink = Post.sink(
                Post.With.DEFAULTS
                        .memory(new HttpSettings.Memory(Duration.ofHours(24), true))
                        .settings(),
                front.uri());
    }

    private void store(HttpLine line) throws IOException {
        var request = line.read();
        synchronized (rows) {
            if (tokens.add(String.valueOf(request.header("Idempotency-Key"))))
                rows.addAll(request.text().lines().toList());
        }
        line.answer("200 OK", "", "stored");
    }

    @AfterEach
    void close() {
        sink.close();
        front.close();
    }

    @Override
    protected Sink sink() {
        return sink;
    }

    @Override
    protected ShardId shard() {
        return Post.SHARD;
    }

    @Override
    protected URI endpoint() {
        return front.uri();
    }

    @Override
    protected URI gone() {
        try (var closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return URI.create("http://127.0.0.1:" + closed.getLocalPort() + "/rows");
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    @Override
    protected List<String> stored() {
        synchronized (rows) {
            return List.copyOf(rows);
        }
    }
}
