package dev.millrace.pipeline;

import dev.millrace.config.MetricsConfig;
import dev.millrace.config.Secret;
import io.micrometer.core.instrument.Clock;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Pushes the meters of one pipeline by OpenTelemetry's protocol, on an interval of its own.
///
/// A push that fails is told by Micrometer and not tried again: the next one has all that it had. Nothing waits for
/// one, but the end of the process for the last, a moment.
///
/// Thread ownership: a daemon thread of its own.
final class OtlpPush extends OtlpMeterRegistry {
    private static final String SERVICE = "service.name";

    static {
        // Micrometer's client is the JDK's old one, which would show our headers to whomever a redirect names. It can
        // be told so for all of the process alone; nobody else in it wants to be sent elsewhere.
        HttpURLConnection.setFollowRedirects(false);
    }

    private final Runnable refresh;

    /// `refresh` lays the series anew before each push.
    OtlpPush(String url, MetricsConfig settings, Runnable refresh) {
        this.refresh = refresh; // first: the other begins to push
        super(
                new Settings(url, settings),
                Clock.SYSTEM,
                task -> Thread.ofPlatform().daemon().name("millrace-otlp").unstarted(task));
    }

    @Override
    protected void publish() {
        refresh.run();
        super.publish();
    }

    /// As the file says; who it is may also be in `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME`, as everywhere.
    private record Settings(String url, MetricsConfig settings) implements OtlpConfig {
        @Override
        public @Nullable String get(String key) {
            return null;
        }

        @Override
        public Duration step() {
            return settings.interval();
        }

        @Override
        public Map<String, String> headers() {
            var headers = new HashMap<String, String>();
            settings.headers().forEach((name, value) -> headers.put(name, now(value)));
            return headers;
        }

        private static String now(Secret value) {
            return value.current();
        }

        @Override
        public Map<String, String> resourceAttributes() {
            var attributes = new HashMap<>(OtlpConfig.super.resourceAttributes());
            attributes.putIfAbsent(SERVICE, "millrace");
            return attributes;
        }
    }
}
