package dev.millrace.pipeline;

import dev.millrace.config.HttpSourceConfig;
import dev.millrace.config.KafkaSourceConfig;
import dev.millrace.kafka.StartRefused;
import dev.millrace.sinkpool.NanoClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// What starts a pipeline: it waits until every sink has said what it looks like, holds what they promise against what
/// is asked for, and lets the source begin. A stop ends it at any point.
///
/// Thread ownership: `run` belongs to the thread that starts it; everything else may be called from any.
final class Starting implements Stopping.Running {
    private static final Logger LOG = LoggerFactory.getLogger(Pipeline.class);
    private static final Duration DESCRIBE = Duration.ofSeconds(5);
    private static final Duration DESCRIBE_AGAIN = Duration.ofSeconds(1);

    /// What an advisory sink gets to answer for the first time before the source starts.
    private static final Duration ADVISORY_ANSWER = Duration.ofSeconds(2);

    private final Parts parts;
    private final Pipeline of;
    private final Supplier<RunningFile> file;
    /// Made when the sinks have said what they look like: encoders need to know.
    private volatile @Nullable Source source;
    private volatile @Nullable PipelineMetrics metrics;
    /// Why nothing is read yet.
    private volatile @Nullable String waitsFor;
    private volatile boolean running;

    Starting(Parts parts, Pipeline of, Supplier<RunningFile> file) {
        this.parts = parts;
        this.of = of;
        this.file = file;
    }

    @Override
    public @Nullable Source source() {
        return source;
    }

    @Override
    public boolean readsOn() {
        return running;
    }

    /// What the source has done so far.
    Account account() {
        var from = source;
        return from == null ? Account.NONE : from.account();
    }

    @Nullable
    PipelineMetrics metrics() {
        return metrics;
    }

    @Nullable
    String waitsFor() {
        return waitsFor;
    }

    void layoutChanged(String sink) {
        var made = source;
        if (made != null) made.layoutChanged(sink);
    }

    private Stopping stopping() {
        return of.stopping();
    }

    /// Returns when the source runs, or when a stop was asked for first. Throws with one line where somebody has to
    /// mend something.
    void run() throws StartFailure {
        for (var missing : Packers.look(parts.config))
            throw new StartFailure(
                    ExitCode.BAD_CONFIGURATION, missing.where() + ": " + missing.what() + "; " + missing.remedy());
        if (!awaitSinks() || !levelsHold() || !openDeadLetters()) return;
        var until = parts.clock.nanoTime() + ADVISORY_ANSWER.toNanos();
        for (var sink : parts.advisory) sink.awaitFirstAnswer(until, of::ended);
        var made = makeSource();
        if (of.ended()) made.stop(stopping().deadlineNanos());
        running = made.start();
        if (!running) return;
        parts.events.tell("started", "", "version " + parts.version, Instant.now());
        LOG.atInfo()
                .addKeyValue("event", "started")
                .addKeyValue("pipeline", parts.config.name())
                .addKeyValue("version", parts.version)
                .addKeyValue("delivery", parts.config.delivery().name().toLowerCase(Locale.ROOT))
                .log("{}", made.tells());
        LeftBehind.tell(parts, made, of::ended);
    }

    /// Waits until every sink has said what it looks like. Returns false if a stop came first.
    private boolean awaitSinks() throws StartFailure {
        for (var sink : parts.sinks) {
            var told = false;
            for (var notYet = ask(sink); notYet != null; notYet = ask(sink)) {
                if (!told)
                    LOG.atWarn()
                            .addKeyValue("event", "sink_unreachable")
                            .addKeyValue("sink", sink.name())
                            .log("waiting for it; nothing is read meanwhile: {}", notYet);
                if (!told) parts.events.tell("sink_unreachable", sink.name(), notYet, Instant.now());
                told = true;
                waitsFor = "sink " + sink.name() + ": " + notYet;
                if (levels().asksForOne()) mustNotBe(overdueNanos(), sink.name(), notYet);
                if (stopping().within(DESCRIBE_AGAIN)) return false;
            }
            waitsFor = null;
        }
        return !of.ended();
    }

