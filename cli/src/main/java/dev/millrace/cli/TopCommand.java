package dev.millrace.cli;

import java.io.PrintWriter;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
    private static final String PLAIN = "\u001b[0m";

    /// As wide as the words before what is wrong, and before what to do.
    private static final String INDENT = " ".repeat("WRONG  ".length());

    @Option(
            names = "--lines",
            paramLabel = "NUMBER",
            description = "how many lines to show at the most (default: as many as the terminal has)")
    private @Nullable Integer lines;

    private final InstantSource clock = InstantSource.system();

    @Override
    int speak(RunningPipeline to, PrintWriter out) throws RunningPipeline.Failed {
        var last = printable(to.get("/status.txt"));
        if (!Screen.onTerminal()) {
            out.println(last);
            return 0;
        }
        var interrupted = new CountDownLatch(1);
        Signals.handle(_ -> interrupted.countDown(), "TERM", "INT");
        out.print(CLEAR);
        var at = time();
        var lost = "";
        try {
            do {
                out.print(screen(lost + at(last, at), size()));
                out.flush();
                if (interrupted.await(EVERY_SECONDS, TimeUnit.SECONDS)) break;
                try {
                    last = printable(to.get("/status.txt"));
                    at = time();
                    lost = "";
                } catch (RunningPipeline.Failed failed) {
                    lost = lost(String.valueOf(failed.getMessage()), at);
                }
            } while (true);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        out.println();
        return 0;
    }

    /// As events have it.
    private String time() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private TerminalSize size() {
        var now = TerminalSize.now();
        return lines == null ? now : new TerminalSize(lines, now.columns());
    }

    /// With the time in its first line.
    private static String at(String text, String time) {
        var end = text.indexOf('\n');
        return end < 0 ? text + "  " + time : text.substring(0, end) + "  " + time + text.substring(end);
    }

    static String lost(String why, String since) {
        return "WRONG  No contact with the process since " + since + ". What stands below is as it was then.\n"
                + "   do  Look whether it runs, and what it said last; this goes on asking. " + Printable.text(why)
                + "\n\n";
    }

    /// So much of a text as there is room for, in the place of what stood there; what matters most stands first. What
    /// is wrong is shown in full, over several lines; of the others the end is left out.
    static String screen(String text, TerminalSize size) {
        var out = new StringBuilder(HOME);
        var all = text.lines()
                .flatMap(line -> fitted(line, size.columns()).stream())
                .toList();
        var most = Math.max(2, size.lines() - 1);
        var shown = all.size() <= most ? all : all.subList(0, most - 1);
        for (var line : shown)
            out.append(line.colour())
                    .append(line.text())
                    .append(PLAIN)
                    .append(CLEAR_LINE)
                    .append('\n');
        if (shown.size() < all.size())
            out.append("and ")
                    .append(all.size() - shown.size())
                    .append(" lines more, on a higher terminal")
                    .append(CLEAR_LINE);
        return out.append(CLEAR_BELOW).toString();
    }

    private record Line(String colour, String text) {}

    private static List<Line> fitted(String line, int columns) {
        var colour = colour(line);
        var sentence = !colour.isEmpty() || line.startsWith("   do  ");
        if (line.length() <= columns) return List.of(new Line(colour, line));
        if (!sentence || columns < 2 * INDENT.length())
            return List.of(new Line(colour, line.substring(0, Math.max(0, columns - 1)) + "…"));
        var lines = new ArrayList<Line>();
        var left = line;
        while (left.length() > columns) {
            var space = left.lastIndexOf(' ', columns);
            var end = space > INDENT.length() ? space : columns;
            lines.add(new Line(colour, left.substring(0, end)));
            left = INDENT + left.substring(end).stripLeading();
        }
        lines.add(new Line(colour, left));
        return lines;
    }

    /// Bold in a colour that goes with its first word, which says the same.
    private static String colour(String line) {
        if (line.startsWith("WRONG ")) return "\u001b[1;31m";
        if (line.startsWith("WATCH ")) return "\u001b[1;33m";
        return line.startsWith("OK ") ? "\u001b[1;32m" : "";
    }
}
