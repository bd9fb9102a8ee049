package dev.millrace.lab;

import dev.millrace.lab.Traffic.Direction;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// One client's connection and the one made to the server for it.
///
/// Life: connect to the server, pump both ways, until both ends have closed, or one broke off, or it is reset.
///
/// Thread ownership: [#run] and the pumps have a thread each; [#reset] may be called from any.
final class Link implements Runnable {
    private static final int CONNECT_MILLIS = 5_000;

    private final Socket client;
    private final Socket server = new Socket();
    private final InetSocketAddress target;
    private final FaultBoard board;
    private final Executor threads;
    private final long number;

    /// The episode in which a request held the cue.
    private volatile @Nullable Episode cued;

    Link(Socket client, InetSocketAddress target, FaultBoard board, Executor threads, long number) {
        this.client = client;
        this.target = target;
        this.board = board;
        this.threads = threads;
        this.number = number;
    }

    long number() {
        return number;
    }

    /// Returns when the connection is over, both ways.
    @Override
    public void run() {
        try {
            board.awaitPassage();
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(target, CONNECT_MILLIS);
            var down = new Pump(this, Direction.DOWN, server, client, board);
            var up = new Pump(this, Direction.UP, client, server, board);
            threads.execute(down);
            up.run();
            down.awaitEnd();
            client.close();
            server.close();
        } catch (IOException | InterruptedException | RejectedExecutionException broken) {
            reset();
        }
    }

    /// A request on this connection held the cue of this episode.
    void cue(Episode episode) {
        cued = episode;
    }

    boolean cuedIn(Episode episode) {
        return cued == episode;
    }

    /// Ends it with a TCP reset at both ends, whatever was under way.
    void reset() {
        reset(client);
        reset(server);
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException closed) {
            // It is closed, or was never connected: there is nobody to tell.
        }
        try {
            socket.close();
        } catch (IOException closed) {
            // The same.
        }
    }
}
