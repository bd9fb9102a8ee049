package dev.millrace.lab;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A TCP proxy on 127.0.0.1 that breaks the connections through it as it is told.
///
/// One fault is in force at a time: each call begins a new one in the place of the one before, on the
/// connections there are and on those to come, and [#heal] ends it. Counts of bytes begin anew with it. If the
/// server itself cannot be reached, a client is connected and then reset.
///
/// Invariant: its port is the same for life, also while it refuses. After [#close] no thread and no connection
/// is left.
///
/// Thread ownership: any thread; calls that change the fault wait for each other.
public final class ChaosProxy implements AutoCloseable {
    private final FaultBoard board = new FaultBoard();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("chaos-", 0).factory());
    private final int port;
    private volatile InetSocketAddress target;
    private @Nullable Listener listener;
    private boolean closed;

    private ChaosProxy(int port, InetSocketAddress target) {
        this.port = port;
        this.target = target;
    }

    /// Listens on a free port, and forwards to this server until told otherwise.
    public static ChaosProxy launch(String targetHost, int targetPort) {
        var proxy = new ChaosProxy(FreePort.take(), new InetSocketAddress(targetHost, targetPort));
        proxy.change(new Fault.None());
        return proxy;
    }

    public String host() {
        return "127.0.0.1";
    }

    /// The same for life.
    public int port() {
        return port;
    }

    /// Where connections made from now on go.
    public void target(String host, int port) {
        target = new InetSocketAddress(host, port);
    }

    /// Nobody listens: connections are reset, new ones refused, until the next fault or [#heal].
    public synchronized void refuse() {
        board.change(new Fault.Refuse());
        if (listener != null) listener.close();
        listener = null;
        links.forEach(Link::reset);
    }

    /// Connections hang: nothing is read, forwarded or closed, new ones are accepted and hang too. All go on
    /// where they were when it ends.
    public void blackHole() {
        change(new Fault.BlackHole());
    }

    /// Every block of bytes comes later by `base` and a random part of `jitter`, in both directions.
    public void delay(Duration base, Duration jitter, long seed) {
        change(new Fault.Delay(base, jitter, seed));
    }

    /// So many bytes a second pass, in each direction of each connection.
    public void slowDrip(int bytesPerSecond) {
        change(new Fault.SlowDrip(bytesPerSecond));
    }

    /// Each connection passes exactly so many bytes more to the server and is reset then; with 0, at the first
    /// byte.
    public void cutAfterUp(long bytes) {
        change(new Fault.CutAfterUp(bytes));
    }

    /// Each connection passes exactly so many bytes more to the client and is reset then; with 0, at the first
    /// byte.
    public void cutAfterDown(long bytes) {
        change(new Fault.CutAfterDown(bytes));
    }

    /// The next answer the cue means never arrives: its request went out whole, the server has answered, the
    /// answer is swallowed and the connection reset. All is well again after this one.
    public void dropAnswer(Cue cue) {
        change(new Fault.DropAnswers(cue, 1));
    }

    /// The same with every such answer, until it ends.
    public void dropAnswers(Cue cue) {
        change(new Fault.DropAnswers(cue, Long.MAX_VALUE));
    }

    /// Answers the cue means are kept back, with all that follows on their connections, until it ends; requests
    /// pass. They arrive with [#releaseAnswers] or [#heal], and are lost with [#refuse].
    public void holdAnswers(Cue cue) {
        change(new Fault.HoldAnswers(cue));
    }

    /// Ends [#holdAnswers] and nothing else.
    public synchronized void releaseAnswers() {
        if (board.episode().fault() instanceof Fault.HoldAnswers) heal();
    }

    /// Ends the fault in force.
    public void heal() {
        change(new Fault.None());
    }

    public Traffic traffic() {
        return board.traffic();
    }

    /// Waits until the traffic is as asked, such as `t -> t.held() == 1`. Returns false if it is not in time.
    public boolean await(Predicate<Traffic> reached, Duration limit) throws InterruptedException {
        return board.await(reached, limit);
    }

    @Override
    public synchronized void close() {
        closed = true;
        refuse();
        threads.close();
    }

    private synchronized void change(Fault fault) {
        if (closed) throw new IllegalStateException("the proxy on port " + port + " is closed");
        board.change(fault);
        if (listener != null) return;
        var opened = new Listener(port, this::begin);
        listener = opened;
        threads.execute(opened);
    }

    private void begin(Socket client) {
        board.count(Traffic::connected);
        var link = new Link(client, target, board, threads, board.traffic().connections());
        links.add(link);
        // Who begins to refuse says so first and resets the links after that: a link it has not seen sees it here.
        if (board.episode().fault() instanceof Fault.Refuse) link.reset();
        try {
            threads.execute(() -> {
                link.run();
                links.remove(link);
            });
        } catch (RejectedExecutionException closing) {
            link.reset();
        }
    }
}
