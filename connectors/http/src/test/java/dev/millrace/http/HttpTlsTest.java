package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.httpclient.Clients;
import dev.millrace.httpclient.Tls;
import dev.millrace.lab.http.HttpFront;
import dev.millrace.lab.http.Pem;
import dev.millrace.sinkpool.Ending;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.SlabPool;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// TLS from PEM files, on real sockets: for writes, and for pings that send nothing.
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpTlsTest {
    private Pem server = Pem.NONE;
    private Pem client = Pem.NONE;

    @BeforeAll
    void make(@TempDir Path directory) throws Exception {
        server = Pem.make(directory, "server", "EC", "256");
        client = Pem.make(directory, "client", "EC", "256");
    }

    private HttpFront listen(boolean mutual) throws Exception {
        var sockets = server.context(client.certificate()).getServerSocketFactory();
        var socket = (SSLServerSocket) sockets.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        socket.setNeedClientAuth(mutual);
        return HttpFront.over(socket, "https", line -> {
            line.read();
            line.answer("200 OK", "", "");
        });
    }

    private Tls trusting() {
        return new Tls(server.certificateFile(), null, null);
    }

    @Test
    void writesAndPingsAServerThatAsksForItsCertificate() throws Exception {
        var shown = new Tls(server.certificateFile(), client.certificateFile(), client.keyFile());
        try (var front = listen(true);
                var post = Post.to(front.uri(), with -> with.tls(shown))) {
            assertThat(post.write("a")).isEqualTo(new Written(1, 0));
            assertThat(post.ping(Post.AMPLE)).isEqualTo(new Written(0, 0));
        }
    }

    @Test
    @Tag("WRT-9")
    @DisplayName("WRT-9: memory of rows that were sent and answered, as they are or by TLS, is filled again")
    void memoryOfWhatWasSentIsFilledAgain() throws Exception {
        try (var plain = HttpFront.launch(WireTest.OK);
                var encrypted = listen(false);
                var inTheClear = Post.to(plain.uri());
                var byTls = Post.to(encrypted.uri(), with -> with.tls(trusting()))) {
            for (var post : List.of(inTheClear, byTls)) {
                var pool = new SlabPool(1 << 20, 1 << 20);
                var line = "x".repeat((1 << 20) - 1);
                var rows = Rows.of(pool, line);
                var memory = rows.slices().getFirst().chunk().array();
                assertThat(post.writer().write(Attempt.of(rows, Post.AMPLE))).isEqualTo(new Written(1, 0));
                rows.slices().getFirst().chunk().settle(Ending.WRITTEN);
                assertThat(Rows.of(pool, line).slices().getFirst().chunk().array())
                        .isSameAs(memory);
            }
        }
    }

    @Test
    void writesNothingWithoutTheCertificateThatIsAskedFor() throws Exception {
        try (var front = listen(true);
                var post = Post.to(front.uri(), with -> with.tls(trusting()))) {
            assertThat(post.write("a")).isInstanceOf(Unavailable.class);
            assertThat(front.requests()).isEmpty();
        }
    }

    @Test
    void neitherWritesNorPingsWhereTheNameOrTheAuthorityIsAnother() throws Exception {
        try (var front = listen(false)) {
            var otherName = URI.create("https://127.0.0.1:" + front.uri().getPort() + "/rows");
            try (var byName = Post.to(otherName, with -> with.tls(trusting()));
                    var byAuthority = Post.to(front.uri())) {
                for (var post : new Post[] {byName, byAuthority}) {
                    assertThat(post.write("a"))
                            .isInstanceOfSatisfying(
                                    Unavailable.class,
                                    it -> assertThat(it.failure().code()).isEqualTo("tls"));
                    assertThat(post.ping(Post.AMPLE)).isInstanceOf(Unavailable.class);
                }
            }
            assertThat(front.requests()).isEmpty();
        }
    }

    @Test
    void nothingOlderThanTls12IsSpoken() {
        try (var clients = new Clients("http", trusting(), Duration.ofSeconds(1));
                var lease = clients.lease()) {
            assertThat(lease.client().sslParameters().getProtocols()).containsExactly("TLSv1.3", "TLSv1.2");
        }
    }

    @Test
    void aFileThatCantBeUsedRefusesTheStartAndIsNamed(@TempDir Path directory) throws Exception {
        var empty = Files.createFile(directory.resolve("ca.pem"));
        try (var sink =
                Post.sink(Post.With.DEFAULTS.tls(new Tls(empty, null, null)).settings(), WireTest.nobody())) {
            var deadline = NanoClock.SYSTEM.nanoTime() + Post.AMPLE.toNanos();
            assertThat(sink.look(deadline))
                    .isInstanceOfSatisfying(
                            HttpSink.Looked.Refused.class,
                            it -> assertThat(it.reason()).startsWith("http.tls.ca_file: " + empty));
            assertThat(sink.checkUp(deadline, InstantSource.system()).findings())
                    .extracting(Finding::severity)
                    .containsExactly(Finding.Severity.FAULT);
        }
    }

    @Test
    void aCertificateThatEndsSoonIsTold() throws Exception {
        try (var front = listen(false);
                var post = Post.to(front.uri(), with -> with.tls(trusting()))) {
            var deadline = NanoClock.SYSTEM.nanoTime() + Post.AMPLE.toNanos();
            assertThat(post.sink().checkUp(deadline, InstantSource.system()).findings())
                    .singleElement()
                    .satisfies(it -> assertThat(it.what()).contains("its certificate ends at"));
        }
    }
}
