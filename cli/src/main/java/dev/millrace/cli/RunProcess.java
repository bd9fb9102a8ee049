package dev.millrace.cli;

import dev.millrace.config.PipelineConfig;
import dev.millrace.config.Redaction;
import dev.millrace.pipeline.DrainReport;
import dev.millrace.pipeline.ExitCode;
import dev.millrace.pipeline.StartFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The process of `millrace run`: one pipeline at a time, from its file to its exit code, through reloads.
///
/// A reload takes the place of what runs only after its file was found fit ([Reloader]); then the old pipeline drains
/// and reports as at any end, gives everything back, and the new one starts in the same JVM. One that does not start
/// after all gives its place back to the one before. SIGTERM and SIGINT win at any time: nothing is started after them.
///
/// Thread ownership: `call` belongs to one thread; signals and reloads arrive on others.
final class RunProcess {
    private static final Logger LOG = LoggerFactory.getLogger(RunProcess.class);
    private static final Duration CLOSE_AT_THE_END = Duration.ofMillis(200);
    private static final Duration CLOSE = Duration.ofSeconds(10);

    /// What a service manager is told that the end may take beyond the drain's budget, before it kills.
    private static final Duration UNTIL_GONE = Duration.ofSeconds(5);

    private static final int SIGNAL_BASE = 128;
    private static final int SIGINT = 2;

    private final Path file;
    private final boolean watch;
    private final ServiceManager manager = ServiceManager.ofEnvironment();
    private final CompletableFuture<@Nullable Void> endAsked = new CompletableFuture<>();
    private final Succession<Run> succession = new Succession<>();
    private final AtomicInteger signals = new AtomicInteger();

    RunProcess(Path file, boolean watch) {
        this.file = file;
        this.watch = watch;
    }

    int call(LoadedFile first) throws InterruptedException {
        var book = new FileBook(file, first.digest(), InstantSource.system());
        var reports = open(first);
        if (reports == null) return ExitCode.BAD_CONFIGURATION.code();
        var reloader = new Reloader(file, first.config(), book, succession::replace);
        Signals.handle(this::onSignal, "TERM", "INT");
        Signals.handle(_ -> reloader.ask("SIGHUP"), "HUP");
        reloader.start(watch);
        var runs = first;
        LoadedFile before = null;
        var drained = ExitCode.DRAINED.code();
        while (true) {
            var config = runs.config();
            var run = new Run(config, reports, book::now, () -> stopping(config));
            if (before != null) book.takesOver(runs.digest());
            succession.enter(run);
            manager.starting(config.name());
            try {
                run.start();
                if (run.runs()) manager.running(config.name());
            } catch (StartFailure failure) {
                if (before == null || endAsked.isDone()) return refused(run, failure);
                var reason = Redaction.of(config).of(String.valueOf(failure.getMessage()));
                fallsBack(runs, before, book, reason);
                if (!run.goesOn() || !closed(run)) return ExitCode.UNKNOWN_STATE.code();
                if (!succession.mayFollow(run)) return drained;
                runs = before;
                before = null;
                reports = again(runs);
                continue;
            }
            if (before != null && run.runs()) {
                reloaded(runs, book);
                reloader.runs(runs.config());
            }
            var report = run.awaitEnd();
            var follows = succession.leave(report);
            if (follows == null) return ended(run, report);
            // Where either says no, another thread has the word, and halts.
            if (!run.write(report) || !run.goesOn()) Thread.sleep(Run.GRACE);
            if (!closed(run)) return ExitCode.UNKNOWN_STATE.code();
            // By now nobody can ask it for anything any more.
            drained = report.exitCode();
            if (!succession.mayFollow(run)) return drained;
            before = runs;
            runs = follows;
            reports = again(runs);
        }
    }

    private void reloaded(LoadedFile runs, FileBook book) {
        book.started();
        LOG.atInfo()
                .addKeyValue("event", "reloaded")
                .addKeyValue("file", file)
                .addKeyValue("digest", runs.digest())
                .log("the pipeline runs by its new file");
    }

    private void fallsBack(LoadedFile from, LoadedFile to, FileBook book, String reason) {
        succession.fallsBack();
        book.failed(from.digest(), reason, to.digest());
        LOG.atError()
                .addKeyValue("event", "reload_failed")
                .addKeyValue("file", file)
                .log("it does not start, and the file before runs again: {}", reason);
    }

    private static @Nullable ReportSink open(LoadedFile of) {
        try {
            return ReportSink.open(of.config().drain().report());
        } catch (IOException cause) {
            System.err.println(unfit(cause));
            return null;
        }
    }

    /// Of a file whose target was open before. What cannot be written by now goes to standard output at its end.
    private static ReportSink again(LoadedFile of) {
        Logs.configure(of.config());
        return ReportSink.of(of.config().drain().report());
    }

    /// What to say of a report's target that can't be written.
    static String unfit(IOException cause) {
        return "drain.report: can't be written: " + cause.getMessage()
                + "; name a file in a folder that exists and may be written to";
    }

    /// Tells the service manager that the process ends, unless another run follows.
    private void stopping(PipelineConfig config) {
        if (!succession.goesOn()) tellOfTheEnd(config);
    }

    private void tellOfTheEnd(PipelineConfig config) {
        manager.stopping(config.name(), config.drain().timeout().plus(UNTIL_GONE));
    }

    private static int refused(Run run, StartFailure failure) throws InterruptedException {
        System.err.println(Redaction.of(run.config()).of(String.valueOf(failure.getMessage())));
        closeQuickly(run); // or the last resort would have the last word, with another code
        return failure.exitCode().code();
    }

    private static int ended(Run run, DrainReport report) throws InterruptedException {
        if (!run.write(report)) Thread.sleep(Run.GRACE); // another thread has the word, and halts
        else closeQuickly(run);
        return run.exitCode();
    }

    /// Gives connections back as long as that takes no time; the process ends anyway.
    private static void closeQuickly(Run run) throws InterruptedException {
        try {
            run.close().get(CLOSE_AT_THE_END.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            return; // what is left of it ends with the process
        } catch (ExecutionException fault) {
            throw new IllegalStateException("it did not close", fault.getCause());
        }
    }

    /// Whether it gave everything back, or a signal came, which nobody keeps waiting.
    private boolean closed(Run run) throws InterruptedException {
        try {
            CompletableFuture.anyOf(run.close(), endAsked).get(CLOSE.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException | ExecutionException fault) {
            LOG.atError()
                    .addKeyValue("event", "reload_given_up")
                    .setCause(fault)
                    .log("the pipeline before did not give everything back; the process ends, so that nothing runs"
                            + " beside what is left of it");
            return false;
        }
    }

    private void onSignal(int signal) {
        var name = signal == SIGINT ? "SIGINT" : "SIGTERM";
        var first = signals.incrementAndGet() == 1;
        var run = succession.end();
        endAsked.complete(null);
        if (first) {
            if (run != null) stop(run, name); // first: a log line waits for whoever reads it
            LOG.atInfo().addKeyValue("event", "signal").log("{}: draining; a second one ends at once", name);
        } else if (run != null) {
            run.endNow("second " + name, SIGNAL_BASE + signal);
        } else {
            Runtime.getRuntime().halt(SIGNAL_BASE + signal);
        }
    }

    /// One that was making place for another ends the process now, and nobody was told of that.
    private void stop(Run run, String reason) {
        var makesPlace = !run.runs();
        run.stop(reason);
        if (makesPlace) tellOfTheEnd(run.config());
    }
}
