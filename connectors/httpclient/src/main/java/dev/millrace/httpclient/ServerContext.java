package dev.millrace.httpclient;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

/// What a server of TLS shows, made of PEM files.
public final class ServerContext {
    private ServerContext() {}

    /// A certificate, those that vouch for it, and its key, as the files hold them at each handshake. Throws an
    /// `IllegalArgumentException` that names the file that is wrong, under `of`.
    public static SSLContext of(String of, Path certFile, Path keyFile) {
        var shown = new ShownCertificate(of, new Tls(null, certFile, keyFile));
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {shown}, null, null);
            return context;
        } catch (GeneralSecurityException failure) {
            throw new IllegalStateException("every Java runtime has TLS", failure);
        }
    }
}
