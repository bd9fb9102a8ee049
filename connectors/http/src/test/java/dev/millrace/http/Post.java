package dev.millrace.http;

import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Secret;
import dev.millrace.httpclient.Tls;
import dev.millrace.httpclient.Who;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A sink with one shard and one replica, and its writer.
final class Post implements AutoCloseable {
    static final ShardId SHARD = new ShardId("partner", "s0");
    static final Duration AMPLE = Duration.ofSeconds(60);
    static final Duration SHORT = Duration.ofMillis(300);

    private final HttpSink sink;
    private final SinkWriter writer;

    private Post(HttpSink sink, URI endpoint) {
        this.sink = sink;
        writer = sink.writer(SHARD, endpoint);
    }

    static Post to(URI endpoint) {
        return to(endpoint, with -> with);
    }

    static Post to(URI endpoint, UnaryOperator<With> how) {
        var settings = how.apply(With.DEFAULTS).settings();
        return new Post(sink(settings, endpoint), endpoint);
    }

    static HttpSink sink(HttpSettings settings, URI... endpoints) {
        return HttpSink.open(settings, Map.of(SHARD, List.of(endpoints)), () -> Rows.VERBATIM, NanoClock.SYSTEM);
    }

    HttpSink sink() {
        return sink;
    }

    SinkWriter writer() {
        return writer;
    }

    WriteOutcome write(String... lines) throws Exception {
        return write(AMPLE, lines);
    }

    WriteOutcome write(Duration limit, String... lines) throws Exception {
        return writer.write(Attempt.of(Rows.of(lines), limit));
    }

    WriteOutcome ping(Duration limit) throws Exception {
        return writer.ping(Attempt.of(Rows.of("-"), limit));
    }

    /// On a virtual thread of its own, as in production.
    CompletableFuture<WriteOutcome> begin(Attempt attempt) {
        var outcome = new CompletableFuture<WriteOutcome>();
        Thread.ofVirtual().start(() -> {
            try {
                outcome.complete(writer.write(attempt));
            } catch (Throwable thrown) {
                outcome.completeExceptionally(thrown);
            }
        });
        return outcome;
    }

    @Override
    public void close() {
        writer.close();
        sink.close();
    }

    /// Settings that differ from the defaults in a few things.
    record With(
            HttpSettings.Method method,
            Compression compression,
            Map<String, Secret> headers,
            Who who,
            Tls tls,
            HttpSettings.Memory memory,
            @Nullable String pingPath) {
        static final With DEFAULTS = new With(
                HttpSettings.Method.POST,
                Compression.NONE,
                Map.of(),
                new Who.Nobody(),
                Tls.DEFAULTS,
                HttpSettings.Memory.NONE,
                null);

        With put(Compression packed) {
            return new With(HttpSettings.Method.PUT, packed, headers, who, tls, memory, pingPath);
        }

        With headers(Map<String, Secret> more) {
            return new With(method, compression, more, who, tls, memory, pingPath);
        }

        With who(Who other) {
            return new With(method, compression, headers, other, tls, memory, pingPath);
        }

        With tls(Tls other) {
            return new With(method, compression, headers, who, other, memory, pingPath);
        }

        With memory(HttpSettings.Memory other) {
            return new With(method, compression, headers, who, tls, other, pingPath);
        }

        With pingPath(String path) {
            return new With(method, compression, headers, who, tls, memory, path);
        }

        HttpSettings settings() {
            return new HttpSettings(
                    "storefront",
                    new HttpSettings.Request(method, "application/x-ndjson", compression, "Idempotency-Key", headers),
                    who,
                    tls,
                    memory,
                    pingPath,
                    Duration.ofSeconds(20));
        }
    }
}
