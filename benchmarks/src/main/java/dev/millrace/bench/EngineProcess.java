package dev.millrace.bench;

import dev.millrace.lab.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.util.List;

/// ClickHouse's engine in a process of its own, and its HTTP fronts in another, so that neither's processor time is
/// counted for the bench. Every front is an address of the same engine.
///
/// Thread ownership: the bench's thread.
final class EngineProcess implements AutoCloseable {
    private final ChildJvm front;
    private final HttpClient client = HttpClient.newHttpClient();
    private final List<URI> urls;
    private final long enginePid;

    private EngineProcess(ChildJvm front, List<URI> urls, long enginePid) {
        this.front = front;
        this.urls = urls;
        this.enginePid = enginePid;
    }

    static EngineProcess launch() {
        return launch(1);
    }

    static EngineProcess launch(int fronts) {
        try {
            var told = Files.createTempFile("millrace-bench-engine-", "");
            try {
                var child = ChildJvm.start(
                        "engine's front",
                        List.of("-Xmx512m", "--enable-native-access=ALL-UNNAMED"),
                        EngineMain.class,
                        List.of(told.toString(), Integer.toString(fronts)),
                        EngineMain.READY);
                var lines = Files.readAllLines(told);
                var urls = lines.subList(0, fronts).stream().map(URI::create).toList();
                return new EngineProcess(child, urls, Long.parseLong(lines.getLast()));
            } finally {
                Files.delete(told);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot tell where the engine is", failure);
        }
    }

    URI url() {
        return urls.getFirst();
    }

    /// Of each front.
    List<URI> urls() {
        return urls;
    }

    long pid() {
        return enginePid;
    }

    long frontPid() {
        return front.pid();
    }

    /// The answer's text, without its last line's end.
    String ask(String sql) throws InterruptedException {
        var request = HttpRequest.newBuilder(url().resolve("/?user=default"))
                .POST(HttpRequest.BodyPublishers.ofString(sql))
                .build();
        try {
            var answer = client.send(request, BodyHandlers.ofString());
            if (answer.statusCode() != 200) throw new BenchFailure(sql + ": " + answer.body());
            return answer.body().strip();
        } catch (IOException failure) {
            throw new BenchFailure(sql + ": " + failure);
        }
    }

    @Override
    public void close() {
        client.close();
        front.stop();
    }
}
