package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Secret;
import dev.millrace.httpclient.Who;
import dev.millrace.lab.http.HttpFront;
import dev.millrace.lab.http.HttpLine;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import dev.millrace.sinkpool.WriteOutcome.Misconfigured;
import dev.millrace.sinkpool.WriteOutcome.Refused;
import dev.millrace.sinkpool.WriteOutcome.TooLarge;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import net.jpountz.lz4.LZ4FrameInputStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What goes over a real line, and what is made of what comes back, rude or not.
@Timeout(120)
class WireTest {
    static final HttpFront.Turn OK = answer("200 OK", "", "stored");

    private static HttpFront.Turn answer(String status, String headers, String body) {
        return line -> {
            line.read();
            line.answer(status, headers, body);
        };
    }

    private static HttpLine.Request only(HttpFront front) {
        assertThat(front.failures()).isEmpty();
        assertThat(front.requests()).hasSize(1);
        return front.requests().getFirst();
    }

    private static void perhapsStored(WriteOutcome outcome, String... codes) {
        assertThat(outcome).isInstanceOfSatisfying(Unavailable.class, it -> {
            assertThat(it.failure().code()).isIn((Object[]) codes);
            assertThat(it.failure().mayHaveStored()).isTrue();
            assertThat(it.blame()).isEqualTo(new Blame.Replica());
        });
    }