    private Levels levels() {
        return parts.promises.levels();
    }

    /// Why a sink can't be written to yet, or null; also null when a stop came first. Asked on a thread
    /// of its own, since a server that hangs must not hold up a stop (DRN-11).
    private @Nullable String ask(SinkPart sink) throws StartFailure {
        var answer = new CompletableFuture<@Nullable String>();
        Thread.ofPlatform().daemon().name("millrace-describe-" + sink.name()).start(() -> {
            try {
                answer.complete(sink.notYet(parts.clock.nanoTime() + DESCRIBE.toNanos()));
            } catch (Throwable cause) {
                answer.completeExceptionally(cause);
            }
        });
        try {
            CompletableFuture.anyOf(answer, stopping().heard()).join();
            return answer.getNow(null);
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof StartFailure refused) throw refused;
            throw failed;
        }
    }

    /// Says what is promised of each sink, and refuses to start below what is asked for. Where
    /// something is, every shard has to answer first. Returns false if a stop came first.
    private boolean levelsHold() throws StartFailure {
        var overdue = levels().asksForOne() ? overdueNanos() : NanoClock.NEVER;
        for (var sink : parts.sinks) {
            while (levels().asksForOne() && !sink.unseen().isEmpty()) {
                mustNotBe(overdue, sink.name(), sink.unseen().getFirst() + " has not answered");
                if (stopping().within(DESCRIBE_AGAIN)) return false;
                ask(sink);
            }
            var found = parts.promises.of(sink);
            var refusal = levels().refusal(sink.name(), found);
            LOG.atLevel(refusal == null ? Level.INFO : Level.ERROR)
                    .addKeyValue("event", "guarantee")
                    .addKeyValue("sink", sink.name())
                    .addKeyValue("level", found.level())
                    .addKeyValue("asked", levels().asked())
                    .addKeyValue("why", found.why())
                    .log("what is promised of repeats");
            if (refusal != null) throw new StartFailure(ExitCode.BAD_CONFIGURATION, refusal);
        }
        return true;
    }

    private Duration startupTimeout() {
        return parts.config.source().startupTimeout();
    }

    private long overdueNanos() {
        return parts.startedNanos + startupTimeout().toNanos();
    }

    private void mustNotBe(long overdueNanos, String sink, String why) throws StartFailure {
        if (!NanoClock.reached(overdueNanos, parts.clock.nanoTime())) return;
        throw new StartFailure(
                ExitCode.FATAL,
                "sink " + sink + ": no level is known within "
                        + parts.config.source().startupTimeoutText() + ", and require asks for "
                        + levels().asked() + ": " + why);
    }

    /// Returns false if a stop came first.
    private boolean openDeadLetters() throws StartFailure {
        var letters = parts.deadLetters;
        if (letters == null) return true;
        try {
            return letters.start(
                            of::ended,
                            fault -> of.fault(
                                    "dead letters are sent no more: "
                                            + fault.getClass().getName(),
                                    ExitCode.FATAL))
                    && !of.ended();
        } catch (StartRefused refused) {
            throw KafkaRows.failure(refused);
        }
    }

    private Source makeSource() throws StartFailure {
        var config = parts.config;
        var made = switch (config.source()) {
            case KafkaSourceConfig _ -> new KafkaRows(parts, of);
            case HttpSourceConfig http -> new PostedRows(parts, http);
        };
        var meters = parts.scrape.registry(config.name(), config.metrics(), this::metrics);
        metrics = new PipelineMetrics(
                meters,
                new PipelineMetrics.Sources(
                        parts.clock,
                        parts.shards::inFlight,
                        () -> made.account().log(),
                        parts.shards::status,
                        parts.promises::all,
                        file,
                        parts::unknownFields,
                        parts.advisory.stream()
                                .<Supplier<AdvisoryView>>map(sink -> sink::view)
                                .toList()));
        if (config.source() instanceof HttpSourceConfig) IntakeMetrics.register(meters, parts.fronts(), made::account);
        source = made;
        // Of one that changed while the source was made nothing was heard.
        parts.sinkParts().map(SinkPart::name).forEach(made::layoutChanged);
        return made;
    }
}
