package dev.millrace.intake;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.millrace.sinkpool.NanoClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Listens for posted rows.
///
/// Life: [#start]; [#drain] when nothing more is to come, from where on it answers 503; [#awaitRead]; [#close] once
/// all that was admitted has ended.
///
/// Thread ownership: any; requests are answered on virtual threads of its own. What bounds the time of a request and
/// the number of connections belongs to the process: see [HttpBounds].
public final class IntakeServer implements AutoCloseable {
    private static final int BACKLOG = 256;
    private static final long LAST_ANSWERS_NANOS = 500_000_000L;
    private static final long MOMENT_MILLIS = 5;

    private final HttpServer server;
    private final boolean encrypted;
    private final NanoClock clock;
    private final Posting posting;
    private final IntakeCounts counts;
    private final IntakeLog log;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger answering = new AtomicInteger();

    private IntakeServer(
            HttpServer server, IntakeSettings settings, List<IntakeSink> sinks, Gate gate, NanoClock clock) {
        this.server = server;
        this.encrypted = settings.tls() != null;
        this.clock = clock;
        this.counts = new IntakeCounts();
        this.log = new IntakeLog(clock);
        var admission = new Admission(sinks, settings.json(), clock);
        this.posting = new Posting(settings, gate, admission, counts, log);
    }

    /// Throws if the address can't be bound.
    public static IntakeServer start(IntakeSettings settings, List<IntakeSink> sinks, Gate gate, NanoClock clock)
            throws IOException {
        HttpBounds.forPosts();
        var intake = new IntakeServer(listen(settings), settings, sinks, gate, clock);
        intake.server.setExecutor(intake.threads);
        intake.server.createContext("/", intake::handle);
        intake.server.start();
        intake.log.listening(intake.address(), intake.encrypted);
        return intake;
    }

    private static HttpServer listen(IntakeSettings settings) throws IOException {
        var tls = settings.tls();
        if (tls == null) return HttpServer.create(settings.listen(), BACKLOG);
        var server = HttpsServer.create(settings.listen(), BACKLOG);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        return server;
    }

    public InetSocketAddress address() {
        return server.getAddress();
    }

    public IntakeCounts counts() {
        return counts;
    }

    private void handle(HttpExchange exchange) throws IOException {
        answering.incrementAndGet();
        try (exchange) {
            send(exchange, answer(exchange));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            answering.decrementAndGet();
        }
    }

    /// Whatever goes wrong is told to who asks, too: a connection that only ends says nothing.
    private Answer answer(HttpExchange exchange) throws InterruptedException {
        try {
            return posting.answer(exchange);
        } catch (RuntimeException | Error fault) {
            log.fault(fault);
            return Answer.error(
                            500,
                            "a fault of ours, which is in the log; whether rows were taken in is not known: sent again,"
                                    + " they may be stored twice")
                    .header("Connection", "close");
        }
    }

    private void send(HttpExchange exchange, Answer answer) throws IOException {
        var body = answer.body().getBytes(StandardCharsets.UTF_8);
        var headers = exchange.getResponseHeaders();
        headers.set("Content-Type", "application/json");
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        answer.headers().forEach(headers::set);
        counts.answered(answer.status());
        var head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(answer.status(), head ? -1 : body.length);
        if (head) return;
        // Its end flushes the answer first: that of the exchange waits for the rest of a body that nobody reads.
        try (var out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    /// Takes nothing in from now on, and says so to whoever asks.
    public void drain() {
        posting.drain();
    }

    /// Waits until no body is being read, or until then. Returns whether none is. After [#drain].
    public boolean awaitRead(long untilNanos) throws InterruptedException {
        return posting.awaitRead(untilNanos - clock.nanoTime());
    }

    /// Listens no more. Whoever waits for rows gets a moment to be told of them as they stand.
    @Override
    public void close() {
        posting.endWaits();
        var until = clock.nanoTime() + LAST_ANSWERS_NANOS;
        try {
            while (answering.get() > 0 && !NanoClock.reached(until, clock.nanoTime()))
                TimeUnit.MILLISECONDS.sleep(MOMENT_MILLIS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        server.stop(0);
        threads.shutdownNow();
    }
}
