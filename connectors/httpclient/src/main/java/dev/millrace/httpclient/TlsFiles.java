package dev.millrace.httpclient;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/// PEM files as what TLS is made of: authorities to trust, and a certificate with its key to show.
///
/// What is wrong with a file is an `IllegalArgumentException` that names it, and quotes nothing of it.
final class TlsFiles {
    private static final long MOST_BYTES = 1 << 20;
    private static final List<String> KEY_KINDS = List.of("RSA", "EC", "EdDSA");

    private TlsFiles() {}

    /// What the files hold, null for one that is not named. Prints nothing of it.
    record Pems(
            @Nullable String ca,
            @Nullable String cert,
            @Nullable String key) {
        static final Pems NONE = new Pems(null, null, null);

        @Override
        public String toString() {
            return "Pems[***]";
        }
    }

    /// Reads the files, and judges nothing.
    static Pems read(String of, Tls tls) {
        var where = of + ".tls.";
        return new Pems(
                read(where + "ca_file", tls.caFile()),
                read(where + "cert_file", tls.certFile()),
                read(where + "key_file", tls.keyFile()));
    }

    private static @Nullable String read(String what, @Nullable Path file) {
        if (file == null) return null;
        try {
            if (Files.size(file) > MOST_BYTES) throw new IllegalArgumentException(told(what, file, "is above 1 MiB"));
            // Each byte a letter, whatever it holds.
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException failure) {
            throw new IllegalArgumentException(
                    told(what, file, "can't be read: " + failure.getClass().getSimpleName()), failure);
        }
    }

    /// Null where the JDK's own authorities do, and nothing is shown.
    static @Nullable SSLContext context(String of, Tls tls, Pems pems) {
        var ca = tls.caFile();
        if (ca == null && tls.certFile() == null) return null;
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(
                    tls.certFile() == null || tls.keyFile() == null
                            ? null
                            : new KeyManager[] {keys(of, tls, pems, "client")},
                    ca == null ? null : trusted(certificates(of + ".tls.ca_file", ca, pems.ca())),
                    null);
            return context;
        } catch (GeneralSecurityException | IOException failure) {
            throw together(of, failure);
        }
    }

    /// A certificate with its key, under this alias.
    static X509ExtendedKeyManager keys(String of, Tls tls, Pems pems, String alias) {
        var certFile = Objects.requireNonNull(tls.certFile());
        var keyFile = Objects.requireNonNull(tls.keyFile());
        var keyName = of + ".tls.key_file";
        try {
            var chain = certificates(of + ".tls.cert_file", certFile, pems.cert());
            var key = key(keyName, keyFile, pems.key());
            if (!belongTogether(chain.getFirst().getPublicKey(), key))
                throw new IllegalArgumentException(told(keyName, keyFile, "is not the key of the first of cert_file"));
            var store = emptyStore();
            store.setKeyEntry(alias, key, new char[0], chain.toArray(Certificate[]::new));
            var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, new char[0]);
            for (var manager : factory.getKeyManagers())
                if (manager instanceof X509ExtendedKeyManager keys) return keys;
            throw new IllegalStateException("every Java runtime has key managers of X.509");
        } catch (GeneralSecurityException | IOException failure) {
            throw together(of, failure);
        }
    }

    private static IllegalArgumentException together(String of, Exception failure) {
        return new IllegalArgumentException(
                of + ".tls: " + failure.getClass().getSimpleName() + " of the files together", failure);
    }

    private static TrustManager[] trusted(List<? extends Certificate> authorities)
            throws GeneralSecurityException, IOException {
        var store = emptyStore();
        var number = 0;
        for (var certificate : authorities) store.setCertificateEntry("ca" + number++, certificate);
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    /// Half of a pair that is being replaced would be refused by every server.
    private static boolean belongTogether(PublicKey shown, PrivateKey key) throws GeneralSecurityException {
        if (!shown.getAlgorithm().equals(key.getAlgorithm())) return false;
        var signature = Signature.getInstance(
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> "EdDSA";
                });
        signature.initSign(key);
        signature.update((byte) 1);
        var signed = signature.sign();
        signature.initVerify(shown);
        signature.update((byte) 1);
        return signature.verify(signed);
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static List<? extends Certificate> certificates(String what, Path file, @Nullable String held) {
        try {
            var all =
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(bytes(held)));
            if (all.isEmpty()) throw new IllegalArgumentException(told(what, file, "holds no certificate"));
            return List.copyOf(all);
        } catch (GeneralSecurityException failure) {
            throw new IllegalArgumentException(told(what, file, "is no PEM of certificates"), failure);
        }
    }

    private static byte[] bytes(@Nullable String held) {
        return (held == null ? "" : held).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static PrivateKey key(String what, Path file, @Nullable String held) {
        var text = held == null ? "" : held;
        var begin = text.indexOf("-----BEGIN PRIVATE KEY-----");
        var end = text.indexOf("-----END PRIVATE KEY-----");
        if (begin < 0 || end < begin)
            throw new IllegalArgumentException(told(
                    what,
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
        throw new IllegalArgumentException(told(what, file, "is of none of " + KEY_KINDS));
    }

    private static String told(String what, Path file, String wrong) {
        return what + ": " + file + " " + wrong;
    }
}
