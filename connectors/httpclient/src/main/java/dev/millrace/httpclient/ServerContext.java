package dev.millrace.httpclient;

import java.nio.file.Path;
import java.util.Objects;
import javax.net.ssl.SSLContext;

/// What a server of TLS shows, made of PEM files.
public final class ServerContext {
    private ServerContext() {}

    /// A certificate, those that vouch for it, and its key. Throws an `IllegalArgumentException` that names the file
    /// that is wrong, under `of`.
    public static SSLContext of(String of, Path certFile, Path keyFile) {
        var tls = new Tls(null, certFile, keyFile);
        return Objects.requireNonNull(TlsFiles.context(of, tls, TlsFiles.read(of, tls)));
    }
}