    @Test
    void aBatchIsOneRequestUnderItsToken() throws Exception {
        try (var front = HttpFront.launch(OK);
                var post = Post.to(front.uri())) {
            assertThat(post.write("{\"id\":1}", "{\"id\":2}", "{\"id\":\"ü\"}")).isEqualTo(new Written(3, 0));

            var request = only(front);
            assertThat(request.method()).isEqualTo("POST");
            assertThat(request.target()).isEqualTo("/rows");
            assertThat(request.text()).isEqualTo("{\"id\":1}\n{\"id\":2}\n{\"id\":\"ü\"}\n");
            assertThat(request.headers())
                    .containsEntry("Content-Type", "application/x-ndjson")
                    .containsEntry("Content-Length", Integer.toString(request.body().length))
                    .containsEntry("Idempotency-Key", "a1b2")
                    .containsEntry("Millrace-Rows", "3")
                    .containsEntry("Millrace-Pipeline", "storefront")
                    .containsEntry("Millrace-Shard", "partner/s0")
                    .containsEntry("User-Agent", "millrace")
                    .doesNotContainKeys("Authorization", "Content-Encoding", "Expect", "Upgrade");
        }
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void rowsArePackedAsTheHeaderSays(Compression compression) throws Exception {
        var lines =
                IntStream.range(0, 5_000).mapToObj(n -> "{\"id\":" + n + "}").toArray(String[]::new);
        try (var front = HttpFront.launch(OK);
                var post = Post.to(front.uri(), with -> with.put(compression))) {
            assertThat(post.write(lines)).isEqualTo(new Written(5_000, 0));

            var request = only(front);
            assertThat(request.method()).isEqualTo("PUT");
            assertThat(request.header("Content-Encoding"))
                    .isEqualTo(compression == Compression.NONE ? null : compression.encoding());
            assertThat(new String(unpacked(compression, request.body()), StandardCharsets.UTF_8))
                    .isEqualTo(String.join("\n", lines) + "\n");
        }
    }

    private static byte[] unpacked(Compression compression, byte[] body) throws IOException {
        var packed = new ByteArrayInputStream(body);
        try (var in = switch (compression) {
            case NONE -> packed;
            case GZIP -> new GZIPInputStream(packed);
            case LZ4 -> new LZ4FrameInputStream(packed);
            case ZSTD -> new ZstdInputStreamNoFinalizer(packed);
        }) {
            return in.readAllBytes();
        }
    }

    @Test
    void aConnectionServesBatchAfterBatch() throws Exception {
        try (var front = HttpFront.launch(OK);
                var post = Post.to(front.uri())) {
            for (var i = 0; i < 5; i++) assertThat(post.write("a")).isEqualTo(new Written(1, 0));
            assertThat(front.connections()).isEqualTo(1);
        }
    }

    /// A client of the JDK's sends some methods anew by itself where a kept connection ends.
    @ParameterizedTest
    @EnumSource(HttpSettings.Method.class)
    @Tag("WRT-9")
    @DisplayName("WRT-9: what is sent is sent once, also over a connection that ends just then")
    void sentOnce(HttpSettings.Method method) throws Exception {
        try (var front = HttpFront.launch(line -> {
                            line.read();
                            line.cut();
                        })
                        .next(OK);
                var post = Post.to(
                        front.uri(), with -> method == HttpSettings.Method.PUT ? with.put(Compression.NONE) : with)) {
            assertThat(post.write("a")).isEqualTo(new Written(1, 0));
            perhapsStored(post.write("b"), "no-answer");
            assertThat(front.requests()).extracting(HttpLine.Request::text).containsExactly("a\n", "b\n");
            assertThat(front.connections()).isEqualTo(1);
        }
    }

    @Test
    void secretsAreReadAtEveryRequestAndNeverTold(@TempDir Path directory) throws Exception {
        var file = Files.writeString(directory.resolve("key"), "s3cret-one");
        Secret secret = () -> read(file);
        var front = HttpFront.launch(OK);
        try (front;
                var post = Post.to(
                        front.uri(),
                        with -> with.who(new Who.User("me", secret)).headers(Map.of("X-Key", secret)))) {
            assertThat(post.write("a")).isEqualTo(new Written(1, 0));
            Files.writeString(file, "s3cret-two");
            assertThat(post.write("a")).isEqualTo(new Written(1, 0));
            assertThat(front.requests())
                    .extracting(one -> one.header("X-Key"))
                    .containsExactly("s3cret-one", "s3cret-two");
            assertThat(front.requests())
                    .extracting(one -> one.header("Authorization"))
                    .containsExactly("Basic " + basic("me:s3cret-one"), "Basic " + basic("me:s3cret-two"));

            for (var broken : new String[] {"s3cret\r\nX-Evil: 1", "s3cret-\u00fc"}) {
                Files.writeString(file, broken);
                told(post.write("a"), "no value for header X-Key: IllegalArgumentException");
            }
            Files.delete(file);
            told(post.write("a"), "no value for header X-Key: IllegalStateException");
            assertThat(front.requests()).hasSize(2);
        }
        assertThat(Post.With.DEFAULTS
                        .who(new Who.Bearer(secret))
                        .headers(Map.of("X-Key", secret))
                        .settings())
                .asString()
                .doesNotContain("s3cret");
    }

    private static void told(WriteOutcome outcome, String words) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Misconfigured.class,
                        it -> assertThat(it.failure().message()).isEqualTo(words));
    }

    private static String basic(String pair) {
        return java.util.Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new IllegalStateException("s3cret can't be read", failure);
        }
    }

    @Test
    void aBearerTokenIsShown() throws Exception {
        try (var front = HttpFront.launch(OK);
                var post = Post.to(front.uri(), with -> with.who(new Who.Bearer(() -> "abc")))) {
            assertThat(post.write("a")).isEqualTo(new Written(1, 0));
            assertThat(only(front).header("Authorization")).isEqualTo("Bearer abc");
        }
    }

    @Test
    @Tag("WRT-3")
    @DisplayName("WRT-3 INPUT-39: a redirect is followed nowhere, and its target is told without its secrets")
    void redirect() throws Exception {
        try (var other = HttpFront.launch(OK);
                var front = HttpFront.launch(
                        answer("307 Temporary Redirect", "Location: " + other.uri() + "?key=s3cret\r\n", ""));
                var post = Post.to(front.uri())) {
            assertThat(post.write("a"))
                    .isInstanceOfSatisfying(
                            Misconfigured.class,
                            it -> assertThat(it.failure().message())
                                    .contains("localhost:" + other.uri().getPort())
                                    .doesNotContain("s3cret"));
            assertThat(other.connections()).isZero();
        }
    }

    @Test
    @DisplayName("no proxy is asked, whatever the JVM is told of one")
    void noProxy() throws Exception {
        var before = ProxySelector.getDefault();
        try (var proxy = HttpFront.launch(OK);
                var front = HttpFront.launch(OK)) {
            ProxySelector.setDefault(ProxySelector.of(
                    new InetSocketAddress(proxy.uri().getHost(), proxy.uri().getPort())));
            try (var post = Post.to(front.uri())) {
                assertThat(post.write("a")).isInstanceOf(Written.class);
            }
            assertThat(front.connections()).isPositive();
            assertThat(proxy.connections()).isZero();
        } finally {
            ProxySelector.setDefault(before);
        }
    }

    @Test
    void whatARefusalSaysIsHeard() throws Exception {
        try (var front = HttpFront.launch(OK)
                        .next(
                                answer(
                                        "422 Unprocessable Content",
                                        "Millrace-Row: 1\r\nMillrace-Reason: no id\r\n",
                                        "x"),
                                answer("413 Content Too Large", "", "<html>nginx</html>"),
                                answer("401 Unauthorized", "", ""),
                                answer("429 Too Many Requests", "Retry-After: 7\r\n", ""),
                                answer("409 Conflict", "", ""));
                var post = Post.to(front.uri())) {
            assertThat(post.write("a", "b")).isInstanceOfSatisfying(Refused.class, it -> {
                assertThat(it.rowHint()).isEqualTo(1);
                assertThat(it.failure().message()).isEqualTo("HTTP 422: the rows are not accepted (no id)");
            });
            assertThat(post.write("a")).isInstanceOf(TooLarge.class);
            assertThat(post.write("a")).isInstanceOf(Misconfigured.class);
            assertThat(post.write("a"))
                    .isInstanceOfSatisfying(
                            Unavailable.class,
                            it -> assertThat(it.blame()).isEqualTo(new Blame.Overload(7_000_000_000L)));
            assertThat(post.write("a"))
                    .isInstanceOfSatisfying(
                            Unavailable.class, it -> assertThat(it.blame()).isEqualTo(new Blame.Nobody()));
            assertThat(front.connections()).as("each was read to its end").isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"})
    @DisplayName("INPUT-39: what a server says on the way to its answer is none")
    void interim(String before) throws Exception {
        try (var front = HttpFront.launch(line -> {
                    line.read();
                    line.say(before);
                    line.answer("200 OK", "", "");
                });
                var post = Post.to(front.uri())) {
            assertThat(post.write("a")).isEqualTo(new Written(1, 0));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 20",
                "hello\r\n\r\n",
                "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"
            })
    @DisplayName("INPUT-39: a line that ends before an answer leaves open whether the rows are stored")
    void cut(String said) throws Exception {
        try (var front = HttpFront.launch(line -> {
                    line.read();
                    line.say(said);
                    line.cut();
                });
                var post = Post.to(front.uri())) {
            perhapsStored(post.write("a"), "no-answer");
        }
    }

    static Stream<String> cutBodies() {
        return Stream.of(
                "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n");
    }

    @ParameterizedTest
    @MethodSource("cutBodies")
    @DisplayName("INPUT-39: a success whose body is cut is none yet")
    void cutBody(String said) throws Exception {
        try (var front = HttpFront.launch(line -> {
                    line.read();
                    line.say(said);
                    line.cut();
                });
                var post = Post.to(front.uri())) {
            // The client tells of some of these before it tells of an answer.
            perhapsStored(post.write("a"), "answer-cut", "no-answer");
        }
    }

    @Test
    void aResetInTheMiddleOfTheRowsLeavesThemOpen() throws Exception {
        var lines = IntStream.range(0, 200_000).mapToObj(Integer::toString).toArray(String[]::new);
        try (var front = HttpFront.launch(line -> {
                    line.exactly(10);
                    line.reset();
                });
                var post = Post.to(front.uri())) {
            perhapsStored(post.write(lines), "no-answer");
            assertThat(front.requests()).isEmpty();
        }
    }

    @Test
    @DisplayName("CASE-35: an answer without an end is cut at its bound, and is no success")
    void bomb() throws Exception {
        var piece = "x".repeat(1 << 16);
        try (var front = HttpFront.launch(line -> {
                    line.read();
                    line.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                    while (true) line.say("10000\r\n" + piece + "\r\n");
                });
                var post = Post.to(front.uri())) {
            perhapsStored(post.write("a"), "answer-cut");
        }
    }

    @Test
    @DisplayName("CASE-35: what an answer would unpack to is nobody's business")
    void packedAnswer() throws Exception {
        try (var front = HttpFront.launch(answer("200 OK", "Content-Encoding: gzip\r\n", "no gzip"));
                var post = Post.to(front.uri())) {
            assertThat(post.write("a")).isEqualTo(new Written(1, 0));
            assertThat(only(front).headers()).doesNotContainKey("Accept-Encoding");
        }
    }

    static Stream<HttpFront.Turn> neverAnswering() {
        return Stream.of(
                line -> {
                    line.read();
                    line.untilClosed();
                },
                line -> {
                    line.read();
                    line.say("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
                    while (true) {
                        line.say("x");
                        Thread.onSpinWait();
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("neverAnswering")
    @Tag("WRT-1")
    @DisplayName("WRT-1: a server that is silent, or that drips, is left at the attempt's deadline")
    void deadline(HttpFront.Turn turn) throws Exception {
        var gone = new CompletableFuture<Boolean>();
        try (var front = HttpFront.launch(line -> {
                    try {
                        turn.take(line);
                    } finally {
                        gone.complete(true);
                    }
                });
                var post = Post.to(front.uri())) {
            assertThat(post.write(Post.SHORT, "a")).isInstanceOfSatisfying(Unavailable.class, it -> {
                assertThat(it.failure().code()).isIn("timeout", "answer-cut");
                assertThat(it.failure().mayHaveStored()).isTrue();
            });
            assertThat(gone.get(30, TimeUnit.SECONDS)).as("the line was cut").isTrue();
        }
    }

    @Test
    @Tag("WRT-1")
    @DisplayName("WRT-1: an attempt that is cancelled ends, and so does its line")
    void cancelled() throws Exception {
        var asked = new CompletableFuture<Boolean>();
        var gone = new CompletableFuture<Boolean>();
        try (var front = HttpFront.launch(line -> {
                    line.read();
                    asked.complete(true);
                    line.untilClosed();
                    gone.complete(true);
                });
                var post = Post.to(front.uri())) {
            var attempt = Attempt.of(Rows.of("a"), Post.AMPLE);
            var outcome = post.begin(attempt);
            asked.get(30, TimeUnit.SECONDS);
            attempt.cancel();
            perhapsStored(outcome.get(30, TimeUnit.SECONDS), "cancelled");
            assertThat(gone.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void closingAWriterEndsWhatIsUnderWay() throws Exception {
        var asked = new CompletableFuture<Boolean>();
        try (var front = HttpFront.launch(line -> {
                    line.read();
                    asked.complete(true);
                    line.untilClosed();
                });
                var post = Post.to(front.uri())) {
            var outcome = post.begin(Attempt.of(Rows.of("a"), Post.AMPLE));
            asked.get(30, TimeUnit.SECONDS);
            post.writer().close();
            perhapsStored(outcome.get(30, TimeUnit.SECONDS), "cancelled");
        }
    }

    @Test
    void whereNobodyListensNothingIsStored() throws Exception {
        try (var post = Post.to(nobody())) {
            for (var outcome : new WriteOutcome[] {post.write("a"), post.ping(Post.AMPLE)})
                assertThat(outcome).isInstanceOfSatisfying(Unavailable.class, it -> {
                    assertThat(it.failure().code()).isEqualTo("connect");
                    assertThat(it.failure().mayHaveStored()).isFalse();
                });
        }
    }

    static URI nobody() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/rows");
        }
    }

    @Test
    @Tag("BRK-7")
    @DisplayName("BRK-7: a ping is a connection of its own, over which nothing is sent")
    void ping() throws Exception {
        try (var front = HttpFront.launch(OK);
                var post = Post.to(front.uri())) {
            assertThat(post.write("a")).isEqualTo(new Written(1, 0));
            assertThat(post.ping(Post.AMPLE)).isEqualTo(new Written(0, 0));
            only(front);
            assertThat(post.write("a")).isEqualTo(new Written(1, 0));
            assertThat(front.connections()).isEqualTo(2);
        }
    }

    @Test
    @Tag("BRK-7")
    @DisplayName("BRK-7: with a path a ping is a GET of it, and what it is answered says nothing of rows")
    void pingPath() throws Exception {
        try (var front = HttpFront.launch(answer("200 OK", "", "well"))
                        .next(
                                answer("200 OK", "", "well"),
                                answer("503 Service Unavailable", "", ""),
                                answer("422 Unprocessable Content", "", ""));
                var post = Post.to(front.uri(), with -> with.pingPath("/health").headers(Map.of("X-Key", () -> "k")))) {
            assertThat(post.ping(Post.AMPLE)).isEqualTo(new Written(0, 0));
            var request = only(front);
            assertThat(request.method()).isEqualTo("GET");
            assertThat(request.target()).isEqualTo("/health");
            assertThat(request.header("X-Key")).isEqualTo("k");
            assertThat(request.headers()).doesNotContainKey("Idempotency-Key");
            for (var i = 0; i < 2; i++)
                assertThat(post.ping(Post.AMPLE))
                        .isInstanceOfSatisfying(
                                Unavailable.class,
                                it -> assertThat(it.failure().mayHaveStored()).isFalse());
        }
    }
}
