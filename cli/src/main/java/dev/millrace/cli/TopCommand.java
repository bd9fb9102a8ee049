package dev.millrace.cli;

import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `millrace top`: how a running pipeline stands, again and again, on a terminal; once where there is none.
@Command(
        name = "top",
        description = {
            "Show on a terminal how a running pipeline stands, again every two seconds, until Ctrl-C: what is wrong",
            "and what to do first. Where nobody looks, print it once."
        })
final class TopCommand extends Spoken {
    private static final int EVERY_SECONDS = 2;
    private static final String HOME = "\u001b[H";
    private static final String CLEAR = "\u001b[2J";
    private static final String CLEAR_LINE = "\u001b[K";
    private static final String CLEAR_BELOW = "\u001b[J";

    @Option(
            names = "--lines",
            paramLabel = "NUMBER",
            defaultValue = "${env:LINES:-24}",
            description = "how high the terminal is (default: of the variable LINES, or 24)")
    private int lines;

    @Override
    int speak(RunningPipeline to, PrintWriter out) throws RunningPipeline.Failed {
        var first = printable(to.get("/status.txt"));
        if (!Screen.onTerminal()) {
            out.println(first);
            return 0;
        }
        var interrupted = new CountDownLatch(1);
        Signals.handle(_ -> interrupted.countDown(), "TERM", "INT");
        out.print(CLEAR);
        out.print(screen(first, lines));
        out.flush();
        try {
            while (!interrupted.await(EVERY_SECONDS, TimeUnit.SECONDS)) {
                out.print(screen(asked(to), lines));
                out.flush();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        out.println();
        return 0;
    }

    private static String asked(RunningPipeline to) {
        try {
            return printable(to.get("/status.txt"));
        } catch (RunningPipeline.Failed lost) {
            return "WRONG  No contact: " + Printable.text(String.valueOf(lost.getMessage()));
        }
    }

    /// So many lines of a text in the place of what stood there; what matters most stands first.
    static String screen(String text, int lines) {
        var out = new StringBuilder(HOME);
        var all = text.lines().toList();
        var most = Math.max(2, lines - 1);
        var shown = all.size() <= most ? all : all.subList(0, most - 1);
        for (var line : shown)
            out.append(begin(line))
                    .append(line)
                    .append("\u001b[0m")
                    .append(CLEAR_LINE)
                    .append('\n');
        if (shown.size() < all.size())
            out.append("and ")
                    .append(all.size() - shown.size())
                    .append(" lines more: --lines")
                    .append(CLEAR_LINE);
        return out.append(CLEAR_BELOW).toString();
    }

    /// Bold in a colour that goes with its first word, which says the same.
    private static String begin(String line) {
        if (line.startsWith("WRONG ")) return "\u001b[1;31m";
        if (line.startsWith("WATCH ")) return "\u001b[1;33m";
        return line.startsWith("OK ") ? "\u001b[1;32m" : "";
    }
}
