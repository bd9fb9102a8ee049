package dev.millrace.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/// One connection that sends text and reads lines.
final class LineClient implements AutoCloseable {
    private static final int LIMIT_MILLIS = 30_000;
    private static final int SILENCE_MILLIS = 150;

    private final Socket socket;
    private final BufferedReader lines;

    LineClient(ChaosProxy proxy) throws IOException {
        socket = new Socket(proxy.host(), proxy.port());
        socket.setSoTimeout(LIMIT_MILLIS);
        lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    String readLine() throws IOException {
        return String.valueOf(lines.readLine());
    }

    String ask(String line) throws IOException {
        send(line + "\n");
        return readLine();
    }

    int readByte() throws IOException {
        return lines.read();
    }

    void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    /// Whether nothing arrives for a moment, neither a byte nor an end.
    boolean hangs() throws IOException {
        socket.setSoTimeout(SILENCE_MILLIS);
        try {
            lines.read();
            return false;
        } catch (SocketTimeoutException silence) {
            return true;
        } finally {
            socket.setSoTimeout(LIMIT_MILLIS);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
