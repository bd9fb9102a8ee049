package dev.millrace.clickhouse;

import java.net.http.HttpClient;
import java.util.function.Supplier;

/// Makes the HTTP clients of one sink: HTTP/1.1, no redirects, no proxy, every connect bounded.
///
/// Thread ownership: immutable.
final class Clients implements Supplier<HttpClient> {
    private final ClickHouseSettings settings;

    Clients(ClickHouseSettings settings) {
        this.settings = settings;
    }

    @Override
    public HttpClient get() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(settings.limits().connectTimeout())
                .build();
    }
}
