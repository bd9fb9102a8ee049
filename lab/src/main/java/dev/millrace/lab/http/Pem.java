package dev.millrace.lab.http;

import dev.millrace.lab.LabException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/// A key and a certificate for `localhost` that it signed itself, made by the JDK's tool, as PEM files.
public record Pem(
        Path certificateFile, Path keyFile, @Nullable KeyStore store) {
    public static final Pem NONE = new Pem(Path.of("none"), Path.of("none"), null);

    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final String ALIAS = "it";

    public static Pem make(Path directory, String name, String kind, String size) throws Exception {
        var file = directory.resolve(name + ".p12");
        var tool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keystore",
                        file.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        kind,
                        "-keysize",
                        size,
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:localhost",
                        "-ext",
                        "bc:c=ca:true",
                        "-validity",
                        "2")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(name + ".log").toFile())
                .start();
        if (tool.waitFor() != 0) throw new LabException("keytool made no key " + name);
        var store = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        return new Pem(
                write(
                        directory.resolve(name + ".crt"),
                        "CERTIFICATE",
                        store.getCertificate(ALIAS).getEncoded()),
                write(
                        directory.resolve(name + ".key"),
                        "PRIVATE KEY",
                        store.getKey(ALIAS, PASSWORD).getEncoded()),
                store);
    }

    private static Path write(Path file, String what, byte[] encoded) throws IOException {
        var text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
        return Files.writeString(file, "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
    }

    private KeyStore made() {
        if (store == null) throw new IllegalStateException("not made");
        return store;
    }

    public Certificate certificate() throws GeneralSecurityException {
        return made().getCertificate(ALIAS);
    }

    /// What a server of this key speaks, which trusts this client.
    public SSLContext context(Certificate trusted) throws GeneralSecurityException, IOException {
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(made(), PASSWORD);
        var trust = KeyStore.getInstance("PKCS12");
        trust.load(null, null);
        trust.setCertificateEntry("client", trusted);
        var trusts = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusts.init(trust);
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusts.getTrustManagers(), null);
        return context;
    }
}
