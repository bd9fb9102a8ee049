package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.pipeline.AdminServer.Answer;
import dev.millrace.pipeline.AdminServer.Door;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who is answered, what may be asked, and what is read of it.
@Tag("OPS-6")
final class AdminServerTest {
    private static final String TOKEN = "0123456789abcdef-0123";

    @TempDir
    private Path folder;

    private final List<Map<String, String>> done = new CopyOnWriteArrayList<>();
    private Path tokenFile;
    private AdminServer server;

    @BeforeEach
    void listen() throws IOException {
        tokenFile = Files.writeString(folder.resolve("token"), TOKEN + "\n");
        server = start(InetAddress.getLoopbackAddress(), Set.of("Millrace.example"), new AdminToken(tokenFile));
    }

    private AdminServer start(InetAddress address, Set<String> names, AdminToken token) throws IOException {
        return start(new Door(new InetSocketAddress(address, 0), names, token, false));
    }

    private AdminServer start(Door door) throws IOException {
        return AdminServer.start(
                door,
                Map.of(
                        "/healthz", () -> Answer.text(200, "alive"),
                        "/readyz", () -> Answer.text(200, "ready"),
                        "/metrics", () -> Answer.text(200, "figures"),
                        "/status", () -> Answer.json("{}"),
                        "/broken",
                                () -> {
                                    throw new IllegalStateException("of the page's own");
                                }),
                Map.of("/pause", named -> {
                    done.add(named);
                    return Answer.text(200, "paused");
                }));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private Socket connect() throws IOException {
        return connect(server);
    }

    private static Socket connect(AdminServer to) throws IOException {
        return new Socket(to.address().getAddress(), to.address().getPort());
    }

    /// All that the server answers; nothing where it hangs up.
    private static String answer(AdminServer from, String request) throws IOException {
        try (var socket = connect(from)) {
            socket.setSoTimeout(15_000);
            try {
                socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
                return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException cut) {
                return "";
            }
        }
    }

    /// The status line.
    private String ask(String request) throws IOException {
        return answer(server, request).lines().findFirst().orElse("");
    }

    private String get(String path, String host) throws IOException {
        return ask("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    }

    private static String post(String path, String headers, String body) {
        return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "Content-Length: " + body.length()
                + "\r\nConnection: close\r\n\r\n" + body;
    }

    private static String bearer(String token) {
        return "Authorization: Bearer " + token + "\r\n";
    }

    @Test
    void onLoopbackItAnswersToLoopbacksNamesOnlyAndToThoseItIsGiven() throws IOException {
        var port = server.address().getPort();
        for (var host : new String[] {
            "127.0.0.1:" + port, "localhost:" + port, "LOCALHOST", "[::1]:" + port, "millrace.EXAMPLE:1"
        }) assertThat(get("/healthz", host)).as(host).contains(" 200 ");
        for (var host : new String[] {
            "evil.example",
            "127.0.0.1.evil.example:" + port,
            "localhost.evil.example",
            "10.0.0.1",
            "x.millrace.example",
            "localhost:80:80",
            ""
        }) assertThat(get("/healthz", host)).as(host).contains(" 421 ");
        assertThat(ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
                .as("two names")
                .contains(" 421 ");
    }

    @Test
    @DisplayName(
            "on another address it answers to addresses and to names it is given, so that no name can be rebound to it")
    void onAnotherAddressNoNameCanBeReboundToIt() throws IOException {
        var address = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(one -> one instanceof java.net.Inet4Address && !one.isLoopbackAddress())
                .findFirst();
        Assumptions.assumeTrue(address.isPresent(), "this machine has no address but loopback's");
        try (var outside = start(address.get(), Set.of("millrace"), AdminToken.NONE)) {
            for (var host : new String[] {
                address.get().getHostAddress() + ":9090",
                "millrace:9090",
                "203.0.113.7",
                "[2001:db8::1]:1",
                "localhost:9090"
            })
                assertThat(answer(outside, "GET /healthz HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
                        .as(host)
                        .contains(" 200 ");
            for (var host : new String[] {"evil.example", "1.2.3.4.evil.example", "millrace.evil.example"})
                assertThat(answer(outside, "GET /healthz HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
                        .as(host)
                        .contains(" 421 ");
        }
    }

    @Test
    void whatIsNoPageIsNone() throws IOException {
        for (var path : new String[] {"/", "/healthz/", "/healthz/../healthz", "//healthz", "/%68ealthz%00"})
            assertThat(get(path, "localhost")).as(path).contains(" 404 ");
        assertThat(ask(post("/healthz", "", ""))).contains(" 405 ");
        assertThat(ask(post("/nothing", "", ""))).contains(" 404 ");
        assertThat(ask("PUT /pause HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
                .contains(" 405 ");
        assertThat(answer(server, "GET /pause HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                .contains(" 405 ", "Allow: POST");
        assertThat(done).isEmpty();
    }

    @Test
    void whoHasTheTokenMayActAndNobodyElse() throws IOException {
        assertThat(ask(post("/pause", bearer(TOKEN), ""))).contains(" 200 ");
        assertThat(done).containsExactly(Map.of());
        for (var headers : List.of(
                "",
                bearer(""),
                bearer("0123456789abcdef-0124"),
                bearer(TOKEN + "x"),
                bearer(TOKEN.substring(1)),
                bearer("\u00e9"),
                "Authorization: Basic " + TOKEN + "\r\n",
                bearer(TOKEN) + bearer(TOKEN)))
            assertThat(answer(server, post("/pause", headers, "")))
                    .as(headers)
                    .contains(" 401 ", "Www-authenticate: Bearer")
                    .doesNotContain(TOKEN);
        assertThat(ask(post("/pause", bearer(TOKEN), "").replace("localhost", "evil.example")))
                .as("from a page of somebody else's")
                .contains(" 421 ");
        assertThat(done).hasSize(1);
    }

    @Test
    void theTokenIsReadAgainForEachAct() throws IOException {
        Files.writeString(tokenFile, "another-token-of-today\n");
        assertThat(ask(post("/pause", bearer(TOKEN), ""))).contains(" 401 ");
        assertThat(ask(post("/pause", bearer("another-token-of-today"), ""))).contains(" 200 ");
        for (var bad : List.of("", "short", "two words that are long enough", "x".repeat(5_000))) {
            Files.writeString(tokenFile, bad);
            assertThat(ask(post("/pause", bearer(bad), ""))).as(bad).contains(" 403 ");
        }
        Files.delete(tokenFile);
        assertThat(ask(post("/pause", bearer(""), ""))).contains(" 403 ");
        assertThat(done).hasSize(1);
    }

    @Test
    void withoutATokenFileNobodyMayActAndItSaysHowTo() throws IOException {
        try (var shut = start(InetAddress.getLoopbackAddress(), Set.of(), AdminToken.NONE)) {
            assertThat(answer(shut, post("/pause", bearer(TOKEN), ""))).contains(" 403 ", "set admin.token_file");
        }
        assertThat(done).isEmpty();
    }

    private static String got(String path, String headers) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "Connection: close\r\n\r\n";
    }

    private static String basic(String pair) {
        var packed = Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        return "Authorization: Basic " + packed + "\r\n";
    }

    @Test
    void whereItTakesTheTokenToReadOnlyHealthAndMetricsAreForAnyone() throws IOException {
        var listen = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var kept = start(new Door(listen, Set.of(), new AdminToken(tokenFile), true))) {
            for (var path : List.of("/healthz", "/readyz", "/metrics"))
                assertThat(answer(kept, got(path, ""))).as(path).contains(" 200 ");
            for (var headers : List.of(bearer(TOKEN), basic("me:" + TOKEN), basic(":" + TOKEN)))
                assertThat(answer(kept, got("/status", headers))).as(headers).contains(" 200 ");
            for (var headers : List.of(
                    "",
                    bearer(TOKEN + "x"),
                    basic(TOKEN),
                    basic(TOKEN + ":"),
                    "Authorization: Basic *\r\n",
                    basic("me:" + TOKEN) + bearer(TOKEN)))
                assertThat(answer(kept, got("/status", headers)))
                        .as(headers)
                        .contains(" 401 ", "Www-authenticate: Basic realm=\"millrace\"")
                        .doesNotContain(TOKEN);
            assertThat(answer(kept, got("/nothing", "")))
                    .as("what there is not")
                    .contains(" 401 ");
            assertThat(answer(kept, post("/pause", basic("me:" + TOKEN), "")))
                    .as("a browser would act for a foreign page")
                    .contains(" 401 ");
            assertThat(answer(kept, post("/pause", bearer(TOKEN), ""))).contains(" 200 ");
            Files.delete(tokenFile);
            assertThat(answer(kept, got("/status", bearer(TOKEN)))).contains(" 403 ");
            assertThat(answer(kept, got("/healthz", ""))).contains(" 200 ");
        }
    }

    @Test
    void whatAnActNamesIsTakenFromTheQueryAndTheFormOnceEach() throws IOException {
        assertThat(ask(post("/pause?shard=a%2Fb", bearer(TOKEN), "replica=postgres%3A%2F%2Fh%3A1%2Fd")))
                .contains(" 200 ");
        assertThat(done).containsExactly(Map.of("shard", "a/b", "replica", "postgres://h:1/d"));
        for (var body : List.of("shard=a&shard=b", "shard", "=a", "shard=%zz", "a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9"))
            assertThat(ask(post("/pause", bearer(TOKEN), body))).as(body).contains(" 400 ");
        assertThat(ask(post("/pause?shard=a", bearer(TOKEN), "shard=b"))).contains(" 400 ");
        assertThat(done).hasSize(1);
    }

    @Test
    void whatItReadsIsBounded() throws IOException {
        assertThat(ask(post("/pause", bearer(TOKEN), "a=" + "x".repeat(4_096)))).contains(" 413 ");
        var much = "x".repeat(20_000);
        assertThat(ask("GET /" + much + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                .as("a long path")
                .doesNotContain(" 200 ", " 404 ");
        assertThat(ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + much + "\r\nConnection: close\r\n\r\n"))
                .as("a long header")
                .doesNotContain(" 200 ");
        assertThat(ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + "X: y\r\n".repeat(3_000) + "\r\n"))
                .as("many headers")
                .doesNotContain(" 200 ");
        assertThat(done).isEmpty();
        assertThat(get("/healthz", "localhost")).as("and goes on").contains(" 200 ");
    }

    @Test
    void nothingOfARequestIsReflectedAndNoPageMayBeMoreThanWhatItGave() throws IOException {
        var marker = "marker-9f3a";
        assertThat(answer(
                        server,
                        "GET /" + marker + "?" + marker + " HTTP/1.1\r\nHost: localhost\r\nOrigin: http://" + marker
                                + "\r\nConnection: close\r\n\r\n"))
                .doesNotContain(marker)
                .doesNotContainIgnoringCase("Access-Control")
                .containsIgnoringCase("Content-Security-Policy: default-src 'none'; script-src 'self'")
                .containsIgnoringCase("X-Content-Type-Options: nosniff")
                .containsIgnoringCase("Cache-Control: no-store");
        assertThat(answer(server, post("/pause?" + marker + "=1", bearer(marker), marker)))
                .doesNotContain(marker);
    }

    @Test
    void aHeadHasNoBody() throws IOException {
        assertThat(answer(server, "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                .contains(" 200 ")
                .endsWith("\r\n\r\n");
    }

    @Test
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

    @Test
    @DisplayName("a page that fails answers nothing and tells nobody but the log, and the next is answered")
    void aPageThatFailsAnswersNothing() throws IOException {
        try (var ear = new LogEar("dev.millrace.admin")) {
            assertThat(answer(server, "GET /broken HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                    .isEmpty();
            assertThat(ear.lines("admin_fault")).containsExactly("event=admin_fault an admin page failed");
        }
        assertThat(get("/healthz", "localhost")).contains(" 200 ");
    }

    @Test
    @DisplayName("whoever guesses the token is told by address, once a second at most and without the guess")
    void aGuessIsTold() throws IOException {
        try (var ear = new LogEar("dev.millrace.admin")) {
            var guess = post("/pause", bearer("guessed-guessed-guessed"), "");
            var since = System.nanoTime();
            for (var i = 0; i < 5; i++) assertThat(ask(guess)).contains(" 401 ");
            assertThat(ear.lines("admin_denied"))
                    .isNotEmpty()
                    .hasSizeLessThanOrEqualTo(1 + (int) ((System.nanoTime() - since) / 1_000_000_000L))
                    .allMatch(line -> line.contains("from=127.0.0.1 ") && !line.contains("guessed"));
        }
        assertThat(done).isEmpty();
    }
}
