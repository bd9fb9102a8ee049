package dev.millrace.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/// Reads what a child process says to its end, so that the child never waits for a reader, and keeps the last
/// lines.
///
/// Thread ownership: one thread runs it; any thread may ask for the last lines.
final class ChildOutput implements Runnable {
    private static final int KEPT = 40;

    private final BufferedReader lines;
    private final String awaited;
    private final CompletableFuture<Boolean> said = new CompletableFuture<>();
    private final Deque<String> last = new ArrayDeque<>();

    ChildOutput(BufferedReader lines, String awaited) {
        this.lines = lines;
        this.awaited = awaited;
    }

    /// True when the child has said the awaited line, false when it ended without.
    CompletableFuture<Boolean> said() {
        return said;
    }

    synchronized String lastLines() {
        return String.join("\n", last);
    }

    @Override
    public void run() {
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                keep(line);
                if (line.equals(awaited)) said.complete(true);
            }
        } catch (IOException closed) {
            keep("(its output broke off: " + closed.getMessage() + ")");
        } finally {
            said.complete(false);
        }
    }

    private synchronized void keep(String line) {
        if (last.size() == KEPT) last.removeFirst();
        last.addLast(line);
    }
}
