package dev.millrace.config;

import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Where metrics are pushed to, beside what is scraped: `otlp` is null for nowhere. The headers may be secrets.
public record MetricsConfig(Endpoint.@Nullable Receiver otlp, Duration interval, SortedMap<String, Secret> headers) {
    public MetricsConfig {
        Require.positive("interval", interval);
        var own = new TreeMap<String, Secret>(String.CASE_INSENSITIVE_ORDER);
        own.putAll(headers);
        headers = Collections.unmodifiableSortedMap(own);
    }
}
