package dev.millrace.pipeline;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.config.AdminConfig;
import dev.millrace.config.Redaction;
import dev.millrace.kafka.PartitionView;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What people see of a pipeline by its admin endpoints, and do to it.
///
/// Thread ownership: shared; `listen` is called once.
final class AdminSide {
    private static final Logger LOG = LoggerFactory.getLogger(Pipeline.class);
    private static final Duration PULSE = Duration.ofSeconds(1);

    private final Parts parts;
    private final Starting starting;
    private final Stopping stopping;
    private final Supplier<RunningFile> file;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable AdminServer server;

    AdminSide(Parts parts, Starting starting, Stopping stopping, Supplier<RunningFile> file) {
        this.parts = parts;
        this.starting = starting;
        this.stopping = stopping;
        this.file = file;
    }

    /// Nothing, where the file says so. Throws with one line where somebody has to mend something.
    void listen() throws StartFailure {
        if (!(parts.config.admin() instanceof AdminConfig.Listening(var listen, var tokenFile, var hosts, var readers)))
            return;
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
            var started = AdminServer.start(
                    new AdminServer.Door(
                            new InetSocketAddress(listen.host(), listen.port()),
                            names,
                            token,
                            readers == AdminConfig.Readers.TOKEN),
                    new AdminPages(
                                    () -> starting.account().log(),
                                    this::snapshot,
                                    parts.pulse,
                                    parts.events,
                                    parts.setAside,
                                    this::scraped,
                                    Redaction.of(parts.config))
                            .pages(),
                    new AdminActs(parts.pause, parts.shards, stopping::asked, stopping::drainByHand, parts.events)
                            .acts());
            server = started;
            Thread.ofPlatform().daemon().name("millrace-pulse").start(this::beat);
            LOG.atInfo().addKeyValue("event", "admin_listening").log("{}", started.address());
        } catch (IOException | IllegalArgumentException cause) {
            throw new StartFailure(
                    ExitCode.BAD_CONFIGURATION,
                    "admin.listen " + listen + ": " + cause.getMessage()
                            + "; another process may have the port: choose another, or none");
        }
    }

    private Snapshot snapshot() {
        var account = starting.account();
        return new Snapshot(
                new Snapshot.Who(parts.config.name(), parts.version, parts.startedAt, file.get()),
                new Snapshot.Course(starting.waitsFor(), parts.pause.sinceNanos(), stopping.endsNanos()),
                account.log(),
                account.posted(),
                parts.shards.status(),
                parts.advisoryViews(),
                parts.shards.inFlight(),
                parts.promises.all(),
                parts.unknownFields(),
                parts.stuckNanos(),
                parts.clock.nanoTime());
    }

    private AdminServer.Answer scraped() {
        var meters = starting.metrics();
        return meters == null ? AdminServer.Answer.text(503, "starting") : parts.scrape.answer(meters);
    }

    /// Takes the pulse each second, for as long as anybody may ask for it.
    private void beat() {
        var owned = Set.<SourcePartition>of();
        try {
            while (!closed.await(PULSE.toNanos(), TimeUnit.NANOSECONDS)) {
                var now = snapshot();
                parts.pulse.beat(now);
                var owns = now.partitions().stream()
                        .filter(partition -> partition.member() >= 0)
                        .map(PartitionView::partition)
                        .collect(Collectors.toSet());
                if (!owns.equals(owned))
                    parts.events.tell("assigned", "", owns.size() + " partitions now", Instant.now());
                owned = owns;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Where it listens, or null.
    @Nullable
    InetSocketAddress address() {
        var listening = server;
        return listening == null ? null : listening.address();
    }

    /// Takes the pulse no more; the pages are there until [#close].
    void rest() {
        closed.countDown();
    }

    void close() {
        var listening = server;
        if (listening != null) listening.close();
    }
}
