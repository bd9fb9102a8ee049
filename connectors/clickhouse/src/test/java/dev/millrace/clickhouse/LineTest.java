package dev.millrace.clickhouse;

import static dev.millrace.clickhouse.Stub.CLICKHOUSE;
import static dev.millrace.clickhouse.Stub.answer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Tls;
import dev.millrace.httpclient.Who;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Misconfigured;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What becomes of a batch on a line that breaks, hangs, or is used again.
@Timeout(120)
class LineTest {
    private static final String[] ROWS = {"{\"id\":1}", "{\"id\":2}"};

    private static void failed(WriteOutcome outcome, String code, boolean mayHaveStored) {
        assertThat(outcome).isInstanceOf(Unavailable.class);
        var failure = ((Unavailable) outcome).failure();
        assertThat(failure.code()).as(failure.message()).isEqualTo(code);
        assertThat(failure.mayHaveStored()).as(failure.message()).isEqualTo(mayHaveStored);
    }

    @Test
    @DisplayName("POI-12: no answer after the body was sent may have stored, by an end or by a reset")
    void answerLost() throws Exception {
        try (var stub = Stub.listen(
                        line -> {
                            line.read();
                            line.cut();
                        },
                        line -> {
                            line.read();
                            line.reset();
                        },
                        Stub.ok());
                var bench = Bench.at(stub)) {
            failed(bench.write(ROWS), "no-answer", true);
            failed(bench.write(ROWS), "no-answer", true);
            assertThat(bench.write(ROWS)).isEqualTo(new Written(2, 0));
            assertThat(stub.requests())
                    .as("nothing is sent twice by the client")
                    .hasSize(3);
        }
    }

    @Test
    @DisplayName("POI-12: a body that was cut on its way may have stored, as far as anybody knows")
    void bodyCut() throws Exception {
        try (var stub = Stub.listen(line -> {
                    line.exactly(100);
                    line.reset();
                });
                var bench = Bench.at(stub)) {
            var large = Lines.batch(1 << 16, Collections.nCopies(100_000, "{\"id\":1234567890}"));
            failed(bench.writer().write(new Call(large, "run/1", Bench.AMPLE)), "no-answer", true);
            assertThat(stub.requests()).isEmpty();
        }
    }

    @Test
    @DisplayName("POI-12: an answer that does not come by the deadline may have stored; the line is closed")
    void hangs() throws Exception {
        var closed = new CompletableFuture<Boolean>();
        try (var stub = Stub.listen(line -> {
                    line.read();
                    line.untilClosed();
                    closed.complete(true);
                });
                var bench = Bench.at(stub)) {
            failed(bench.write(Bench.SHORT, "run/1", ROWS), "timeout", true);
            assertThat(closed.join()).isTrue();
        }
    }

    @Test
    @DisplayName("POI-12: an answer that dribbles past the deadline may have stored; the line is closed")
    void dribbles() throws Exception {
        var closed = new CompletableFuture<Boolean>();
        try (var stub = Stub.listen(line -> {
                    line.read();
                    line.say("HTTP/1.1 200 OK\r\n" + CLICKHOUSE + "Content-Length: 10\r\n\r\nabc");
                    line.untilClosed();
                    closed.complete(true);
                });
                var bench = Bench.at(stub)) {
            failed(bench.write(Bench.SHORT, "run/1", ROWS), "timeout", true);
            assertThat(closed.join()).isTrue();
        }
    }

    @Test
    @DisplayName("WRT-1: a write that is cancelled ends, and its line is closed")
    void cancelled() throws Exception {
        var taken = new CompletableFuture<Boolean>();
        var closed = new CompletableFuture<Boolean>();
        try (var stub = Stub.listen(line -> {
                    line.read();
                    taken.complete(true);
                    line.untilClosed();
                    closed.complete(true);
                });
                var bench = Bench.at(stub)) {
            var call = new Call(Lines.batch(ROWS), "run/1", Bench.AMPLE);
            var outcome = bench.begin(call);
            taken.join();
            call.cancel();
            failed(outcome.join(), "cancelled", true);
            assertThat(closed.join()).isTrue();
        }
    }

