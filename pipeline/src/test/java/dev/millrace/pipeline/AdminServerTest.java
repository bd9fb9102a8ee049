package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class AdminServerTest {
    private AdminServer server;

    @BeforeEach
    void listen() throws IOException {
        var anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = AdminServer.start(anyPort, Map.of("/healthz", () -> AdminServer.Answer.text(200, "alive")));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private Socket connect() throws IOException {
        return new Socket(server.address().getAddress(), server.address().getPort());
    }

    /// The status line that the server answers with.
    private String ask(String request) throws IOException {
        try (var socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            var answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return answer.lines().findFirst().orElse("");
        }
    }

    private String get(String path, String host) throws IOException {
        return ask("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    }

    @Test
    @Tag("OPS-6")
    void onLoopbackItAnswersToLoopbacksNamesOnly() throws IOException {
        var port = server.address().getPort();
        for (var host : new String[] {"127.0.0.1:" + port, "localhost:" + port, "LOCALHOST", "[::1]:" + port})
            assertThat(get("/healthz", host)).as(host).contains(" 200 ");
        for (var host :
                new String[] {"evil.example", "127.0.0.1.evil.example:" + port, "localhost.evil.example", "10.0.0.1"})
            assertThat(get("/healthz", host)).as(host).contains(" 421 ");
    }

    @Test
    @Tag("OPS-6")
    void whatIsNoPageIsNone() throws IOException {
        for (var path : new String[] {"/", "/healthz/", "/healthz/../healthz", "//healthz", "/%68ealthz%00"})
            assertThat(get(path, "localhost")).as(path).contains(" 404 ");
        assertThat(ask("POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
                .contains(" 405 ");
    }

    @Test
    @Tag("OPS-6")
    void manyWhoSayNothingDoNotTakeEveryDescriptor() throws IOException {
        var silent = new ArrayList<Socket>();
        try {
            for (var i = 0; i < 80; i++) silent.add(connect());
            var last = silent.getLast();
            last.setSoTimeout(20_000);
            assertThat(last.getInputStream().read()).isNegative();
        } finally {
            for (var socket : silent) socket.close();
        }
    }
}
