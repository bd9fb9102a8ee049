package dev.millrace.pipeline;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.millrace.intake.HttpBounds;
import dev.millrace.sinkpool.NanoClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The admin endpoints: GET and HEAD of a few fixed paths, each computed when it is asked for, and POST of a few acts
/// for whoever has the token.
///
/// Reflects nothing of a request. Binds where it is told, which is loopback by default (OPS-6). It answers to names
/// that nobody else can have: on loopback to loopback's, elsewhere to addresses and to what it is configured to be
/// called; so no page in a browser reads it under a name of its own. All that it reads is bounded: request line and
/// headers together, the body of an act, the time for both, and how many ask at once.
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

    /// Something that may be done to a running pipeline, with what the request names.
    interface Act {
        Answer on(Map<String, String> named);
    }

    /// Where it listens, by which names it is asked, what allows to act, and whether it takes that to read too.
    record Door(InetSocketAddress listen, Set<String> names, AdminToken token, boolean toRead) {
        Door {
            names = names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
        }

        /// For whoever is on this machine, and nobody may act.
        static Door of(InetSocketAddress listen) {
            return new Door(listen, Set.of(), AdminToken.NONE, false);
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger("dev.millrace.admin");
    private static final int BACKLOG = 16;
    private static final int BODY_LIMIT = 4096;
    private static final int NAMED_LIMIT = 8;
    /// Whoever guesses fills no log.
    private static final long DENIED_EVERY_NANOS = 1_000_000_000L;

    /// Of everything: a page may only be what this server gave, and nobody frames it or takes it from elsewhere.
    private static final Map<String, String> HEADERS = Map.of(
            "Cache-Control", "no-store",
            "X-Content-Type-Options", "nosniff",
            "Referrer-Policy", "no-referrer",
            "Cross-Origin-Resource-Policy", "same-origin",
            "Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                            + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'");

    /// What machines ask for, who hold no token.
    private static final Set<String> OPEN = Set.of("/healthz", "/readyz", "/metrics");

    private static final Pattern LOOPBACK = Pattern.compile("localhost|127\\.[0-9.]+|\\[::1]");
    private static final Pattern ADDRESS =
            Pattern.compile("[0-9]{1,3}(?:\\.[0-9]{1,3}){3}|\\[[0-9a-f:.]+(?:%[^\\]]+)?]");
    private static final Pattern PORT = Pattern.compile(":[0-9]{1,5}$");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Door door;
    private final Map<String, Supplier<Answer>> pages;
    private final Map<String, Act> acts;
    private final AtomicLong deniedNanos = new AtomicLong(NanoClock.SYSTEM.nanoTime() - DENIED_EVERY_NANOS);

    private AdminServer(HttpServer server, Door door, Map<String, Supplier<Answer>> pages, Map<String, Act> acts) {
        this.server = server;
        this.door = door;
        this.pages = Map.copyOf(pages);
        this.acts = Map.copyOf(acts);
    }

    /// Throws if the address cannot be bound.
    static AdminServer start(Door door, Map<String, Supplier<Answer>> pages, Map<String, Act> acts) throws IOException {
        HttpBounds.forPeople();
        var admin = new AdminServer(HttpServer.create(door.listen(), BACKLOG), door, pages, acts);
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
            answered(exchange);
        }
    }

    private void answered(HttpExchange exchange) throws IOException {
        try {
            send(exchange, answer(exchange));
        } catch (RuntimeException fault) {
            LOG.atError().addKeyValue("event", "admin_fault").setCause(fault).log("an admin page failed");
            throw fault;
        }
    }

    private Answer answer(HttpExchange exchange) throws IOException {
        if (foreign(exchange)) return Answer.text(421, "ask by an address, or by a name that admin.hosts has");
        var path = exchange.getRequestURI().getPath();
        var kept = door.toRead() && !OPEN.contains(path) ? keptFrom(exchange) : null;
        if (kept != null) return kept;
        var page = pages.get(path);
        var act = acts.get(path);
        return switch (exchange.getRequestMethod()) {
            case "GET", "HEAD" -> {
                if (page != null) yield page.get();
                yield act == null ? Answer.text(404, "no such page") : only(exchange, "POST");
            }
            case "POST" -> {
                if (act != null) yield act(exchange, act);
                yield page == null ? Answer.text(404, "no such page") : only(exchange, "GET, HEAD");
            }
            default -> only(exchange, act == null ? "GET, HEAD" : "POST");
        };
    }

    private static Answer only(HttpExchange exchange, String methods) {
        exchange.getResponseHeaders().set("Allow", methods);
        return Answer.text(405, "only " + methods);
    }

    /// Asked by a name that it does not have. Without one it is no browser that asks.
    private boolean foreign(HttpExchange exchange) {
        var asked = exchange.getRequestHeaders().get("Host");
        if (asked == null) return false;
        if (asked.size() != 1) return true;
        var host = PORT.matcher(asked.getFirst()).replaceFirst("").toLowerCase(Locale.ROOT);
        if (LOOPBACK.matcher(host).matches() || door.names().contains(host)) return false;
        return exchange.getLocalAddress().getAddress().isLoopbackAddress()
                || !ADDRESS.matcher(host).matches();
    }

    private static @Nullable String claim(HttpExchange exchange) {
        var claims = exchange.getRequestHeaders().get("Authorization");
        return claims == null || claims.size() != 1 ? null : claims.getFirst();
    }

    /// What who asks gets instead of a page or an act; null for who holds the token.
    private @Nullable Answer keptFrom(HttpExchange exchange) {
        return switch (door.token().checkReader(claim(exchange))) {
            case HOLDS -> null;
            case OFF, UNREADABLE ->
                Answer.text(403, "nobody may read this: the file of admin.token_file holds no token now");
            case DENIED -> {
                // A browser asks first without, so this is no guess.
                if (claim(exchange) != null) tellDenied(exchange);
                exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"millrace\", charset=\"UTF-8\"");
                yield Answer.text(
                        401,
                        "Authorization: Bearer with the token of admin.token_file; in a browser, any user with it as password");
            }
        };
    }

    /// Takes no password of a browser, which would send it for a page of somebody else's too.
    private Answer act(HttpExchange exchange, Act act) throws IOException {
        return switch (door.token().check(claim(exchange))) {
            case HOLDS -> {
                var body = exchange.getRequestBody().readNBytes(BODY_LIMIT + 1);
                if (body.length > BODY_LIMIT) yield Answer.text(413, "at most " + BODY_LIMIT + " bytes");
                var named = named(exchange.getRequestURI().getRawQuery(), new String(body, StandardCharsets.UTF_8));
                yield named == null
                        ? Answer.text(400, "name each thing once, as name=value&name=value")
                        : act.on(named);
            }
            case OFF ->
                Answer.text(403, "nobody may: set admin.token_file to a file with a token of 16 characters or more");
            case UNREADABLE -> Answer.text(403, "nobody may: the file of admin.token_file holds no token now");
            case DENIED -> {
                tellDenied(exchange);
                exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
                yield Answer.text(401, "Authorization: Bearer with the token of admin.token_file");
            }
        };
    }

    private void tellDenied(HttpExchange exchange) {
        var now = NanoClock.SYSTEM.nanoTime();
        var last = deniedNanos.get();
        if (now - last < DENIED_EVERY_NANOS || !deniedNanos.compareAndSet(last, now)) return;
        LOG.atWarn()
                .addKeyValue("event", "admin_denied")
                .addKeyValue("from", exchange.getRemoteAddress().getAddress().getHostAddress())
                .log("somebody without the token asked for what it takes the token for");
    }

    /// What the query and the form name; null for what is neither, and for what is named twice.
    private static @Nullable Map<String, String> named(@Nullable String query, String form) {
        var all = new HashMap<String, String>();
        for (var text : new @Nullable String[] {query, form}) {
            if (text == null || text.isBlank()) continue;
            for (var pair : text.strip().split("&", -1)) {
                var at = pair.indexOf('=');
                if (at < 1 || all.size() == NAMED_LIMIT) return null;
                try {
                    var name = URLDecoder.decode(pair.substring(0, at), StandardCharsets.UTF_8);
                    var value = URLDecoder.decode(pair.substring(at + 1), StandardCharsets.UTF_8);
                    if (all.put(name, value) != null) return null;
                } catch (IllegalArgumentException _) {
                    return null;
                }
            }
        }
        return all;
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        var body = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", answer.contentType());
        HEADERS.forEach(exchange.getResponseHeaders()::set);
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
