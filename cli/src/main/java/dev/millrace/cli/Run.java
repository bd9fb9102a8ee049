package dev.millrace.cli;

import dev.millrace.config.PipelineConfig;
import dev.millrace.pipeline.DrainReport;
import dev.millrace.pipeline.ExitCode;
import dev.millrace.pipeline.Pipeline;
import dev.millrace.pipeline.StartFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One run of one pipeline in this process: its signals, the bound on its end, its report and its exit code.
///
/// From the first signal, or whatever else stops it, the process ends within the drain's budget and one second:
/// if the drain itself does not, a thread that waits for nothing else reports what is known and halts (DRN-4).
///
/// Thread ownership: `call` belongs to one thread; signals arrive on others.
final class Run {
    private static final Logger LOG = LoggerFactory.getLogger(Run.class);
    private static final Duration GRACE = Duration.ofMillis(900);
    private static final Duration CLOSE = Duration.ofMillis(200);
    private static final Duration MOMENT = Duration.ofMillis(100);

    /// What a service manager is told that the end may take beyond the drain's budget, before it kills.
    private static final Duration UNTIL_GONE = Duration.ofSeconds(5);

    private static final int SIGNAL_BASE = 128;
    private static final int SIGINT = 2;

    private final PipelineConfig config;
    private final AtomicInteger signals = new AtomicInteger();

    Run(PipelineConfig config) {
        this.config = config;
    }

    int call() throws InterruptedException {
        ReportSink reports;
        try {
            reports = ReportSink.open(config.drain().report());
        } catch (IOException cause) {
            System.err.println("drain.report: can't be written: " + cause.getMessage()
                    + "; name a file in a folder that exists and may be written to");
            return ExitCode.BAD_CONFIGURATION.code();
        }
        var pipeline = Pipeline.of(config, Version.number());
        var manager = ServiceManager.ofEnvironment();
        pipeline.whenStopping(() -> {
            startLastResort(pipeline, reports);
            manager.stopping(config.name(), config.drain().timeout().plus(UNTIL_GONE));
        });
        Signals.handle(signal -> onSignal(signal, pipeline, reports), "TERM", "INT");
        manager.starting(config.name());
        try {
            pipeline.start();
            if (!pipeline.ended()) manager.running(config.name());
        } catch (StartFailure failure) {
            System.err.println(failure.getMessage());
            closeQuickly(pipeline); // or the last resort would have the last word, with another code
            return failure.exitCode().code();
        }
        var report = pipeline.awaitEnd();
        if (!reports.write(report)) Thread.sleep(GRACE); // another thread has the word, and halts
        else closeQuickly(pipeline);
        return reports.exitCode();
    }

    /// Gives connections back as long as that takes no time; the process ends anyway.
    private static void closeQuickly(Pipeline pipeline) throws InterruptedException {
        var closing = Thread.ofPlatform().daemon().name("millrace-close").start(pipeline::close);
        closing.join(CLOSE);
    }

    private void onSignal(int signal, Pipeline pipeline, ReportSink reports) {
        var name = signal == SIGINT ? "SIGINT" : "SIGTERM";
        if (signals.incrementAndGet() == 1) {
            pipeline.stop(name); // first: a log line waits for whoever reads it
            LOG.atInfo().addKeyValue("event", "signal").log("{}: draining; a second one ends at once", name);
            return;
        }
        finish(pipeline.cutShort("second " + name, SIGNAL_BASE + signal), reports);
    }

    private void startLastResort(Pipeline pipeline, ReportSink reports) {
        var bound = config.drain().timeout().plus(GRACE);
        Thread.ofPlatform().daemon().name("millrace-last-resort").start(() -> {
            try {
                Thread.sleep(bound);
            } catch (InterruptedException _) {
                return;
            }
            try {
                finish(pipeline.overran(), reports);
            } finally {
                // Even a report that can't be drawn up does not keep the process.
                Runtime.getRuntime().halt(ExitCode.UNKNOWN_STATE.code());
            }
        });
    }

    /// A report that is being written already gets a moment more: whoever is to read it may never do so.
    private static void finish(DrainReport report, ReportSink reports) {
        if (reports.write(report)) {
            System.out.flush();
            System.err.flush();
        } else {
            LockSupport.parkNanos(MOMENT.toNanos());
        }
        Runtime.getRuntime().halt(reports.exitCode());
    }
}
