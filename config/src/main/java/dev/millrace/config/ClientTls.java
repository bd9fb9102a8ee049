package dev.millrace.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// PEM files for `https` endpoints: the authorities to trust, without them the JDK's, and what the sink shows
/// of itself.
public record ClientTls(
        @Nullable Path caFile,
        @Nullable Path certFile,
        @Nullable Path keyFile) {
    public ClientTls {
        if ((certFile == null) != (keyFile == null))
            throw new IllegalArgumentException("certFile and keyFile go together");
    }
}
