package dev.millrace.cli;

import dev.millrace.config.DrainConfig;
import dev.millrace.config.Redaction;
import dev.millrace.pipeline.DrainReport;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where the one report of a run goes. A file that can't be written at the end does not lose it: it goes to standard
/// output; and where that takes nothing either, to standard error.
///
/// Thread ownership: any; the first report is the only one.
final class ReportSink {
    private static final Logger LOG = LoggerFactory.getLogger(ReportSink.class);

    private final @Nullable Path file;
    private final PrintStream out;
    private final PrintStream err;
    private final AtomicReference<@Nullable DrainReport> first = new AtomicReference<>();

    private ReportSink(@Nullable Path file) {
        this(file, System.out, System.err);
    }

    /// To these in the place of standard output and standard error.
    ReportSink(@Nullable Path file, PrintStream out, PrintStream err) {
        this.file = file;
        this.out = out;
        this.err = err;
    }

    /// Throws if the file can't be written.
    static ReportSink open(DrainConfig.Report where) throws IOException {
        return switch (where) {
            case DrainConfig.Report.Stdout() -> new ReportSink(null);
            case DrainConfig.Report.ToFile(var path) -> {
                Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
                        .close();
                yield new ReportSink(path);
            }
        };
    }

    /// Without a look at whether it can be written.
    static ReportSink of(DrainConfig.Report where) {
        return new ReportSink(
                switch (where) {
                    case DrainConfig.Report.Stdout() -> null;
                    case DrainConfig.Report.ToFile(var path) -> path;
                });
    }

    /// What the first report says the process ends with. After a `write`.
    int exitCode() {
        var report = first.get();
        if (report == null) throw new IllegalStateException("nothing was reported");
        return report.exitCode();
    }

    /// Returns whether this was the first. It is drawn up before it counts as that: who comes second gives it
    /// a moment to be written, and ends the process.
    boolean write(DrainReport report, Redaction redaction) {
        var text = report.json(redaction) + "\n";
        if (!first.compareAndSet(null, report)) return false;
        if (file != null) {
            try {
                Files.writeString(file, text, StandardCharsets.UTF_8);
                return true;
            } catch (IOException cause) {
                LOG.atError()
                        .addKeyValue("event", "report_not_written")
                        .log("{}: {}; the report goes to standard output", file, cause.getMessage());
            }
        }
        out.print(text);
        if (out.checkError()) {
            LOG.atError()
                    .addKeyValue("event", "report_not_written")
                    .log("standard output took no report; it follows here");
            err.print(text);
            err.flush();
        }
        return true;
    }
}
