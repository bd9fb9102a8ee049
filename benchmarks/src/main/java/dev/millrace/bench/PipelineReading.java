package dev.millrace.bench;

import dev.millrace.config.Configuration;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import dev.millrace.pipeline.DrainReport;
import dev.millrace.pipeline.Pipeline;
import dev.millrace.pipeline.StartFailure;
import dev.millrace.sinkpool.Sink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// One reading of a topic by the pipeline that `millrace run` would make of a file, and where it is asked for, by
/// a second member of its group that joins and leaves meanwhile.
///
/// Its end is found by looking, on a thread of its own: it stops the pipeline when all is polled, so that what is
/// open is sealed, and the time when the sink has all. What it asks the pipeline takes a hundredth of its time at
/// the most, whatever the number of partitions.
///
/// Thread ownership: the child's main thread.
final class PipelineReading {
    private static final Pattern SOURCE = Pattern.compile("millrace-source-\\d+");
    private static final long LOOK_NANOS = 4_000_000L;
    private static final int LEFT_SOMETHING = 3;
    private static final int SELDOM = 100;
    private static final long MOST_SELDOM_NANOS = 50_000_000L;
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(4);

    private final PipelineConfig config;
    private final boolean discards;
    private final @Nullable Signals signals;
    private final boolean joined;
    private final long planned;

    /// More than there can be until the load has told.
    private volatile long records;

    private final long poison;
    private final long skippedNanos;
    private final Meter meter;
    private final Taken taken = new Taken();
    /// Empty where the sink did not take all in time.
    private final CompletableFuture<Optional<Reading>> looked = new CompletableFuture<>();

    /// Asked for are the `file`; `records` of the topic, about as many where they come while it reads, and how
    /// many of them are `poison`; whether the sink `discards`; `signals` to and from a load that runs meanwhile,
    /// and then for how long from the first record no delay is kept, `skip_millis`; whether a second member is
    /// `joined`; and processes of the meter.
    PipelineReading(Words asked) {
        config = config(Path.of(asked.text("file")));
        discards = asked.fact("discards");
        signals = asked.has("signals") ? new Signals(Path.of(asked.text("signals"))) : null;
        joined = asked.fact("joined");
        planned = asked.number("records");
        records = signals == null ? planned : Long.MAX_VALUE;
        poison = asked.number("poison");
        skippedNanos = TimeUnit.MILLISECONDS.toNanos(asked.number("skip_millis"));
        meter = new Meter(asked);
    }

    static PipelineConfig config(Path file) {
        try {
            return switch (Configuration.read("suite.yaml", Files.readString(file), _ -> null)) {
                case ReadResult.Loaded(var config, var _) -> config;
                case ReadResult.Refused(var problems) -> throw new BenchFailure(problems.toString());
            };
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot read " + file, failure);
        }
    }

    Reading read() throws InterruptedException {
        Meter.tidy();
        var pipeline = Pipeline.of(config, "bench", this::counted);
        var second = new SecondMember(() -> Pipeline.of(config, "bench", this::counted), taken, planned);
        try {
            var looker = Thread.ofPlatform().daemon().name("bench-look").start(() -> lookAt(pipeline, second));
            pipeline.start();
            if (signals != null) signals.give(Signals.READS, 0);
            var report = pipeline.awaitEnd();
            looker.join();
            return verified(looked.join(), report, second.report());
        } catch (StartFailure failure) {
            throw new BenchFailure("the pipeline did not start: " + failure.getMessage());
        } finally {
            second.close();
            pipeline.close();
        }
    }

    private Sink counted(Sink sink) {
        return taken.by(sink, discards);
    }

    private void lookAt(Pipeline pipeline, SecondMember second) {
        try {
            looked.complete(look(pipeline, second, System.nanoTime() + PATIENCE_NANOS));
        } catch (RuntimeException failure) {
            looked.completeExceptionally(failure);
        } finally {
            pipeline.stop("the bench looked away");
        }
    }

    private Optional<Reading> look(Pipeline pipeline, SecondMember second, long giveUpNanos) {
        var askAgain = System.nanoTime();
        while (taken.rows() < records - poison) {
            var now = System.nanoTime();
            if (now - giveUpNanos > 0) return Optional.empty();
            if (pipeline.ended() && !meter.begun()) return Optional.empty();
            if (now - askAgain >= 0 && !pipeline.ended()) {
                ask(pipeline);
                var cost = System.nanoTime() - now;
                if (meter.begun()) askAgain = System.nanoTime() + Math.min(SELDOM * cost, MOST_SELDOM_NANOS);
            }
            if (meter.begun()) meter.look();
            if (joined && second.look() && signals != null) signals.give(Signals.LEFT, 0);
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return Optional.of(meter.end(taken.figures(), taken.delays()));
    }

    private void ask(Pipeline pipeline) {
        var polled = pipeline.progress().polled();
        if (polled > 0 && !meter.begun()) {
            meter.begin(SOURCE.asMatchPredicate());
            if (signals != null) taken.keepDelaysFrom(System.nanoTime() + skippedNanos);
        }
        if (signals != null) {
            var sent = signals.number(Signals.SENT);
            if (sent != null) records = sent;
        } else if (polled >= records) {
            pipeline.stop("all is polled");
        }
    }

    private static long newlyDelivered(DrainReport report) {
        return report.rows().delivered() - report.rows().duplicate();
    }

    private Reading verified(Optional<Reading> read, DrainReport report, @Nullable DrainReport secondReport) {
        if (read.isEmpty())
            throw new BenchFailure(
                    "the sink took " + taken.rows() + " of " + (records - poison) + " rows: " + report.json());
        if (joined && (secondReport == null || secondReport.rows().polled() == 0))
            throw new BenchFailure("the second member polled nothing");
        if (report.exitCode() != 0) throw new BenchFailure("it left something: " + report.json());
        var letters = report.rows().deadLettered();
        var delivered = newlyDelivered(report);
        if (secondReport != null) {
            // What it had begun when it left is the first one's to do again.
            if (secondReport.exitCode() != 0 && secondReport.exitCode() != LEFT_SOMETHING)
                throw new BenchFailure("the second member: " + secondReport.json());
            letters += secondReport.rows().deadLettered();
            delivered += newlyDelivered(secondReport);
        }
        if (delivered != records - poison || letters != poison)
            throw new BenchFailure(delivered + " rows delivered and " + letters + " set aside, of " + records + " with "
                    + poison + " poison: " + report.json());
        return read.get().with(Map.of(Figure.DEAD_LETTERED, letters));
    }
}
