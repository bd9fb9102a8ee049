package dev.millrace.config;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// An intake: rows come as the bodies of POST requests, and there is no log to read again.
///
/// Names in `topics` may be posted to. A body has at most `maxBodyBytes`, and at most `maxRequests` are taken in at
/// once. Whoever asks to wait until the rows are written waits for at most `waitTimeout`. `tokenFile` holds what a
/// request has to show; null: nothing, which only loopback may have. Port 0 is any free port.
public record HttpSourceConfig(
        HostPort listen,
        Topics.Listed topics,
        long maxBodyBytes,
        int maxRequests,
        Duration waitTimeout,
        @Nullable Path tokenFile,
        @Nullable ServerTls tls)
        implements SourceConfig {
    private static final Duration STARTUP_TIMEOUT = Duration.ofSeconds(60);

    public HttpSourceConfig {
        Require.atLeast("maxBodyBytes", maxBodyBytes, 1);
        Require.atLeast("maxRequests", maxRequests, 1);
        Require.positive("waitTimeout", waitTimeout);
    }

    /// What the server shows: PEM files of a certificate and of its key.
    public record ServerTls(Path certFile, Path keyFile) {}

    @Override
    public Duration startupTimeout() {
        return STARTUP_TIMEOUT;
    }

    @Override
    public String startupTimeoutText() {
        return STARTUP_TIMEOUT.toMillis() + " ms";
    }
}
