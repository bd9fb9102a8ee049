package dev.millrace.cli;

import java.io.PrintStream;

/// What the demo prints: lines that stay, and a progress line, which is redrawn on a terminal and printed once a second
/// elsewhere.
///
/// Thread ownership: the demo's loop.
final class DemoScreen {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final String CLEAR_LINE = "\r\u001b[2K";

    private final PrintStream out;
    private final boolean terminal;
    private boolean open;
    private boolean printed;
    private long printedNanos;

    DemoScreen(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    void line(String text) {
        if (open) out.print(CLEAR_LINE);
        open = false;
        out.println(text);
    }

    void progress(String text, long nowNanos) {
        if (terminal) {
            out.print(CLEAR_LINE + text);
            out.flush();
            open = true;
            return;
        }
        if (printed && nowNanos - printedNanos < NANOS_PER_SECOND) return;
        printed = true;
        printedNanos = nowNanos;
        out.println(text);
    }
}
