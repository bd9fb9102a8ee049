package dev.millrace.httpclient;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// How `https` endpoints are checked, and how a sink shows who it is.
///
/// Certificate and host name are checked against the authorities in `caFile` or, without one, the
/// JDK's. `keyFile` and `certFile` are PEM, for mutual TLS.
public record Tls(
        @Nullable Path caFile,
        @Nullable Path certFile,
        @Nullable Path keyFile) {
    public static final Tls DEFAULTS = new Tls(null, null, null);

    public Tls {
        if ((certFile == null) != (keyFile == null))
            throw new IllegalArgumentException("tls: cert_file and key_file go together");
    }
}
