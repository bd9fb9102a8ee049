package dev.millrace.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Reads what a child process says to its end, so that the child never waits for a reader, and keeps the last
/// lines, and what it answered.
///
/// Thread ownership: one thread runs it; any thread may ask for the last lines, one for answers.
final class ChildOutput implements Runnable {
    private static final int KEPT = 40;

    private final BufferedReader lines;
    private final String awaited;
    private final CompletableFuture<Boolean> said = new CompletableFuture<>();
    private final Deque<String> last = new ArrayDeque<>();
    private final BlockingQueue<Optional<String>> answers = new LinkedBlockingQueue<>();

    ChildOutput(BufferedReader lines, String awaited) {
        this.lines = lines;
        this.awaited = awaited;
    }

    /// True when the child has said the awaited line, false when it ended without.
    CompletableFuture<Boolean> said() {
        return said;
    }

    /// What the child answered next; empty when it ended, or answered nothing in time.
    Optional<String> answer(Duration limit) throws InterruptedException {
        var next = answers.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
        return next == null ? Optional.empty() : next;
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
                if (line.startsWith(ChildJvm.ANSWER))
                    answers.add(Optional.of(line.substring(ChildJvm.ANSWER.length())));
            }
        } catch (IOException closed) {
            keep("(its output broke off: " + closed.getMessage() + ")");
        } finally {
            said.complete(false);
            answers.add(Optional.empty());
        }
    }

    private synchronized void keep(String line) {
        if (last.size() == KEPT) last.removeFirst();
        last.addLast(line);
    }
}
