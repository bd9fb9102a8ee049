package dev.millrace.cli;

import dev.millrace.kafka.DeadLetterDesk;
import dev.millrace.kafka.DeadLetterWhere;
import dev.millrace.kafka.ReplayReport;
import dev.millrace.kafka.ReplaySettings;
import dev.millrace.kafka.StartRefused;
import dev.millrace.pipeline.ExitCode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `millrace dlq replay`: sends rows that were set aside to the topics they came from.
@Command(
        name = "replay",
        description = {
            "Send rows that were set aside back to the topics they came from, each once, and mark them as replayed.",
            "The pipeline reads them like any others. All its sinks get them, and so does whoever else reads the topic."
        })
final class DlqReplayCommand implements Callable<Integer> {
    private static final int NOT_WHOLE = 1;
    private static final int SIGNAL_BASE = 128;
    private static final int BAR = 30;
    private static final Pattern RATE = Pattern.compile("([0-9]{1,9})(?:/s)?");

    @Parameters(paramLabel = "FILE", description = "the pipeline's YAML file")
    private @Nullable Path file;

    @Option(names = "--where", paramLabel = "KEY=VALUE", description = DlqFile.WHERE)
    private List<String> where = new ArrayList<>();

    @Option(names = "--dry-run", description = "send nothing, and count what would be sent")
    private boolean dryRun;

    @Option(names = "--rate", paramLabel = "N/s", description = "at most so many rows a second (default: no bound)")
    private @Nullable String rate;

    @Option(
            names = "--max-replays",
            defaultValue = "3",
            description = "refuse rows that were replayed so often before (default: ${DEFAULT-VALUE})")
    private int maxReplays;

    @Option(
            names = "--force",
            description = "also rows that were replayed already or too often, or of which the original is gone")
    private boolean force;

    @Spec
    private @Nullable CommandSpec spec;

    private final AtomicInteger signals = new AtomicInteger();

    @Override
    public Integer call() {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        var err = spec.commandLine().getErr();
        try {
            var meant = DeadLetterWhere.parse(where);
            var perSecond = perSecond();
            var letters = DlqFile.open(file, () -> signals.get() > 0);
            if (letters == null) return ExitCode.BAD_CONFIGURATION.code();
            var settings = new ReplaySettings(
                    meant,
                    letters.reads()::includes,
                    maxReplays,
                    force,
                    perSecond,
                    dryRun,
                    Instant.now().toEpochMilli());
            Signals.handle(this::onSignal, "TERM", "INT");
            var report = replay(letters.desk(), settings);
            print(report, spec.commandLine().getOut(), err);
            return report.whole() ? ExitCode.DRAINED.code() : NOT_WHOLE;
        } catch (IllegalArgumentException | StartRefused refused) {
            err.println(refused.getMessage());
            err.flush();
            return ExitCode.BAD_CONFIGURATION.code();
        }
    }

    // What is known to be a terminal is standard output. Elsewhere that holds the counts, and nothing else.
    private static ReplayReport replay(DeadLetterDesk desk, ReplaySettings settings) throws StartRefused {
        var terminal = Screen.onTerminal();
        var screen = new Screen(terminal ? System.out : System.err, terminal);
        try {
            return desk.replay(settings, (done, of) -> screen.progress(bar(done, of), System.nanoTime()));
        } finally {
            screen.end();
        }
    }

    /// The first ends it after what is on its way; the second ends it at once.
    private void onSignal(int signal) {
        if (signals.incrementAndGet() > 1) Runtime.getRuntime().halt(SIGNAL_BASE + signal);
    }

    private int perSecond() {
        if (rate == null) return 0;
        var match = RATE.matcher(rate);
        var number = match.matches() ? Integer.parseInt(match.group(1)) : 0;
        if (number < 1)
            throw new IllegalArgumentException("--rate " + rate + ": write a whole number of rows, as in 200/s");
        return number;
    }

    static String bar(long done, long of) {
        var full = of == 0 ? BAR : (int) (done * BAR / of);
        return "[" + "#".repeat(full) + ".".repeat(BAR - full) + "] " + "%,d of %,d".formatted(done, of);
    }

    private void print(ReplayReport report, PrintWriter out, PrintWriter err) {
        for (var line : report.failures()) err.println(Printable.text(line));
        if (!report.stopped().isEmpty()) err.println("ended early: " + Printable.text(report.stopped()));
        err.flush();
        out.println((dryRun ? "would replay " : "replayed ") + report.replayed() + ", skipped " + report.skippedRows()
                + ", failed " + report.failed()
                + (report.untried() == 0 ? "" : ", not tried " + report.untried())
                + (report.unmarked() == 0
                        ? ""
                        : ", replayed and not marked " + report.unmarked() + " (another replay sends them again)"));
        report.skipped().forEach((why, rows) -> out.println("  skipped " + rows + ": " + why));
        out.flush();
    }
}
