package dev.millrace.clickhouse;

import dev.millrace.clickhouse.ClickHouseSettings.Tls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/// PEM files as what TLS is made of: authorities to trust, and a certificate with its key to show.
///
/// What is wrong with a file is an `IllegalArgumentException` that names it, and quotes nothing of it.
final class TlsFiles {
    private static final long MOST_BYTES = 1 << 20;
    private static final List<String> KEY_KINDS = List.of("RSA", "EC", "EdDSA");

    private TlsFiles() {}

    /// Null where the JDK's own authorities do, and nothing is shown.
    static @Nullable SSLContext context(Tls tls) {
        var ca = tls.caFile();
        var cert = tls.certFile();
        var key = tls.keyFile();
        if (ca == null && cert == null) return null;
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(cert == null || key == null ? null : shown(cert, key), ca == null ? null : trusted(ca), null);
            return context;
        } catch (GeneralSecurityException | IOException failure) {
            throw new IllegalArgumentException(
                    "clickhouse.tls: " + failure.getClass().getSimpleName() + " of the files together", failure);
        }
    }

    private static TrustManager[] trusted(Path ca) throws GeneralSecurityException, IOException {
        var store = emptyStore();
        var number = 0;
        for (var certificate : certificates("ca_file", ca)) store.setCertificateEntry("ca" + number++, certificate);
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyManager[] shown(Path cert, Path key) throws GeneralSecurityException, IOException {
        var chain = certificates("cert_file", cert).toArray(Certificate[]::new);
        var store = emptyStore();
        store.setKeyEntry("client", key(key), new char[0], chain);
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, new char[0]);
        return factory.getKeyManagers();
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static List<? extends Certificate> certificates(String what, Path file) {
        try {
            var all = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(read(what, file)));
            if (all.isEmpty()) throw new IllegalArgumentException(told(what, file, "holds no certificate"));
            return List.copyOf(all);
        } catch (GeneralSecurityException failure) {
            throw new IllegalArgumentException(told(what, file, "is no PEM of certificates"), failure);
        }
    }

    private static PrivateKey key(Path file) {
        var text = new String(read("key_file", file), StandardCharsets.US_ASCII);
        var begin = text.indexOf("-----BEGIN PRIVATE KEY-----");
        var end = text.indexOf("-----END PRIVATE KEY-----");
        if (begin < 0 || end < begin)
            throw new IllegalArgumentException(told(
                    "key_file",
                    file,
                    "is no unencrypted PKCS#8 key (BEGIN PRIVATE KEY): convert it with openssl pkcs8 -topk8 -nocrypt"));
        var inner = text.substring(begin + "-----BEGIN PRIVATE KEY-----".length(), end);
        var encoded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(inner));
        for (var kind : KEY_KINDS) {
            try {
                return KeyFactory.getInstance(kind).generatePrivate(encoded);
            } catch (InvalidKeySpecException _) {
                // It is of another kind.
            } catch (GeneralSecurityException failure) {
                throw new IllegalStateException("the JDK has no " + kind, failure);
            }
        }
        throw new IllegalArgumentException(told("key_file", file, "is of none of " + KEY_KINDS));
    }

    private static byte[] read(String what, Path file) {
        try {
            if (Files.size(file) > MOST_BYTES) throw new IllegalArgumentException(told(what, file, "is above 1 MiB"));
            return Files.readAllBytes(file);
        } catch (IOException failure) {
            throw new IllegalArgumentException(
                    told(what, file, "can't be read: " + failure.getClass().getSimpleName()), failure);
        }
    }

    private static String told(String what, Path file, String wrong) {
        return "clickhouse.tls." + what + ": " + file + " " + wrong;
    }
}
