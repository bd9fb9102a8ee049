package dev.millrace.pipeline;

import dev.millrace.config.HttpSourceConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.Plaintext;
import dev.millrace.intake.HttpBounds;
import dev.millrace.kafka.DeadLetterDesk;
import dev.millrace.kafka.PartitionView;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.Sink;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One pipeline, from its start to its report.
///
/// Life: [#of], [#start], then [#awaitEnd], which returns the report once the pipeline was stopped, by
/// [#stop] or by a fault of its own, and has drained. [#cutShort] and [#overran] report at once,
/// from any thread, for a process that can't wait.
///
/// Thread ownership: `start` and `awaitEnd` belong to one thread; everything else may be called
/// from any.
public final class Pipeline {
    private static final Logger LOG = LoggerFactory.getLogger(Pipeline.class);

    private final Parts parts;
    private final PoolNews news;
    private final Starting starting;
    private final Stopping stopping;
    private final AdminSide admin;
    private Supplier<RunningFile> runningFile;

    private Pipeline(PipelineConfig config, String version, UnaryOperator<Sink> around) {
        this.news = new PoolNews(this);
        this.parts = new Parts(config, version, around, news, this);
        this.runningFile = () -> RunningFile.none(parts.startedAt);
        this.starting = new Starting(parts, this, () -> runningFile.get());
        this.stopping = new Stopping(parts, starting);
        this.admin = new AdminSide(parts, starting, stopping, () -> runningFile.get());
    }

    /// Assembles it. Connects nowhere, and starts no thread.
    public static Pipeline of(PipelineConfig config, String version) {
        return of(config, version, UnaryOperator.identity());
    }

    /// With what `around` makes of each sink that is not advisory in that sink's place wherever rows
    /// go through it: encoders, writers, what it says of repeats. The sink itself is still the one
    /// that is asked what it looks like, and that is closed.
    public static Pipeline of(PipelineConfig config, String version, UnaryOperator<Sink> around) {
        return new Pipeline(config, version, around);
    }

    /// The dead letters of the pipeline of this file, whether it runs or not. Connects nowhere;
    /// `stopped` ends what is asked of it.
    public static DeadLetterDesk deadLetters(PipelineConfig config, BooleanSupplier stopped) {
        return new DeadLetterDesk(config.poison().topic(), Wiring.source(config), NanoClock.SYSTEM, stopped);
    }

    /// Runs `action` once, when it begins to stop, on the thread that stops it. Before `start`.
    public void whenStopping(Runnable action) {
        stopping.whenStopping(action);
    }

    /// Has `/status` and the metrics tell this of its file. Before `start`.
    public void whichFile(Supplier<RunningFile> tells) {
        runningFile = tells;
    }

    /// Tells each change of a replica's breaker, on a shard worker's thread. Before `start`.
    public void whenReplicaChanges(Consumer<ReplicaChange> action) {
        news.whenReplicaChanges(action);
    }

    /// Returns when it runs, or when a stop was asked for first. A sink that can't be reached is waited
    /// for; the pipeline is not ready until then. Throws with one line where somebody has to mend
    /// something.
    public void start() throws StartFailure {
        Plaintext.of(parts.config).forEach(Pipeline::tell);
        // The admin side listens first, and what it reads then holds for both.
        if (parts.config.source() instanceof HttpSourceConfig) HttpBounds.forPosts();
        parts.shards.start();
        parts.advisory.forEach(AdvisoryPart::start);
        admin.listen();
        starting.run();
    }

    private static void tell(Plaintext allowed) {
        LOG.atWarn()
                .addKeyValue("event", "plaintext")
                .addKeyValue("section", allowed.path())
                .log("the {} goes to {} in clear; {}", allowed.secret(), allowed.receivers(), allowed.remedy());
    }

    /// Asks for a drain. Returns at once; the first call counts.
    public void stop(String reason) {
        stopping.stop(reason);
    }

    /// Waits for a stop, drains within `drain.timeout`, leaves the group, and reports. The caller
    /// closes it afterwards, or ends the process.
    public DrainReport awaitEnd() {
        return stopping.awaitEnd();
    }

    /// The report of a process that a second signal ends now.
    public DrainReport cutShort(String reason, int exitCode) {
        return stopping.cutShort(reason, exitCode);
    }

    /// The report of a process whose drain itself did not end in its bound.
    public DrainReport overran() {
        return stopping.overran();
    }

    /// A stop was asked for, by whomever.
    public boolean ended() {
        return stopping.asked();
    }

    /// Somebody asked for its end by `POST /drain`, perhaps while it was stopping already: nothing is to follow it.
    public boolean drainedByHand() {
        return stopping.byHand();
    }

    /// Ends what still runs and gives connections back, within about four seconds whatever a sink does.
    public void close() {
        stop("closed");
        admin.rest();
        var from = starting.source();
        if (from != null) from.close();
        // Beside the others, and nobody waits for them: they take no part of the time.
        for (var sink : parts.advisory)
            Thread.ofPlatform().daemon().name("millrace-close-" + sink.name()).start(sink::close);
        if (parts.config.metrics().otlp() != null)
            Thread.ofPlatform().daemon().name("millrace-close-otlp").start(parts.scrape::close);
        parts.shards.close();
        var letters = parts.deadLetters;
        if (letters != null) letters.close();
        parts.sinks.forEach(sink -> sink.sink().close());
        admin.close();
    }

    /// Where the admin endpoints listen, or null.
    public @Nullable InetSocketAddress adminAddress() {
        return admin.address();
    }

    /// How far it is, for a person who watches.
    public Progress progress() {
        var log = starting.account().log();
        var partitions = log == null ? List.<PartitionView>of() : log.partitions();
        return Progress.of(partitions, parts.shards.status(), parts.clock.nanoTime());
    }

    /// The sink that the file calls so. It stays this pipeline's to close.
    public Sink sink(String name) {
        return parts.sinkParts()
                .filter(part -> part.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no sink is called " + name))
                .sink();
    }

    /// A part of it failed: it ends with this code at the best, also where it was stopping already.
    void fault(String reason, ExitCode exitCode) {
        stopping.fault(reason, exitCode);
    }

    void layoutChanged(String sink) {
        LOG.atWarn()
                .addKeyValue("event", "layout_changed")
                .addKeyValue("sink", sink)
                .log(
                        "its table is described anew; what was made for the old one and is not sent {}",
                        starting.source() instanceof PostedRows ? "is lost" : "is read again");
        parts.events.tell("layout_changed", sink, "its table is described anew", Instant.now());
        starting.layoutChanged(sink);
    }

    Parts parts() {
        return parts;
    }

    Stopping stopping() {
        return stopping;
    }

    @Nullable
    PipelineMetrics metrics() {
        return starting.metrics();
    }
}
