package dev.millrace.httpclient;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/// Makes the HTTP clients of one sink: HTTP/1.1, TLS 1.2 or newer, no redirects, no proxy, every connect bounded.
///
/// A client sends a POST anew only where it could not connect, so what it sends is sent once. It keeps
/// the connections that attempts at the same time needed: as many as attempts are let run at once on a
/// replica, and no more. One client serves all replicas, since each client has a thread of its own. Where
/// the certificates changed another takes its place, and it ends with the last request that it serves.
///
/// Thread ownership: shared; guarded by itself.
public final class Clients implements AutoCloseable {
    /// Older ones are not spoken, whatever the JVM is told.
    private static final String[] TLS = {"TLSv1.3", "TLSv1.2"};

    private final Duration connectTimeout;
    private final Certificates certificates;

    /// Those that serve, the last one whoever asks now.
    private final List<Shared> serving = new ArrayList<>();

    private boolean closed;

    /// `of` is the kind of sink, as its section in the file is named.
    public Clients(String of, Tls tls, Duration connectTimeout) {
        this.connectTimeout = connectTimeout;
        certificates = new Certificates(of, tls);
    }

    /// The one that everybody uses, with the certificates that the files hold now, to be given back. Throws
    /// `IllegalArgumentException` for a file of TLS that can't be used, if none ever could.
    public synchronized Lease lease() {
        if (closed) throw new IllegalStateException("the sink is closed");
        var now = certificates.current();
        var last = serving.isEmpty() ? null : serving.getLast();
        if (last == null || last.number != now.number()) {
            var next = new Shared(make(now.context()), now.number());
            serving.add(next);
            if (last != null) endIfIdle(last);
            last = next;
        }
        last.leases++;
        return new Lease(last);
    }

    /// One of its own, without a connection, for its caller to shut down. Throws as [#lease] does.
    public HttpClient fresh() {
        return make(certificates.current().context());
    }

    private HttpClient make(@Nullable SSLContext tls) {
        var client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(HttpClient.Builder.NO_PROXY)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .sslParameters(new SSLParameters(null, TLS))
                .connectTimeout(connectTimeout);
        if (tls != null) client.sslContext(tls);
        return client.build();
    }

    private synchronized void giveBack(Shared shared) {
        shared.leases--;
        endIfIdle(shared);
    }

    /// The last one stays.
    private void endIfIdle(Shared shared) {
        if (shared.leases > 0 || shared == serving.getLast()) return;
        serving.remove(shared);
        // Closing it would wait for its threads.
        shared.client.shutdownNow();
    }

    /// How many serve.
    public synchronized int count() {
        return serving.size();
    }

    /// Ends every request under way. Blocks for nothing.
    @Override
    public synchronized void close() {
        closed = true;
        for (var shared : serving) shared.client.shutdownNow();
    }

    private static final class Shared {
        private final HttpClient client;
        private final long number;
        private int leases;

        Shared(HttpClient client, long number) {
            this.client = client;
            this.number = number;
        }
    }

    /// The use of a client by one attempt.
    public final class Lease implements AutoCloseable {
        private final Shared shared;

        private Lease(Shared shared) {
            this.shared = shared;
        }

        public HttpClient client() {
            return shared.client;
        }

        /// Once.
        @Override
        public void close() {
            giveBack(shared);
        }
    }
}