    @Test
    @DisplayName("WRT-9: after a cancelled write nothing is taken from the batch's memory any more")
    void cancelledInTheMiddle() throws Exception {
        var taken = new CompletableFuture<Boolean>();
        var rest = new CompletableFuture<Boolean>();
        try (var stub = Stub.listen(line -> {
                    line.exactly(100);
                    taken.complete(true);
                    rest.join();
                    line.untilClosed();
                });
                var bench = Bench.at(stub)) {
            var rows = Lines.batch(1 << 20, Collections.nCopies(1_000_000, "{\"id\":1234567890}"));
            var call = new Call(rows, "run/1", Bench.AMPLE);
            var outcome = bench.begin(call);
            taken.join();
            call.cancel();
            failed(outcome.join(), "cancelled", true);
            rest.complete(true);
        }
    }

    @Test
    @DisplayName("POI-12: where there is no connection nothing was stored")
    void noConnection() throws Exception {
        try (var stub = Stub.listen(Stub.ok());
                var bench = Bench.open(Bench.settings(), stub.uri(), Stub.nobody())) {
            failed(bench.write(ROWS), "connect", false);
            failed(bench.ping(), "connect", false);
        }
    }

    @Test
    @DisplayName("POI-12: a TLS endpoint that speaks no TLS stored nothing")
    void noTls() throws Exception {
        try (var stub = Stub.listen(Stub.ok());
                var plain = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                var bench = Bench.open(
                        Bench.settings(), stub.uri(), URI.create("https://localhost:" + plain.getLocalPort()))) {
            Thread.ofVirtual().start(() -> {
                try (var socket = plain.accept()) {
                    socket.getOutputStream()
                            .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                } catch (IOException failure) {
                    throw new AssertionError(failure);
                }
            });
            assertThat(bench.write(ROWS))
                    .isInstanceOfSatisfying(
                            Unavailable.class,
                            outcome -> assertThat(outcome.failure().mayHaveStored())
                                    .isFalse());
        }
    }

    @Test
    void aLineIsKeptAndUsedAgain() throws Exception {
        try (var stub = Stub.listen(Stub.ok());
                var bench = Bench.at(stub)) {
            var before = stub.connections();
            for (var i = 0; i < 5; i++) assertThat(bench.write(ROWS)).isEqualTo(new Written(2, 0));
            assertThat(stub.connections()).isEqualTo(before + 1);
        }
    }

    @Test
    void aKeptLineThatTheServerClosedIsNotUsedAgain() throws Exception {
        try (var stub = Stub.listen(line -> {
                    line.read();
                    line.say("HTTP/1.1 200 OK\r\n" + CLICKHOUSE + "Connection: close\r\nContent-Length: 0\r\n\r\n");
                    line.cut();
                });
                var bench = Bench.at(stub)) {
            for (var i = 0; i < 5; i++) assertThat(bench.write(ROWS)).isEqualTo(new Written(2, 0));
        }
    }

    @Test
    @DisplayName("CH-6: a ping goes over a line of its own, and tells a read-only table from a writable one")
    void pings() throws Exception {
        try (var stub = Stub.listen(
                        Stub.ok(),
                        answer("200 OK", CLICKHOUSE, "0\n"),
                        answer("200 OK", CLICKHOUSE, "1\n"),
                        answer("200 OK", "", "0\n"),
                        Stub.exception("400 Bad Request", 27, "(at row 1)"));
                var bench = Bench.at(stub)) {
            bench.write(ROWS);
            var before = stub.connections();
            assertThat(bench.ping()).isEqualTo(new Written(0, 0));
            assertThat(stub.connections()).isEqualTo(before + 1);
            failed(bench.ping(), "read-only", false);
            assertThat(((Unavailable) bench.ping()).failure().code()).isEqualTo("not-clickhouse");
            failed(bench.ping(), "27", false);
        }
    }

    @Test
    void closingAWriterEndsItsAttempts() throws Exception {
        var taken = new CompletableFuture<Boolean>();
        try (var stub = Stub.listen(line -> {
                    line.read();
                    taken.complete(true);
                    line.untilClosed();
                });
                var bench = Bench.at(stub)) {
            var outcome = bench.begin(new Call(Lines.batch(ROWS), "run/1", Bench.AMPLE));
            taken.join();
            bench.writer().close();
            failed(outcome.join(), "cancelled", true);
        }
    }

    @Test
    void closingTheSinkEndsItsAttempts() throws Exception {
        var taken = new CompletableFuture<Boolean>();
        try (var stub = Stub.listen(line -> {
                    line.read();
                    taken.complete(true);
                    line.untilClosed();
                });
                var bench = Bench.at(stub)) {
            var outcome = bench.begin(new Call(Lines.batch(ROWS), "run/1", Bench.AMPLE));
            taken.join();
            bench.sink().close();
            assertThat(((Unavailable) outcome.join()).failure().mayHaveStored()).isTrue();
        }
    }

