package dev.millrace.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Answers every line with the same line after `done `, and remembers what it got. The end of a connection is a
/// line, too.
final class LineServer implements AutoCloseable {
    static final String END = "(end)";

    private final ServerSocket listener;
    private final BlockingQueue<String> got = new LinkedBlockingQueue<>();

    LineServer() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /// The next line it got, from whichever connection.
    String next() throws InterruptedException {
        return String.valueOf(got.poll(30, TimeUnit.SECONDS));
    }

    boolean gotNothing() {
        return got.isEmpty();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Thread.ofVirtual().start(() -> answer(client));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void answer(Socket client) {
        try (client;
                var lines =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                got.add(line);
                client.getOutputStream().write(("done " + line + "\n").getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException reset) {
            // An end like another.
        } finally {
            got.add(END);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
