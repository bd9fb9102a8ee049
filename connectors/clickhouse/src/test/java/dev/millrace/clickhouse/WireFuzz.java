package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.fuzz.FuzzTarget;
import dev.millrace.httpclient.BoundedText;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.WriteOutcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;

/// Any bytes that a real socket answers a request with come to a result in time, and are a success only where they
/// begin
/// as one of ClickHouse's.
final class WireFuzz implements FuzzTarget {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ServerSocket server;
    private final URI address;
    private final Exchange exchange;
    private volatile byte[] answer = {};

    WireFuzz() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        address = URI.create("http://localhost:" + server.getLocalPort() + "/?query=x");
        Thread.ofVirtual().start(this::serve);
        var client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(HttpClient.Builder.NO_PROXY)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .build();
        exchange = new Exchange(client, Bench.settings().login(), NanoClock.SYSTEM);
    }

    @Override
    public List<String> words() {
        return List.of(
                "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 100 Continue\r\n\r\n",
                "HTTP/1.0 ",
                "Content-Length: ",
                "0\r\n",
                "Transfer-Encoding: chunked\r\n",
                "X-ClickHouse-Exception-Code: ",
                "X-ClickHouse-Query-Id: 1\r\n",
                "Content-Encoding: gzip\r\n",
                "\r\n\r\n",
                "5\r\n",
                "Code: 241. DB::Exception: ",
                "Connection: close\r\n");
    }

    private void serve() {
        while (true) {
            try (var socket = server.accept()) {
                socket.setSoTimeout((int) PATIENCE.toMillis());
                var in = socket.getInputStream();
                for (var ended = 0; ended < 4; ) {
                    var b = in.read();
                    if (b < 0) break;
                    ended = b == '\r' || b == '\n' ? ended + 1 : 0;
                }
                socket.getOutputStream().write(answer);
            } catch (SocketException gone) {
                // Whoever has read enough closes the line.
                if (server.isClosed()) return;
            } catch (IOException failure) {
                throw new AssertionError(failure);
            }
        }
    }

    @Override
    public void take(byte[] input) throws InterruptedException {
        answer = input.clone();
        var deadline = NanoClock.SYSTEM.nanoTime() + PATIENCE.toNanos();
        var request = Exchange.Request.question(address, BodyPublishers.noBody());
        switch (exchange.post(request, deadline, _ -> {})) {
            case Exchange.Result.Failed(var outcome) -> assertThat(outcome).isNotInstanceOf(WriteOutcome.Written.class);
            case Exchange.Result.Answered(var heard) -> {
                assertThat(heard.text().length()).isLessThanOrEqualTo(2 * BoundedText.OF_AN_ERROR + 1);
                if (!(Verdict.of(heard, 3, Verdicts.BUILT_IN) instanceof WriteOutcome.Written)) return;
                var text = new String(input, StandardCharsets.ISO_8859_1);
                assertThat(text).startsWith("HTTP/1.").contains("200");
                assertThat(text.toLowerCase(Locale.ROOT)).contains("x-clickhouse-");
            }
        }
    }
}
