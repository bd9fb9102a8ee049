package dev.millrace.intake;

import java.net.InetSocketAddress;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// How an intake is driven. `topics` may be posted to; a body has at most `maxBodyBytes`; at most `maxRequests` are
/// read, or wait, at once. With `json` each line has to be a JSON object. `tls` is what it shows; null for none.
public record IntakeSettings(
        InetSocketAddress listen,
        List<String> topics,
        int maxBodyBytes,
        int maxRequests,
        long waitNanos,
        boolean json,
        @Nullable SSLContext tls) {
    public IntakeSettings {
        topics = List.copyOf(topics);
        if (topics.isEmpty()) throw new IllegalArgumentException("an intake has a topic");
        if (maxBodyBytes < 1) throw new IllegalArgumentException("maxBodyBytes " + maxBodyBytes + " < 1");
        if (maxRequests < 1) throw new IllegalArgumentException("maxRequests " + maxRequests + " < 1");
        if (waitNanos < 1) throw new IllegalArgumentException("waitNanos " + waitNanos + " < 1");
    }
}
