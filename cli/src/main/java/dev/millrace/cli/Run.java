package dev.millrace.cli;

import dev.millrace.config.PipelineConfig;
import dev.millrace.config.Redaction;
import dev.millrace.pipeline.DrainReport;
import dev.millrace.pipeline.ExitCode;
import dev.millrace.pipeline.Pipeline;
import dev.millrace.pipeline.RunningFile;
import dev.millrace.pipeline.StartFailure;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// One run of one pipeline in this process: the bound on its end, and its report.
///
/// From whatever stops it, the process ends within the drain's budget and one second: if the drain itself does not, a
/// thread that waits for nothing else reports what is known and halts (DRN-4). Unless the process goes on behind
/// this run: [#goesOn] says that the drain has ended, and takes the last resort away.
///
/// Thread ownership: the main thread; `stop` and `endNow` any.
final class Run implements Succession.Stoppable {
    static final Duration GRACE = Duration.ofMillis(900);

    private static final Duration MOMENT = Duration.ofMillis(100);

    /// Who ends it: the main thread, as it should be, or the last resort.
    private enum Word {
        NOBODYS,
        MAINS,
        LAST_RESORTS
    }

    private final PipelineConfig config;
    private final ReportSink reports;
    private final Redaction redaction;
    private final Pipeline pipeline;
    private final AtomicReference<Word> word = new AtomicReference<>(Word.NOBODYS);

    /// `stopping` is told when a stop begins, whoever asked for it, and never waits.
    Run(PipelineConfig config, ReportSink reports, Supplier<RunningFile> file, Runnable stopping) {
        this.config = config;
        this.reports = reports;
        redaction = Redaction.of(config);
        pipeline = Pipeline.of(config, Version.number());
        pipeline.whichFile(file);
        pipeline.whenStopping(() -> {
            startLastResort();
            stopping.run();
        });
    }

    /// Returns when it runs, or when a stop was asked for first.
    void start() throws StartFailure {
        pipeline.start();
    }

    PipelineConfig config() {
        return config;
    }

    /// Whether nothing has ended it yet.
    boolean runs() {
        return !pipeline.ended();
    }

    /// Waits for a stop, and drains.
    DrainReport awaitEnd() {
        return pipeline.awaitEnd();
    }

    /// Asks for a drain. Returns at once.
    @Override
    public void stop(String reason) {
        pipeline.stop(reason);
    }

    @Override
    public boolean drainedByHand() {
        return pipeline.drainedByHand();
    }

    /// Ends the process at once, with what is known.
    void endNow(String reason, int exitCode) {
        finish(pipeline.cutShort(reason, exitCode));
    }

    /// The drain is over, and the process does not end with it. Returns false where the last resort was faster: it
    /// reports and halts.
    boolean goesOn() {
        return word.compareAndSet(Word.NOBODYS, Word.MAINS);
    }

    /// Returns whether this is the first report of the run.
    boolean write(DrainReport report) {
        return reports.write(report, redaction);
    }

    int exitCode() {
        return reports.exitCode();
    }

    /// Ends what still runs and gives connections back; done when that is.
    CompletableFuture<Void> close() {
        var closed = new CompletableFuture<Void>();
        Thread.ofPlatform().daemon().name("millrace-close").start(() -> {
            try {
                pipeline.close();
                closed.complete(null);
            } catch (Throwable fault) {
                closed.completeExceptionally(fault);
            }
        });
        return closed;
    }

    private void startLastResort() {
        var bound = config.drain().timeout().plus(GRACE).toNanos();
        Thread.ofPlatform().daemon().name("millrace-last-resort").start(() -> {
            var until = System.nanoTime() + bound;
            for (var left = bound; left > 0; left = until - System.nanoTime()) {
                if (word.get() == Word.MAINS) return;
                LockSupport.parkNanos(Math.min(left, MOMENT.toNanos()));
            }
            if (!word.compareAndSet(Word.NOBODYS, Word.LAST_RESORTS)) return;
            try {
                finish(pipeline.overran());
            } finally {
                // Even a report that can't be drawn up does not keep the process.
                Runtime.getRuntime().halt(ExitCode.UNKNOWN_STATE.code());
            }
        });
    }

    /// A report that is being written already gets a moment more: whoever is to read it may never do so.
    private void finish(DrainReport report) {
        if (write(report)) {
            System.out.flush();
            System.err.flush();
        } else {
            LockSupport.parkNanos(MOMENT.toNanos());
        }
        Runtime.getRuntime().halt(exitCode());
    }
}
