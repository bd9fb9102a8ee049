package dev.millrace.lab.clickhouse;

import dev.millrace.lab.FreePort;
import dev.millrace.lab.Listener;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// One replica as a client sees it: ClickHouse's HTTP interface on a port of 127.0.0.1, in front of an engine,
/// and wrong wherever a test tells it to be.
///
/// Faults stand beside each other: the first that was told and that befalls a request has it. While its engine
/// does not run, a front refuses connections, as a dead server does.
///
/// Invariant: its port is the same for life, also while it refuses. After [#close] no thread and no connection
/// is left.
///
/// Thread ownership: any thread; starting and ending wait for each other.
public final class ClickHouseFront implements AutoCloseable {
    /// Of the engine, and so of the server that the front plays.
    public static final String VERSION = "26.7.2.1";

    private static final int START_TRIES = 3;

    private final ClickHouseEngine engine;
    private final FrontSettings settings;
    private final FaultPlan plan = new FaultPlan();
    private final RequestLog log = new RequestLog();
    private final Set<ClientConnection> connections = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("clickhouse-front-", 0).factory());
    private final ClickHouseEngine.Follower follower = new ClickHouseEngine.Follower() {
        @Override
        public void engineEnded() {
            down();
        }

        @Override
        public void engineStarted() {
            up();
        }
    };
    private int port;
    private boolean killed;
    private @Nullable Listener listener;

    private ClickHouseFront(ClickHouseEngine engine, FrontSettings settings) {
        this.engine = engine;
        this.settings = settings;
    }

    /// Listens on a free port in front of this engine, whom it does not close.
    public static ClickHouseFront launch(ClickHouseEngine engine, FrontSettings settings) {
        var front = new ClickHouseFront(engine, settings);
        front.firstStart();
        engine.follow(front.follower);
        return front;
    }

    private synchronized void firstStart() {
        for (int left = START_TRIES; ; left--) {
            port = FreePort.take();
            try {
                up();
                return;
            } catch (UncheckedIOException taken) {
                if (left == 1) throw taken;
            }
        }
    }

    public String host() {
        return "127.0.0.1";
    }

    /// The same for life.
    public synchronized int port() {
        return port;
    }

    /// Such as `http://127.0.0.1:12345`.
    public URI url() {
        return URI.create((settings.tls().isPresent() ? "https" : "http") + "://" + host() + ":" + port());
    }

    /// Puts a fault beside those in force.
    public void fault(Fault fault) {
        plan.add(fault);
    }

    /// Ends all faults: what hangs goes on, what is held arrives, what is delayed is delayed no longer.
    public void heal() {
        plan.heal();
    }

    /// The front dies: its connections are reset, new ones refused. What the engine was asked it goes on with,
    /// unless its rows had not all arrived.
    public synchronized void kill() {
        killed = true;
        down();
    }

    /// Listens again on its port, if its engine runs; else as soon as that does.
    public synchronized void start() {
        killed = false;
        up();
    }

    /// Whether it takes connections.
    public synchronized boolean listening() {
        return listener != null;
    }

    /// Closes connections that are idle, as a server does after its keep-alive timeout.
    public void closeIdle() {
        connections.forEach(ClientConnection::closeIfIdle);
    }

    /// The requests it has taken, in the order in which their heads arrived; the last 20,000.
    public List<LoggedRequest> requests() {
        return log.all();
    }

    /// The inserts among them.
    public List<LoggedRequest> inserts() {
        return log.all().stream().filter(LoggedRequest::insert).toList();
    }

    /// Forgets the requests so far.
    public void clearRequests() {
        log.clear();
    }

    /// Waits until the requests are as asked, such as one of them held. Returns false if they are not in time.
    public boolean await(Predicate<List<LoggedRequest>> reached, Duration limit) throws InterruptedException {
        return log.await(reached, limit);
    }

    @Override
    public void close() {
        engine.unfollow(follower);
        kill();
        plan.heal();
        threads.close();
    }

    private synchronized void up() {
        if (killed || listener != null || !engine.running()) return;
        var opened = new Listener(port, this::begin);
        listener = opened;
        threads.execute(opened);
    }

    private synchronized void down() {
        if (listener != null) listener.close();
        listener = null;
        connections.forEach(ClientConnection::reset);
    }

    private void begin(Socket client) {
        var connection = new ClientConnection(client, this);
        connections.add(connection);
        try {
            threads.execute(() -> {
                try {
                    connection.run();
                } finally {
                    connections.remove(connection);
                }
            });
        } catch (RejectedExecutionException closing) {
            connection.reset();
        }
    }

    ClickHouseEngine engine() {
        return engine;
    }

    FrontSettings settings() {
        return settings;
    }

    FaultPlan plan() {
        return plan;
    }

    RequestLog log() {
        return log;
    }
}
