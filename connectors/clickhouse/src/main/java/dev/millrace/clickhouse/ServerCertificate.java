package dev.millrace.clickhouse;

import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.NanoClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/// Looks how long the certificate that a server shows is good for. Whether it is good at all is told by
/// who talks to it.
final class ServerCertificate {
    private static final Duration SOON = Duration.ofDays(21);
    private static final int HTTPS = 443;

    private ServerCertificate() {}

    /// Null where nothing is to be told: in the clear, or where no handshake comes about.
    static @Nullable Finding look(
            ClickHouseEndpoint endpoint,
            SSLContext context,
            String where,
            NanoClock clock,
            long deadlineNanos,
            InstantSource wallClock) {
        if (!endpoint.scheme().equals("https")) return null;
        var address = URI.create(endpoint.toString());
        try (var plain = new Socket()) {
            var left = Math.clamp(
                    TimeUnit.NANOSECONDS.toMillis(deadlineNanos - clock.nanoTime()) / 2, 1, Integer.MAX_VALUE);
            plain.connect(
                    new InetSocketAddress(address.getHost(), address.getPort() < 0 ? HTTPS : address.getPort()), left);
            plain.setSoTimeout(left);
            var factory = context.getSocketFactory();
            try (var secure = (SSLSocket) factory.createSocket(plain, address.getHost(), plain.getPort(), true)) {
                secure.startHandshake();
                return told(where, secure.getSession().getPeerCertificates()[0], wallClock);
            }
        } catch (IOException _) {
            // Who asks it next is told why.
            return null;
        }
    }

    private static @Nullable Finding told(String where, java.security.cert.Certificate shown, InstantSource wallClock) {
        if (!(shown instanceof X509Certificate certificate)) return null;
        var end = certificate.getNotAfter().toInstant();
        var left = Duration.between(wallClock.instant(), end);
        if (left.compareTo(SOON) > 0) return null;
        return Finding.hazard(
                where,
                "its certificate ends at " + end + ", in " + left.toDays() + " days",
                "renew it before; nothing is written to it after that");
    }
}
