package dev.millrace.httpclient;

import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.NanoClock;
import java.io.IOException;
import java.net.URI;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// Looks how long the certificate that a server shows is good for. Whether it is good at all is told by
/// who talks to it.
public final class ServerCertificate {
    private static final Duration SOON = Duration.ofDays(21);

    private ServerCertificate() {}

    /// Null where nothing is to be told: in the clear, or where no handshake comes about.
    public static @Nullable Finding look(
            URI address,
            SSLContext context,
            String where,
            NanoClock clock,
            long deadlineNanos,
            InstantSource wallClock) {
        if (!"https".equals(address.getScheme())) return null;
        try {
            var left = Math.clamp(
                    TimeUnit.NANOSECONDS.toMillis(deadlineNanos - clock.nanoTime()) / 2, 1, Integer.MAX_VALUE);
            var shown = Handshake.with(address, context, false, left, _ -> {});
            return shown == null ? null : told(where, shown, wallClock);
        } catch (IOException _) {
            // Who asks it next is told why.
            return null;
        }
    }

    private static @Nullable Finding told(String where, Certificate shown, InstantSource wallClock) {
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
