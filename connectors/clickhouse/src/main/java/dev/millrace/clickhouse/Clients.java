package dev.millrace.clickhouse;

import java.net.http.HttpClient;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/// Makes the HTTP clients of one sink: HTTP/1.1, no redirects, no proxy, every connect bounded.
///
/// A client sends a POST anew only where it could not connect, so what it sends is sent once. It keeps the connections
/// that attempts at the same time needed: as many as attempts are let run at once on a replica, and no more. One client
/// serves all replicas, since each client has a thread of its own.
///
/// Thread ownership: immutable.
final class Clients implements Supplier<HttpClient> {
    private final ClickHouseSettings settings;

    Clients(ClickHouseSettings settings) {
        this.settings = settings;
    }

    /// One without a connection, with the certificates that the files hold now. Throws `IllegalArgumentException` for a
    /// file of TLS that can't be read.
    @Override
    public HttpClient get() {
        var tls = TlsFiles.context(settings.login().tls());
        var client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(HttpClient.Builder.NO_PROXY)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .connectTimeout(settings.limits().connectTimeout());
        if (tls != null) client.sslContext(tls);
        return client.build();
    }
}
