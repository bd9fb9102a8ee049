package dev.millrace.pipeline;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The admin endpoints: GET and HEAD of a few fixed paths, each computed when it is asked for.
///
/// Reads nothing of a request but its method, path and host, and reflects none. Binds where it is told, which is
/// loopback by default (OPS-6); there it answers to loopback's names only, so that no page in a browser reads it under
/// a name of its own. A client that says nothing is dropped, and there are few at a time.
///
/// Thread ownership: any; answers are computed on virtual threads of its own.
final class AdminServer implements AutoCloseable {
    /// One answer.
    record Answer(int status, String contentType, String body) {
        static Answer text(int status, String body) {
            return new Answer(status, "text/plain; charset=utf-8", body + "\n");
        }

        static Answer json(String body) {
            return new Answer(200, "application/json", body + "\n");
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger("dev.millrace.admin");
    private static final int BACKLOG = 16;

    /// The JDK's server reads its limits once, from properties of the process: seconds, seconds, connections.
    private static final Map<String, String> LIMITS = Map.of(
            "sun.net.httpserver.maxReqTime", "10",
            "sun.net.httpserver.maxRspTime", "30",
            "jdk.httpserver.maxConnections", "64");

    private static final Pattern LOOPBACK =
            Pattern.compile("(?:localhost|127\\.[0-9.]+|\\[::1])(?::[0-9]+)?", Pattern.CASE_INSENSITIVE);

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Supplier<Answer>> pages;

    private AdminServer(HttpServer server, Map<String, Supplier<Answer>> pages) {
        this.server = server;
        this.pages = Map.copyOf(pages);
    }

    /// Throws if the address cannot be bound.
    static AdminServer start(InetSocketAddress listen, Map<String, Supplier<Answer>> pages) throws IOException {
        LIMITS.forEach((name, value) -> {
            if (System.getProperty(name) == null) System.setProperty(name, value);
        });
        var admin = new AdminServer(HttpServer.create(listen, BACKLOG), pages);
        admin.server.setExecutor(admin.threads);
        admin.server.createContext("/", admin::handle);
        admin.server.start();
        return admin;
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var method = exchange.getRequestMethod();
            if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, Answer.text(405, "only GET and HEAD"));
                return;
            }
            if (foreign(exchange)) {
                send(exchange, Answer.text(421, "ask by a name of loopback"));
                return;
            }
            var page = pages.get(exchange.getRequestURI().getPath());
            send(exchange, page == null ? Answer.text(404, "no such page") : page.get());
        } catch (RuntimeException fault) {
            LOG.atError().addKeyValue("event", "admin_fault").setCause(fault).log("an admin page failed");
            throw fault;
        }
    }

    private static boolean foreign(HttpExchange exchange) {
        var host = exchange.getRequestHeaders().getFirst("Host");
        return exchange.getLocalAddress().getAddress().isLoopbackAddress()
                && host != null
                && !LOOPBACK.matcher(host).matches();
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        var body = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", answer.contentType());
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
        var head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(answer.status(), head ? -1 : body.length);
        if (!head) exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