    @Test
    @DisplayName(
            "INPUT-44, CH-7: the password is asked for at every request, so a rotated one is taken up, and it is told nowhere")
    void passwordRotates(@TempDir Path directory) throws Exception {
        var file = directory.resolve("password");
        Files.writeString(file, "old");
        Stub.Turn checks = line -> {
            var given = line.read().headers().get("authorization");
            var right = "Basic " + Base64.getEncoder().encodeToString("ingest:new".getBytes(StandardCharsets.UTF_8));
            line.say("HTTP/1.1 "
                    + (right.equals(given) ? "200 OK\r\n" : "403 Forbidden\r\nX-ClickHouse-Exception-Code: 516\r\n")
                    + CLICKHOUSE + "Content-Length: 0\r\n\r\n");
        };
        var settings = Bench.settings("events", Compression.NONE, () -> read(file), Tls.DEFAULTS, Map.of());
        try (var stub = Stub.listen(checks);
                var bench = Bench.open(settings, stub.uri())) {
            assertThat(bench.write(ROWS)).isInstanceOf(Misconfigured.class);
            Files.writeString(file, "new\n");
            assertThat(bench.write(ROWS)).isEqualTo(new Written(2, 0));
            Files.delete(file);
            var outcome = bench.write(ROWS);
            assertThat(outcome).isInstanceOf(Misconfigured.class);
            assertThat(outcome.toString()).doesNotContain("new").contains("no-password");
            assertThat(settings.toString()).doesNotContain("new");
            assertThat(stub.requests()).hasSize(2);
        }
    }

    @Test
    @DisplayName("CH-7: a token is shown in the place of user and password, is asked for at every request, and is told"
            + " nowhere")
    void tokenRotates(@TempDir Path directory) throws Exception {
        var file = Files.writeString(directory.resolve("token"), "old.jwt");
        Stub.Turn checks = line -> {
            var right = "Bearer new.jwt".equals(line.read().headers().get("authorization"));
            line.say("HTTP/1.1 "
                    + (right ? "200 OK\r\n" : "403 Forbidden\r\nX-ClickHouse-Exception-Code: 516\r\n")
                    + CLICKHOUSE + "Content-Length: 0\r\n\r\n");
        };
        var settings = Bench.settings(new Who.Bearer(() -> read(file)));
        try (var stub = Stub.listen(checks);
                var bench = Bench.open(settings, stub.uri())) {
            assertThat(bench.write(ROWS)).isInstanceOf(Misconfigured.class);
            Files.writeString(file, "new.jwt\n");
            assertThat(bench.write(ROWS)).isEqualTo(new Written(2, 0));
            assertThat(stub.requests()).hasSize(2);
            for (var unfit : new String[] {"", "new jwt", "new\r\nX-Evil: 1", "n\u00e9w"}) {
                Files.writeString(file, unfit);
                var outcome = bench.write(ROWS);
                assertThat(outcome).isInstanceOf(Misconfigured.class);
                assertThat(outcome.toString()).contains("no token").doesNotContain("jwt", "Evil", "\u00e9");
            }
            assertThat(stub.requests()).hasSize(2);
            assertThat(settings.toString()).doesNotContain("jwt");
        }
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    @DisplayName("CH-3: what arrives is what the chunks hold, in order, packed or not")
    void packed(Compression compression) throws Exception {
        try (var stub = Stub.listen(Stub.ok());
                var bench = Bench.open(Bench.settings(compression, Map.of()), stub.uri())) {
            var lines = new ArrayList<String>();
            for (var i = 0; i < 20_000; i++)
                lines.add("{\"id\":" + i + ",\"s\":\"" + Integer.toHexString(i * 31) + "\"}");
            var outcome = bench.writer().write(new Call(Lines.batch(1000, lines), "run/1", Bench.AMPLE));
            assertThat(outcome).isEqualTo(new Written(20_000, 0));
            var request = stub.only();
            assertThat(new String(Unpacked.of(compression, request.body()), StandardCharsets.UTF_8))
                    .isEqualTo(String.join("\n", lines) + "\n");
            assertThat(request.headers().get("content-encoding"))
                    .isEqualTo(compression == Compression.NONE ? null : compression.encoding());
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException failure) {
            throw new UncheckedIOException("the new one can't be read", failure);
        }
    }
}
