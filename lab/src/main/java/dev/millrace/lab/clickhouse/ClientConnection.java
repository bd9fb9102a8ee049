package dev.millrace.lab.clickhouse;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import javax.net.ssl.SSLSocket;

/// One client's connection to a front: request after request, until either end has enough.
///
/// Thread ownership: one thread runs it; any may reset or close it.
final class ClientConnection implements Runnable {
    private final Socket raw;
    private final ClickHouseFront front;
    private volatile boolean asking;

    ClientConnection(Socket raw, ClickHouseFront front) {
        this.raw = raw;
        this.front = front;
    }

    @Override
    public void run() {
        try (raw) {
            raw.setTcpNoDelay(true);
            Socket socket = secured();
            InputStream in = new BufferedInputStream(socket.getInputStream(), 64 << 10);
            OutputStream out = socket.getOutputStream();
            boolean goesOn = true;
            while (goesOn) {
                var head = RequestHead.read(in);
                if (head == null) return;
                asking = true;
                goesOn = new Exchange(front, this, head, in, out).run();
                asking = false;
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            reset();
        } catch (IOException broken) {
            // The client went away, or was sent away; what became of its request is in the log.
            reset();
        }
    }

    private Socket secured() throws IOException {
        var settings = front.settings();
        if (settings.tls().isEmpty()) return raw;
        var factory = settings.tls().get().getSocketFactory();
        var socket = (SSLSocket) factory.createSocket(raw, "127.0.0.1", raw.getPort(), true);
        socket.setUseClientMode(false);
        socket.setNeedClientAuth(settings.clientCertificate());
        return socket;
    }

    boolean open() {
        return !raw.isClosed();
    }

    /// Closes it as a server does whose patience with an idle client has ended. Nothing while it asks.
    void closeIfIdle() {
        if (asking) return;
        try {
            raw.close();
        } catch (IOException closed) {
            // It is closed, which was asked for.
        }
    }

    /// Ends it with a TCP reset.
    void reset() {
        try {
            raw.setSoLinger(true, 0);
        } catch (SocketException closed) {
            // It is closed already: there is nobody to tell.
        }
        try {
            raw.close();
        } catch (IOException closed) {
            // The same.
        }
    }
}
