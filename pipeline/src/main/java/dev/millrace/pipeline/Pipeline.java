package dev.millrace.pipeline;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.config.AdminConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.Plaintext;
import dev.millrace.config.PoisonConfig;
import dev.millrace.config.Redaction;
import dev.millrace.config.SinkConfig;
import dev.millrace.kafka.DeadLetterDesk;
import dev.millrace.kafka.DeadLetterTopic;
import dev.millrace.kafka.KafkaSource;
import dev.millrace.kafka.PartitionView;
import dev.millrace.kafka.Planning;
import dev.millrace.kafka.SourceListener;
import dev.millrace.kafka.SourceView;
import dev.millrace.kafka.StartRefused;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.NewestTokens;
import dev.millrace.sinkpool.PoolListener;
import dev.millrace.sinkpool.RowRef;
import dev.millrace.sinkpool.SealedBatch;
import dev.millrace.sinkpool.SegmentTokens;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardNote;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkPool;
import dev.millrace.sinkpool.TokenMint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

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
    private static final Duration DESCRIBE = Duration.ofSeconds(5);
    private static final Duration DESCRIBE_AGAIN = Duration.ofSeconds(1);
    private static final Duration STUCK = Duration.ofSeconds(10);
    private static final Duration PULSE = Duration.ofSeconds(1);
    private static final Duration WORKERS_GRACE = Duration.ofMillis(300);

    /// What an advisory sink gets to answer for the first time before the source starts, and what
    /// it gets at the end once the others are done.
    private static final Duration ADVISORY_ANSWER = Duration.ofSeconds(2);

    private static final Duration ADVISORY_LAST = Duration.ofSeconds(1);

    /// What the last commit gets where the workers used the budget up.
    private static final Duration LAST_COMMIT = Duration.ofMillis(200);

    /// After the deadline and before the process's last resort: that commit, the half second of the
    /// backlog, and leaving.
    private static final Duration LEAVE_GRACE = Duration.ofMillis(850);

    private static final double NANOS_PER_SECOND = 1e9;

    /// Why it stops, and since when.
    private record Stop(String reason, long nanos, Map<ShardId, Long> givenUpBefore) {}

    private final PipelineConfig config;
    private final String version;
    private final NanoClock clock = NanoClock.SYSTEM;
    private final Instant startedAt = Instant.now();
    private final long startedNanos = clock.nanoTime();
    private final OpenHandles handles = new OpenHandles();
    private final AdmissionBudget budget;
    private volatile Levels levels;
    private final KeptTokens keptTokens;
    private final @Nullable Planning planning;
    private final List<SinkPart> sinks;
    private final SinkPool pool;
    private final List<AdvisoryPart> advisory;
    private final @Nullable DeadLetterTopic deadLetters;
    private final Scrape scrape = new Scrape();
    private final Pause pause;
    private final Pulse pulse = new Pulse();
    private final EventRing events = new EventRing();
    private final ShardNews news = new ShardNews(events);
    private final SetAside setAside = new SetAside();
    private final AtomicReference<@Nullable Stop> stop = new AtomicReference<>();
    /// The code at the best. A fault while it drains counts like one that stopped it (DRN-8).
    private final AtomicReference<ExitCode> worst = new AtomicReference<>(ExitCode.DRAINED);
    private final CompletableFuture<Void> stopAsked = new CompletableFuture<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final List<Runnable> whenStopping = new CopyOnWriteArrayList<>();
    private final List<Consumer<ReplicaChange>> whenReplicaChanges = new CopyOnWriteArrayList<>();
    private Supplier<RunningFile> runningFile;
    private volatile @Nullable AdminServer admin;
    /// Made when the sinks have said what they look like: encoders need to know.
    private volatile @Nullable KafkaSource source;
    private volatile @Nullable PipelineMetrics metrics;
    /// Why nothing is read yet.
    private volatile @Nullable String waitsFor;
    /// The source's members run: they will say when their input is finished.
    private volatile boolean running;

    private Pipeline(PipelineConfig config, String version, UnaryOperator<Sink> around) {
        this.config = config;
        this.version = version;
        this.levels = new Levels(config.delivery(), config.require());
        this.runningFile = () -> RunningFile.none(startedAt);
        var admission = config.admission();
        this.budget =
                new AdmissionBudget(admission.maxRows(), admission.maxBytes(), admission.resumeBelowPercent() / 100);
        this.pause = new Pause(budget, clock);
        this.sinks = config.sinks().stream()
                .filter(sink -> !sink.advisory())
                .map(sink -> SinkPart.open(config, sink, clock).within(around))
                .toList();
        this.deadLetters = config.poison().action() == PoisonConfig.Action.DEAD_LETTER
                ? new DeadLetterTopic(config.poison().topic(), config.name(), Wiring.source(config), clock)
                : null;
        var letters = deadLetters;
        var run = new byte[8];
        var chance = new SecureRandom();
        chance.nextBytes(run);
        var perRun = TokenMint.perRun(config.name() + "/" + HexFormat.of().formatHex(run));
        var fingerprints = new Fingerprints(config);
        var mint = new SegmentTokens(
                config.name(), config.source().groupId(), config.tokenEpoch(), fingerprints.bySink(), perRun);
        var kept = new LinkedHashMap<ShardId, NewestTokens>();
        for (var sink : sinks) kept.putAll(sink.newestTokens());
        this.keptTokens = new KeptTokens(kept, clock, stopAsked::isDone, why -> fault(why, ExitCode.FATAL));
        this.planning = Wiring.planning(config, fingerprints.ofAll(), keptTokens::of);
        this.advisory = config.sinks().stream()
                .filter(SinkConfig::advisory)
                .map(sink ->
                        AdvisoryPart.open(SinkPart.open(config, sink, clock), config, mint, chance.nextLong(), clock))
                .toList();
        for (var sink : sinks) sink.sink().onNewLayout(() -> layoutChanged(sink.name()));
        for (var sink : advisory) sink.sink().sink().onNewLayout(() -> layoutChanged(sink.name()));
        this.pool = new SinkPool(
                sinks.stream().map(sink -> sink.specs(config)).toList(),
                budget,
                mint,
                chance.nextLong(),
                clock,
                letters == null ? DeadLetters.none() : letters,
                new FromPool());
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
        whenStopping.add(action);
    }

    /// Has `/status` and the metrics tell this of its file. Before `start`.
    public void whichFile(Supplier<RunningFile> tells) {
        runningFile = tells;
    }

    /// Tells each change of a replica's breaker, on a shard worker's thread. Before `start`.
    public void whenReplicaChanges(Consumer<ReplicaChange> action) {
        whenReplicaChanges.add(action);
    }

    /// Returns when it runs, or when a stop was asked for first. A sink that can't be reached is waited
    /// for; the pipeline is not ready until then. Throws with one line where somebody has to mend
    /// something.
    public void start() throws StartFailure {
        Plaintext.of(config).forEach(Pipeline::tell);
        pool.start();
        advisory.forEach(AdvisoryPart::start);
        listen();
        if (!awaitSinks() || !levelsHold() || !openDeadLetters()) return;
        var until = clock.nanoTime() + ADVISORY_ANSWER.toNanos();
        for (var sink : advisory) sink.awaitFirstAnswer(until, stopAsked::isDone);
        var made = makeSource();
        if (stopAsked.isDone()) made.stop(deadlineNanos());
        try {
            running = made.start();
            if (!running) return;
        } catch (StartRefused refused) {
            throw failure(refused);
        }
        events.tell("started", "", "version " + version, Instant.now());
        LOG.atInfo()
                .addKeyValue("event", "started")
                .addKeyValue("pipeline", config.name())
                .addKeyValue("version", version)
                .addKeyValue("delivery", config.delivery().name().toLowerCase(Locale.ROOT))
                .log(
                        "reading {} as {}",
                        config.source().topics(),
                        config.source().groupId());
    }

    private static void tell(Plaintext allowed) {
        LOG.atWarn()
                .addKeyValue("event", "plaintext")
                .addKeyValue("section", allowed.path())
                .log("the {} goes to {} in clear; {}", allowed.secret(), allowed.receivers(), allowed.remedy());
    }

    /// Returns false if a stop came first.
    private boolean openDeadLetters() throws StartFailure {
        var letters = deadLetters;
        if (letters == null) return true;
        try {
            return letters.start(
                            stopAsked::isDone,
                            fault -> fault(
                                    "dead letters are sent no more: "
                                            + fault.getClass().getName(),
                                    ExitCode.FATAL))
                    && !stopAsked.isDone();
        } catch (StartRefused refused) {
            throw failure(refused);
        }
    }

    private static StartFailure failure(StartRefused refused) {
        var fatal = refused.exitCode() == ExitCode.FATAL.code();
        return new StartFailure(
                fatal ? ExitCode.FATAL : ExitCode.BAD_CONFIGURATION, String.valueOf(refused.getMessage()));
    }

    private KafkaSource makeSource() throws StartFailure {
        var letters = deadLetters;
        try {
            var made = new KafkaSource(
                    Wiring.source(config).planning(planning),
                    sinks.stream().map(sink -> sink.feed(config)).toList(),
                    pool,
                    advisory.stream().map(sink -> sink.feed(config)).toList(),
                    new FromSource(),
                    letters == null ? DeadLetters.none() : letters,
                    handles,
                    clock);
            metrics = new PipelineMetrics(
                    scrape.registry(config.name(), config.metrics(), () -> metrics),
                    new PipelineMetrics.Sources(
                            clock,
                            this::inFlight,
                            made::view,
                            pool::status,
                            this::guarantees,
                            runningFile,
                            this::unknownFields,
                            advisory.stream()
                                    .<Supplier<AdvisoryView>>map(sink -> sink::view)
                                    .toList()));
            source = made;
            // Of one that changed while the source was made nothing was heard.
            sinkNames().forEach(made::layoutChanged);
            return made;
        } catch (IllegalArgumentException wrong) {
            throw new StartFailure(ExitCode.BAD_CONFIGURATION, String.valueOf(wrong.getMessage()));
        }
    }

    private Stream<String> sinkNames() {
        return Stream.concat(
                sinks.stream().map(SinkPart::name), advisory.stream().map(AdvisoryPart::name));
    }

    private void layoutChanged(String sink) {
        LOG.atWarn()
                .addKeyValue("event", "layout_changed")
                .addKeyValue("sink", sink)
                .log("its table is described anew; what was made for the old one and is not sent is read again");
        events.tell("layout_changed", sink, "its table is described anew", Instant.now());
        var made = source;
        if (made != null) made.layoutChanged(sink);
    }

    private void listen() throws StartFailure {
        if (!(config.admin() instanceof AdminConfig.Listening(var listen, var tokenFile, var hosts))) return;
        var token = new AdminToken(tokenFile);
        var problem = token.problem();
        if (problem != null)
            throw new StartFailure(ExitCode.BAD_CONFIGURATION, "admin.token_file " + tokenFile + " " + problem);
        if (token.exposed())
            LOG.atWarn()
                    .addKeyValue("event", "admin_token_exposed")
                    .log("everybody on this machine can read {}: chmod 600 it", tokenFile);
        var names = new HashSet<>(hosts);
        names.add(listen.host());
        try {
            var server = AdminServer.start(
                    new AdminServer.Door(new InetSocketAddress(listen.host(), listen.port()), names, token),
                    new AdminPages(
                                    this::sourceView,
                                    this::snapshot,
                                    pulse,
                                    events,
                                    setAside,
                                    this::scraped,
                                    Redaction.of(config))
                            .pages(),
                    new AdminActs(pause, pool, this::ended, this::stop, events).acts());
            admin = server;
            Thread.ofPlatform().daemon().name("millrace-pulse").start(this::beat);
            LOG.atInfo().addKeyValue("event", "admin_listening").log("{}", server.address());
        } catch (IOException | IllegalArgumentException cause) {
            throw new StartFailure(
                    ExitCode.BAD_CONFIGURATION,
                    "admin.listen " + listen + ": " + cause.getMessage()
                            + "; another process may have the port: choose another, or none");
        }
    }

    private @Nullable SourceView sourceView() {
        var from = source;
        return from == null ? null : from.view();
    }

    private Snapshot.InFlight inFlight() {
        return new Snapshot.InFlight(pause.rowsInFlight(), budget.bytes(), budget.maxRows(), budget.maxBytes());
    }

    private Snapshot snapshot() {
        var stopping = stop.get();
        return new Snapshot(
                new Snapshot.Who(config.name(), version, startedAt, runningFile.get()),
                new Snapshot.Course(
                        waitsFor,
                        pause.sinceNanos(),
                        stopping == null
                                ? null
                                : (Long) (stopping.nanos()
                                        + config.drain().timeout().toNanos())),
                sourceView(),
                pool.status(),
                advisoryViews(),
                inFlight(),
                guarantees(),
                unknownFields(),
                stuckNanos(),
                clock.nanoTime());
    }

    /// Takes the pulse each second, for as long as anybody may ask for it.
    private void beat() {
        var owned = Set.<SourcePartition>of();
        try {
            while (!closed.await(PULSE.toNanos(), TimeUnit.NANOSECONDS)) {
                var now = snapshot();
                pulse.beat(now);
                var owns = now.partitions().stream()
                        .filter(partition -> partition.member() >= 0)
                        .map(PartitionView::partition)
                        .collect(Collectors.toSet());
                if (!owns.equals(owned)) events.tell("assigned", "", owns.size() + " partitions now", Instant.now());
                owned = owns;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// A batch may be open for its linger, and be written in a moment.
    private long stuckNanos() {
        var linger = config.sinks().stream()
                .filter(sink -> !sink.advisory())
                .mapToLong(sink -> sink.batch().linger().toNanos())
                .max()
                .orElse(0);
        return linger + STUCK.toNanos();
    }

    /// What is promised of each sink that is waited for, by what it has told so far.
    private Map<String, Guarantee> guarantees() {
        var all = new LinkedHashMap<String, Guarantee>();
        for (var sink : sinks) all.put(sink.name(), sink.guarantee(levels));
        return all;
    }

    /// Says what is promised of each sink, and refuses to start below what is asked for. Where
    /// something is, every shard has to answer first. Returns false if a stop came first.
    private boolean levelsHold() throws StartFailure {
        var overdue = levels.asksForOne() ? overdueNanos() : NanoClock.NEVER;
        for (var sink : sinks) {
            while (levels.asksForOne() && !sink.unseen().isEmpty()) {
                mustNotBe(overdue, sink.name(), sink.unseen().getFirst() + " has not answered");
                if (stoppedWithin(DESCRIBE_AGAIN)) return false;
                ask(sink);
            }
            var found = sink.guarantee(levels);
            var refusal = levels.refusal(sink.name(), found);
            LOG.atLevel(refusal == null ? Level.INFO : Level.ERROR)
                    .addKeyValue("event", "guarantee")
                    .addKeyValue("sink", sink.name())
                    .addKeyValue("level", found.level())
                    .addKeyValue("asked", levels.asked())
                    .addKeyValue("why", found.why())
                    .log("what is promised of repeats");
            if (refusal != null) throw new StartFailure(ExitCode.BAD_CONFIGURATION, refusal);
        }
        return true;
    }

    private long overdueNanos() {
        return startedNanos + config.source().startupTimeout().toNanos();
    }

    private void mustNotBe(long overdueNanos, String sink, String why) throws StartFailure {
        if (!NanoClock.reached(overdueNanos, clock.nanoTime())) return;
        throw new StartFailure(
                ExitCode.FATAL,
                "sink " + sink + ": no level is known within source.kafka.startup_timeout "
                        + config.source().startupTimeout().toMillis() + " ms, and require asks for " + levels.asked()
                        + ": " + why);
    }

    /// Waits until every sink has said what it looks like. Returns false if a stop came first.
    private boolean awaitSinks() throws StartFailure {
        for (var sink : sinks) {
            var told = false;
            for (var notYet = ask(sink); notYet != null; notYet = ask(sink)) {
                if (!told)
                    LOG.atWarn()
                            .addKeyValue("event", "sink_unreachable")
                            .addKeyValue("sink", sink.name())
                            .log("waiting for it; nothing is read meanwhile: {}", notYet);
                if (!told) events.tell("sink_unreachable", sink.name(), notYet, Instant.now());
                told = true;
                waitsFor = "sink " + sink.name() + ": " + notYet;
                if (levels.asksForOne()) mustNotBe(overdueNanos(), sink.name(), notYet);
                if (stoppedWithin(DESCRIBE_AGAIN)) return false;
            }
            waitsFor = null;
        }
        return !stopAsked.isDone();
    }

    /// Why a sink can't be written to yet, or null; also null when a stop came first. Asked on a thread
    /// of its own, since a server that hangs must not hold up a stop (DRN-11).
    private @Nullable String ask(SinkPart sink) throws StartFailure {
        var answer = new CompletableFuture<@Nullable String>();
        Thread.ofPlatform().daemon().name("millrace-describe-" + sink.name()).start(() -> {
            try {
                answer.complete(sink.notYet(clock.nanoTime() + DESCRIBE.toNanos()));
            } catch (Throwable cause) {
                answer.completeExceptionally(cause);
            }
        });
        try {
            CompletableFuture.anyOf(answer, stopAsked).join();
            return answer.getNow(null);
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof StartFailure refused) throw refused;
            throw failed;
        }
    }

    private boolean stoppedWithin(Duration time) {
        try {
            stopAsked.get(time.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException _) {
            return false;
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        } catch (InterruptedException _) {
            stop("the starting thread was interrupted");
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /// A part of it failed: it ends with this code at the best, also where it was stopping already.
    void fault(String reason, ExitCode exitCode) {
        worst.accumulateAndGet(exitCode, ExitCode::or);
        stop(reason);
    }

    private Map<ShardId, Long> givenUp() {
        return pool.status().stream().collect(Collectors.toMap(ShardStatus::shard, RunEnd::givenUp));
    }

    /// Asks for a drain. Returns at once; the first call counts.
    public void stop(String reason) {
        if (!stop.compareAndSet(null, new Stop(reason, clock.nanoTime(), givenUp()))) return;
        stopAsked.complete(null);
        pause.endForGood();
        events.tell("draining", "", reason, Instant.now());
        var from = source;
        if (from != null) from.stop(deadlineNanos());
        whenStopping.forEach(Runnable::run);
    }

    /// Waits for a stop, drains within `drain.timeout`, leaves the group, and reports. The caller
    /// closes it afterwards, or ends the process.
    public DrainReport awaitEnd() {
        stopAsked.join();
        var deadline = deadlineNanos();
        pool.drainBy(deadline);
        for (var sink : advisory) sink.drainBy(deadline);
        var from = source;
        if (from != null) from.stop(deadline);
        if (!running) pool.closeInput();
        try {
            // A stop in the middle of a start can come here later than its deadline: nobody had told the workers.
            pool.awaitFinished(Math.max(deadline, clock.nanoTime()) + WORKERS_GRACE.toNanos());
            var letters = deadLetters;
            if (letters != null) letters.awaitAcknowledged(deadline);
            var advisoryUntil = NanoClock.earlier(deadline, clock.nanoTime() + ADVISORY_LAST.toNanos());
            var membersEnded = from == null || leave(from, deadline);
            finishAdvisory(advisoryUntil);
            var report = end(membersEnded, RunEnd.Waited.TO_THE_DEADLINE).report(worst.get());
            tell(report);
            return report;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return overran();
        }
    }

    private long deadlineNanos() {
        return asked().nanos() + config.drain().timeout().toNanos();
    }

    /// All that the acknowledged sinks have was handed on by now. What the advisory ones hold gets what
    /// is left of the time, and is dropped then.
    private void finishAdvisory(long untilNanos) throws InterruptedException {
        for (var sink : advisory) sink.finishBy(untilNanos);
        var finished = true;
        for (var sink : advisory) finished &= sink.awaitFinished(untilNanos + WORKERS_GRACE.toNanos());
        if (!finished) LOG.atWarn().addKeyValue("event", "advisory_overran").log("the pipeline ends without them");
    }

    /// Commits what became durable, reads the backlog, leaves the group.
    private boolean leave(KafkaSource from, long deadline) throws InterruptedException {
        from.finish(Math.max(deadline, clock.nanoTime() + LAST_COMMIT.toNanos()));
        return from.awaitClosed(deadline + LEAVE_GRACE.toNanos());
    }

    private Stop asked() {
        var asked = stop.get();
        if (asked == null) throw new IllegalStateException("nobody asked for a stop");
        return asked;
    }

    /// The report of a process that a second signal ends now.
    public DrainReport cutShort(String reason, int exitCode) {
        stop(reason);
        return end(false, RunEnd.Waited.CUT_SHORT).report(exitCode);
    }

    /// The report of a process whose drain itself did not end in its bound.
    public DrainReport overran() {
        stop("overran");
        var exitCode = ExitCode.UNKNOWN_STATE.or(worst.get());
        return end(false, RunEnd.Waited.TO_THE_DEADLINE).report(exitCode);
    }

    private RunEnd end(boolean membersEnded, RunEnd.Waited waited) {
        var asked = asked();
        var budgetSeconds = config.drain().timeout().toNanos() / NANOS_PER_SECOND;
        var noTime = waited == RunEnd.Waited.TO_THE_DEADLINE && budgetSeconds == 0;
        return new RunEnd(
                new RunEnd.Run(
                        config.name(),
                        version,
                        startedAt,
                        Instant.now(),
                        asked.reason(),
                        (clock.nanoTime() - asked.nanos()) / NANOS_PER_SECOND,
                        budgetSeconds),
                partitions(),
                pool.status(),
                asked.givenUpBefore(),
                membersEnded,
                noTime ? RunEnd.Waited.NOT : waited,
                advisoryViews(),
                guarantees(),
                perhapsTwiceByPlans(),
                offsetsSkipped());
    }

    private static void tell(DrainReport report) {
        var rows = report.rows();
        LOG.atInfo()
                .addKeyValue("event", "drained")
                .addKeyValue("reason", report.reason())
                .addKeyValue("exit_code", report.exitCode())
                .addKeyValue("drained", report.drained())
                .addKeyValue("polled", rows.polled())
                .addKeyValue("delivered", rows.delivered())
                .addKeyValue("duplicate", rows.duplicate())
                .addKeyValue("skipped", rows.skipped())
                .addKeyValue("dead_lettered", rows.deadLettered())
                .addKeyValue("abandoned", rows.abandoned())
                .addKeyValue("in_doubt", rows.inDoubt())
                .log("the pipeline ended");
    }

    /// Ends what still runs and gives connections back, within about four seconds whatever a sink does.
    public void close() {
        stop("closed");
        closed.countDown();
        var from = source;
        if (from != null) from.close();
        // Beside the others, and nobody waits for them: they take no part of the time.
        for (var sink : advisory)
            Thread.ofPlatform().daemon().name("millrace-close-" + sink.name()).start(sink::close);
        if (config.metrics().otlp() != null)
            Thread.ofPlatform().daemon().name("millrace-close-otlp").start(scrape::close);
        pool.close();
        var letters = deadLetters;
        if (letters != null) letters.close();
        sinks.forEach(sink -> sink.sink().close());
        var server = admin;
        if (server != null) server.close();
    }

    /// A stop was asked for, by whomever.
    public boolean ended() {
        return stop.get() != null;
    }

    /// Where the admin endpoints listen, or null.
    public @Nullable InetSocketAddress adminAddress() {
        var server = admin;
        return server == null ? null : server.address();
    }

    /// Of each sink, how often it left out which field.
    private Map<String, Map<String, Long>> unknownFields() {
        return Stream.concat(sinks.stream(), advisory.stream().map(AdvisoryPart::sink))
                .collect(Collectors.toMap(SinkPart::name, SinkPart::unknownFields));
    }

    private List<AdvisoryView> advisoryViews() {
        return advisory.stream().map(AdvisoryPart::view).toList();
    }

    private long offsetsSkipped() {
        var from = source;
        return from == null ? 0 : from.counters().offsetsSkipped();
    }

    private long perhapsTwiceByPlans() {
        var from = source;
        return from == null ? 0 : from.counters().possibleDuplicates();
    }

    private List<PartitionView> partitions() {
        var from = source;
        return from == null ? List.of() : from.view().partitions();
    }

    /// How far it is, for a person who watches.
    public Progress progress() {
        return Progress.of(partitions(), pool.status(), clock.nanoTime());
    }

    /// The sink that the file calls so. It stays this pipeline's to close.
    public Sink sink(String name) {
        for (var part : sinks) if (part.name().equals(name)) return part.sink();
        for (var part : advisory)
            if (part.name().equals(name)) return part.sink().sink();
        throw new IllegalArgumentException("no sink is called " + name);
    }

    private AdminServer.Answer scraped() {
        var meters = metrics;
        return meters == null ? AdminServer.Answer.text(503, "starting") : scrape.answer(meters);
    }

    private final class FromPool implements PoolListener {
        @Override
        public void note(ShardId shard, ShardNote note) {
            var meters = metrics;
            if (meters != null) meters.note(shard, note);
            if (note instanceof ShardNote.Poison poison)
                setAside.refused(poison.failure().code());
            if (note instanceof ShardNote.Wrote wrote) keptTokens.written(shard, wrote.batch());
            else if (!(note instanceof ShardNote.Sealed)) news.tell(shard, endpoints(shard), note, Instant.now());
            switch (note) {
                case ShardNote.ReplicaOpened(var replica, var last, var _) ->
                    change(shard, replica, Progress.Phase.OPEN, last.toString());
                case ShardNote.ReplicaHalfOpened(var replica) -> change(shard, replica, Progress.Phase.HALF_OPEN, null);
                case ShardNote.ReplicaClosed(var replica) -> change(shard, replica, Progress.Phase.CLOSED, null);
                default -> {}
            }
        }

        private List<URI> endpoints(ShardId shard) {
            for (var status : pool.status()) if (status.shard().equals(shard)) return status.endpoints();
            return List.of();
        }

        private void change(ShardId shard, int replica, Progress.Phase phase, @Nullable String reason) {
            for (var status : pool.status()) {
                if (!status.shard().equals(shard)) continue;
                var change = new ReplicaChange(status.endpoints().get(replica).toString(), phase, reason);
                whenReplicaChanges.forEach(action -> action.accept(change));
            }
        }

        @Override
        public void stopFor(ShardId shard, RowRef row, Failure failure) {
            fault(row + ": refused by " + shard + ": " + failure, ExitCode.FATAL);
        }

        @Override
        public void stopForExpired(ShardId shard, SealedBatch batch, long ageNanos, long windowNanos) {
            fault(
                    shard + ": a batch of " + batch.rows().rows() + " rows of "
                            + batch.rows().slices().getFirst().chunk() + " waits for "
                            + (long) (ageNanos / NANOS_PER_SECOND) + " s, and the sink is sure to know its token for "
                            + (long) (windowNanos / NANOS_PER_SECOND) + " s only: it may be stored already. Store row"
                            + " coordinates, so that it can be looked at, widen the window, or set on_expired_token:"
                            + " resend, which may store it twice",
                    ExitCode.FATAL);
        }

        @Override
        public void died(ShardId shard, Throwable cause) {
            events.tell("worker_died", shard.toString(), cause.getClass().getName(), Instant.now());
            fault("the worker of " + shard + " died: " + cause.getClass().getName(), ExitCode.FATAL);
        }
    }

    private final class FromSource implements SourceListener {
        @Override
        public @Nullable String starts(Map<String, Integer> partitions) {
            var crowded = keptTokens.tooMany(config.checkpoint().metadataLimit());
            if (crowded != null) return crowded;
            var fetched = FetchBuffers.of(config.source().properties(), partitions);
            if (fetched.large(Runtime.getRuntime().maxMemory()))
                LOG.atWarn().addKeyValue("event", "fetch_buffers_large").log("{}", fetched.line());
            for (var sink : sinks) {
                var rate = sink.cutRate(partitions, budget.maxBytes());
                if (rate == null) continue;
                if (rate.refusal() != null) return "sinks." + sink.name() + ": " + rate.refusal();
                LOG.atInfo()
                        .addKeyValue("event", "cuts")
                        .addKeyValue("sink", sink.name())
                        .log("{}", rate.line());
            }
            return null;
        }

        @Override
        public void plansNotKept() {
            levels = new Levels(
                    config.delivery(),
                    config.require(),
                    "the broker, or a proxy before it, keeps no text beside a committed offset, so no plan outlives"
                            + " the run: use one that keeps it, or delivery: at_least_once");
            for (var sink : sinks) {
                var found = sink.guarantee(levels);
                events.tell("level_changed", sink.name(), found.level() + ": " + found.why(), Instant.now());
                LOG.atWarn()
                        .addKeyValue("event", "level_changed")
                        .addKeyValue("sink", sink.name())
                        .addKeyValue("level", found.level())
                        .log("{}", found.why());
                var refusal = levels.refusal(sink.name(), found);
                if (refusal != null) fault(refusal, ExitCode.BAD_CONFIGURATION);
            }
        }

        @Override
        public void newestTokens(SourcePartition partition, Map<Integer, Long> tokens) {
            keptTokens.found(partition, tokens);
        }

        @Override
        public void inputFinished() {
            pool.closeInput();
        }

        @Override
        public void failed(int exitCode, String reason) {
            LOG.atError().addKeyValue("event", "source_failed").log("{}", reason);
            events.tell("source_failed", "", reason, Instant.now());
            fault(reason, exitCode == ExitCode.BAD_CONFIGURATION.code() ? ExitCode.BAD_CONFIGURATION : ExitCode.FATAL);
        }
    }
}
