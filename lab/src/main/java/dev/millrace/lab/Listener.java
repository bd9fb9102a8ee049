package dev.millrace.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/// A port of 127.0.0.1 on which connections are accepted.
///
/// Invariant: when [#close] returns, connections to the port are refused.
///
/// Thread ownership: one runs it; any may close it.
public final class Listener implements Runnable, AutoCloseable {
    private static final long AGAIN_NANOS = 20_000_000;

    private final ServerSocket socket;
    private final Consumer<Socket> accepted;
    private final CountDownLatch ended = new CountDownLatch(1);

    /// Listens at once. Whoever makes it must run it.
    public Listener(int port, Consumer<Socket> accepted) {
        this.accepted = accepted;
        try {
            this.socket = new ServerSocket(port, 0, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot listen on port " + port, failure);
        }
    }

    @Override
    public void run() {
        try {
            while (!socket.isClosed()) accept();
        } finally {
            ended.countDown();
        }
    }

    private void accept() {
        try {
            accepted.accept(socket.accept());
        } catch (IOException failure) {
            // It was closed; or the process is out of files, and then a later try may do.
            if (!socket.isClosed()) LockSupport.parkNanos(AGAIN_NANOS);
        }
    }

    /// Returns when the last accept is over: only that gives the port back.
    @Override
    public void close() {
        try {
            socket.close();
            ended.await();
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot close the listener on port " + socket.getLocalPort(), failure);
        } catch (InterruptedException failure) {
            Thread.currentThread().interrupt();
        }
    }
}
