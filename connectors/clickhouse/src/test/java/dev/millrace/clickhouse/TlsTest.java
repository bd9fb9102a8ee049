package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.clickhouse.ClickHouseSettings.Compression;
import dev.millrace.clickhouse.ClickHouseSettings.Tls;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.net.ssl.SSLServerSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
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
