package dev.millrace.cli;

import dev.millrace.config.PipelineConfig;
import dev.millrace.pipeline.DrainReport;
import dev.millrace.pipeline.ExitCode;
import dev.millrace.pipeline.Pipeline;
import dev.millrace.pipeline.StartFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One run of one pipeline in this process: its signals, the bound on its end, its report and its exit code.
///
/// From the first signal, or whatever else stops it, the process ends within the drain's budget and one second: if the
/// drain
/// itself does not, a thread that waits for nothing else reports what is known and halts (DRN-4).
///
/// Thread ownership: `call` belongs to one thread; signals arrive on others.
final class Run {
    private static final Logger LOG = LoggerFactory.getLogger(Run.class);
    private static final Duration GRACE = Duration.ofMillis(900);
    private static final Duration CLOSE = Duration.ofMillis(200);
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
        pipeline.whenStopping(() -> startLastResort(pipeline, reports));
        Signals.handle(signal -> onSignal(signal, pipeline, reports), "TERM", "INT");
        try {
            pipeline.start();
        } catch (StartFailure failure) {
            System.err.println(failure.getMessage());
            pipeline.close();
            return failure.exitCode().code();
        }
        var report = pipeline.awaitEnd();
        if (!reports.write(report)) Thread.currentThread().join(); // another thread has the word, and halts
        closeQuickly(pipeline);
        return report.exitCode();
    }

    /// Gives connections back as long as that takes no time; the process ends anyway.
    private static void closeQuickly(Pipeline pipeline) throws InterruptedException {
        var closing = Thread.ofPlatform().daemon().name("millrace-close").start(pipeline::close);
        closing.join(CLOSE);
    }

    private void onSignal(int signal, Pipeline pipeline, ReportSink reports) {
        var name = signal == SIGINT ? "SIGINT" : "SIGTERM";
        if (signals.incrementAndGet() == 1) {
            LOG.atInfo().addKeyValue("event", "signal").log("{}: draining; a second one ends at once", name);
            pipeline.stop(name);
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
            finish(pipeline.overran(), reports);
        });
    }

    private static void finish(DrainReport report, ReportSink reports) {
        if (!reports.write(report)) return;
        System.out.flush();
        System.err.flush();
        Runtime.getRuntime().halt(report.exitCode());
    }
}
