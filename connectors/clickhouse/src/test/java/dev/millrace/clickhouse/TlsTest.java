package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Tls;
import dev.millrace.lab.http.Pem;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLServerSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// TLS from PEM files, on real sockets.
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TlsTest {
    private static final String ROW = "{\"id\":1}";

    private Pem server = Pem.NONE;
    private Pem client = Pem.NONE;
    private Pem stranger = Pem.NONE;

    @BeforeAll
    void make(@TempDir Path directory) throws Exception {
        server = Pem.make(directory, "server", "RSA", "2048");
        client = Pem.make(directory, "client", "EC", "256");
        stranger = Pem.make(directory, "stranger", "RSA", "2048");
    }

    private Stub listen(boolean mutual) throws Exception {
        var context = server.context(client.certificate());
        var socket = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        socket.setNeedClientAuth(mutual);
        return Stub.over(socket, "https", Stub.ok());
    }

    private static ClickHouseSettings settings(@Nullable Path ca, @Nullable Path cert, @Nullable Path key) {
        return Bench.settings("events", Compression.LZ4, () -> "s3cret", new Tls(ca, cert, key), Map.of());
    }

    /// Described over a line in the clear, since what is tested is the write.
    private static void refused(ClickHouseSettings settings, URI address) throws Exception {
        try (var clear = Stub.listen(Stub.ok());
                var bench = Bench.open(settings, clear.uri(), address)) {
            assertThat(bench.write(ROW)).isInstanceOfSatisfying(Unavailable.class, outcome -> {
                assertThat(outcome.failure().mayHaveStored()).isFalse();
                assertThat(outcome.failure().code()).isEqualTo("tls");
            });
        }
    }

    @Test
    void writesToAServerThatItsAuthorityVouchesFor() throws Exception {
        try (var stub = listen(false);
                var bench = Bench.open(settings(server.certificateFile(), null, null), stub.uri())) {
            assertThat(bench.write(ROW)).isEqualTo(new Written(1, 0));
            assertThat(stub.only().headers()).containsEntry("content-encoding", "lz4");
        }
    }

    @Test
    void writesNothingToAServerThatNobodyVouchesFor() throws Exception {
        try (var stub = listen(false)) {
            refused(settings(stranger.certificateFile(), null, null), stub.uri());
            refused(settings(null, null, null), stub.uri());
            assertThat(stub.requests()).isEmpty();
        }
    }

    @Test
    void writesNothingUnderAnotherHostName() throws Exception {
        try (var stub = listen(false)) {
            refused(
                    settings(server.certificateFile(), null, null),
                    URI.create("https://127.0.0.1:" + stub.uri().getPort()));
            assertThat(stub.requests()).isEmpty();
        }
    }

    @Test
    void showsItsCertificateToAServerThatAsks() throws Exception {
        try (var stub = listen(true);
                var bench = Bench.open(
                        settings(server.certificateFile(), client.certificateFile(), client.keyFile()), stub.uri())) {
            assertThat(bench.write(ROW)).isEqualTo(new Written(1, 0));
        }
    }

    @Test
    void writesNothingWithoutTheCertificateThatIsAskedFor() throws Exception {
        try (var stub = listen(true);
                var clear = Stub.listen(Stub.ok());
                var bench = Bench.open(settings(server.certificateFile(), null, null), clear.uri(), stub.uri())) {
            // The server tells after it was written to, so who wrote cannot know.
            assertThat(bench.write(ROW)).isInstanceOf(Unavailable.class);
            assertThat(stub.requests()).isEmpty();
        }
    }

    /// Described over a line in the clear, since the files do not fit yet.
    private static Bench rotating(ClickHouseSettings settings, Stub clear, Stub stub) throws Exception {
        return Bench.open(settings, clear.uri(), stub.uri());
    }

    private static void copy(Path from, Path to) throws Exception {
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void noTls(WriteOutcome outcome) {
        assertThat(outcome).isInstanceOfSatisfying(Unavailable.class, away -> {
            assertThat(away.failure().code()).isEqualTo("tls");
            assertThat(away.failure().mayHaveStored()).isFalse();
        });
    }

    @Test
    @DisplayName("INPUT-43: an authority that is another by now is taken from its file, and what was held goes through")
    void authorityRotates(@TempDir Path directory) throws Exception {
        var ca = directory.resolve("ca.pem");
        copy(stranger.certificateFile(), ca);
        try (var stub = listen(false);
                var clear = Stub.listen(Stub.ok());
                var bench = rotating(settings(ca, null, null), clear, stub)) {
            noTls(bench.write(ROW));
            assertThat(bench.ping()).isInstanceOf(Unavailable.class);
            copy(server.certificateFile(), ca);
            assertThat(bench.write(ROW)).isEqualTo(new Written(1, 0));
            copy(stranger.certificateFile(), ca);
            noTls(bench.ping());
            noTls(bench.write(ROW));
        }
    }

    @Test
    @DisplayName("INPUT-43: a certificate of ours that is another by now is shown, together with its key only")
    void ownCertificateRotates(@TempDir Path directory) throws Exception {
        var cert = directory.resolve("me.pem");
        var key = directory.resolve("me.key");
        copy(stranger.certificateFile(), cert);
        copy(stranger.keyFile(), key);
        try (var stub = listen(true);
                var clear = Stub.listen(Stub.ok());
                var bench = rotating(settings(server.certificateFile(), cert, key), clear, stub)) {
            assertThat(bench.write(ROW)).isInstanceOf(Unavailable.class);
            copy(client.certificateFile(), cert);
            assertThat(bench.write(ROW)).as("without its key").isInstanceOf(Unavailable.class);
            copy(client.keyFile(), key);
            assertThat(bench.write(ROW)).isEqualTo(new Written(1, 0));
        }
    }

    @Test
    @DisplayName("INPUT-43: files that can't be used change nothing, and are told once for each trouble")
    void unfitFilesChangeNothing(@TempDir Path directory) throws Exception {
        var ca = directory.resolve("ca.pem");
        copy(server.certificateFile(), ca);
        try (var log = LogLines.named("dev.millrace.httpclient.Certificates");
                var stub = listen(false);
                var bench = Bench.open(settings(ca, null, null), stub.uri())) {
            for (var broken : new String[] {"", "no certificate"}) {
                Files.writeString(ca, broken);
                for (var i = 0; i < 3; i++) {
                    assertThat(bench.write(ROW)).isEqualTo(new Written(1, 0));
                    assertThat(bench.ping())
                            .isInstanceOf(Unavailable.class)
                            .asString()
                            .doesNotContain("tls");
                }
            }
            Files.delete(ca);
            assertThat(bench.write(ROW)).isEqualTo(new Written(1, 0));
            assertThat(log.lines()).hasSize(3).allMatch(line -> line.contains("what was read before stays in use"));
            assertThat(log.lines().getLast()).contains("ca.pem can't be read");
            copy(server.certificateFile(), ca);
            assertThat(bench.write(ROW)).isEqualTo(new Written(1, 0));
            assertThat(log.lines()).as("the same as before").hasSize(3);
            Files.writeString(ca, "");
            assertThat(bench.write(ROW)).isEqualTo(new Written(1, 0));
            assertThat(log.lines()).as("news again").hasSize(4);
        }
    }

    @Test
    @DisplayName("INPUT-43: what is under way goes on when the certificates change, and the old client ends after it")
    void whatIsUnderWayGoesOn(@TempDir Path directory) throws Exception {
        var ca = directory.resolve("ca.pem");
        copy(server.certificateFile(), ca);
        var taken = new CompletableFuture<Boolean>();
        var go = new CompletableFuture<Boolean>();
        var context = server.context(client.certificate());
        var socket = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        try (var stub = Stub.over(
                        socket,
                        "https",
                        line -> {
                            line.read();
                            taken.complete(true);
                            go.join();
                            line.say("HTTP/1.1 200 OK\r\n" + Stub.CLICKHOUSE + "Content-Length: 0\r\n\r\n");
                        },
                        Stub.ok());
                var bench = Bench.open(settings(ca, null, null), stub.uri())) {
            var first = bench.begin(new Call(Lines.batch(ROW), "run/1", Bench.AMPLE));
            taken.join();
            Files.writeString(
                    ca, Files.readString(server.certificateFile()) + Files.readString(client.certificateFile()));
            assertThat(bench.write(ROW)).isEqualTo(new Written(1, 0));
            assertThat(first).isNotDone();
            go.complete(true);
            assertThat(first.join()).isEqualTo(new Written(1, 0));
            assertThat(bench.write(ROW)).isEqualTo(new Written(1, 0));
        }
    }

    @Test
    void aClientEndsWithItsLastLeaseOnceAnotherTookItsPlace(@TempDir Path directory) throws Exception {
        var ca = directory.resolve("ca.pem");
        copy(server.certificateFile(), ca);
        try (var clients = settings(ca, null, null).clients()) {
            var first = clients.lease();
            var same = clients.lease();
            assertThat(same.client()).isSameAs(first.client());
            copy(stranger.certificateFile(), ca);
            var other = clients.lease();
            assertThat(other.client()).isNotSameAs(first.client());
            first.close();
            assertThat(first.client().isTerminated()).isFalse();
            assertThat(clients.count()).isEqualTo(2);
            same.close();
            assertThat(clients.count()).isEqualTo(1);
            assertThat(same.client().awaitTermination(Bench.AMPLE)).isTrue();
            other.close();
            assertThat(clients.count()).as("the last one stays").isEqualTo(1);
        }
    }

    @Test
    void aKeyOfAnotherCertificateIsTold() throws Exception {
        told(settings(null, client.certificateFile(), server.keyFile()), "clickhouse.tls.key_file", "not the key");
        told(settings(null, server.certificateFile(), stranger.keyFile()), "clickhouse.tls.key_file", "not the key");
    }

    @Test
    void filesThatAreNoneAreTold(@TempDir Path directory) throws Exception {
        var empty = Files.createFile(directory.resolve("empty.pem"));
        var missing = directory.resolve("missing.pem");
        told(settings(missing, null, null), "clickhouse.tls.ca_file", "missing.pem", "can't be read");
        told(settings(empty, null, null), "clickhouse.tls.ca_file", "empty.pem", "holds no certificate");
        told(settings(client.keyFile(), null, null), "clickhouse.tls.ca_file");
        told(settings(null, client.certificateFile(), client.certificateFile()), "clickhouse.tls.key_file", "PKCS#8");
        assertThatThrownBy(() -> new Tls(null, client.certificateFile(), null))
                .hasMessageContaining("cert_file and key_file go together");
    }

    private static void told(ClickHouseSettings settings, String... parts) throws InterruptedException {
        try (var sink = Bench.sink(settings, URI.create("https://localhost:1"))) {
            assertThat(sink.describe(Bench.in(Bench.AMPLE)))
                    .isInstanceOfSatisfying(
                            Description.Refused.class,
                            refused -> assertThat(refused.reason()).contains(parts));
        }
    }
}
