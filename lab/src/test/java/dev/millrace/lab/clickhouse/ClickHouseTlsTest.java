package dev.millrace.lab.clickhouse;

import static dev.millrace.lab.clickhouse.Client.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ClickHouseTlsTest {
    private static final String PASSWORD = "changeit";

    @BeforeAll
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    static void engine() {
        assumeTrue(EngineLibrary.available());
    }

    @Test
    void aFrontSpeaksTlsAndAsksForTheClientsCertificateWhereItIsToldTo(@TempDir Path directory) throws Exception {
        var server = keys(directory.resolve("server.p12"));
        var client = keys(directory.resolve("client.p12"));
        var stranger = context(null, server);
        var known = context(client, server);
        try (var engine = ClickHouseEngine.launch();
                var plain = ClickHouseFront.launch(engine, FrontSettings.open().tls(context(server, client), false));
                var mutual = ClickHouseFront.launch(engine, FrontSettings.open().tls(context(server, client), true))) {
            assertThat(plain.url().getScheme()).isEqualTo("https");
            assertThat(ask(http(stranger), plain, "SELECT 42").post().body()).isEqualTo("42\n");
            assertThat(ask(http(known), mutual, "SELECT 42").post().body()).isEqualTo("42\n");
            assertThatThrownBy(() -> ask(http(stranger), mutual, "SELECT 42").post())
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() ->
                            ask(HttpClient.newHttpClient(), plain, "SELECT 42").post())
                    .isInstanceOf(IOException.class);
        }
    }

    private static HttpClient http(SSLContext context) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(context)
                .build();
    }

    private static SSLContext context(@Nullable KeyStore own, KeyStore trusted)
            throws GeneralSecurityException, IOException {
        var trust = KeyStore.getInstance("PKCS12");
        trust.load(null, null);
        trust.setCertificateEntry("other", trusted.getCertificate("key"));
        var trustManagers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trustManagers.init(trust);
        var context = SSLContext.getInstance("TLS");
        context.init(own == null ? null : keyManagers(own), trustManagers.getTrustManagers(), null);
        return context;
    }

    private static KeyManager[] keyManagers(KeyStore own) throws GeneralSecurityException {
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(own, PASSWORD.toCharArray());
        return factory.getKeyManagers();
    }

    private static KeyStore keys(Path file) throws Exception {
        var keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "key",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-validity",
                        "3650",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        file.toString())
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
        return KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
    }
}
