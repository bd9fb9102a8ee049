package dev.millrace.cli;

import java.io.PrintStream;

/// Lines that stay, and a progress line, which is redrawn on a terminal and printed once a second elsewhere.
///
/// Thread ownership: one thread.
final class Screen {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final String CLEAR_LINE = "\r\u001b[2K";

    private final PrintStream out;
    private final boolean terminal;
    private boolean open;
    private boolean printed;
    private long printedNanos;

    Screen(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /// Whether a person looks at this process's output.
    @SuppressWarnings("SystemConsoleNull") // a JVM without its line editor may still give none
    static boolean onTerminal() {
        var console = System.console();
        return console != null && console.isTerminal();
    }

    void line(String text) {
        if (open) out.print(CLEAR_LINE);
        open = false;
        out.println(text);
    }

    /// Leaves the progress line as it stands.
    void end() {
        if (open) out.println();
        open = false;
    }

    void progress(String text, long nowNanos) {
        if (terminal) {
            // A longer one would not be redrawn where it stands.
            var columns = Math.max(2, TerminalSize.now().columns());
            out.print(CLEAR_LINE + (text.length() < columns ? text : text.substring(0, columns - 2) + "…"));
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
