package dev.millrace.pipeline;

import dev.millrace.config.FormatConfig;
import dev.millrace.config.HttpSourceConfig;
import dev.millrace.httpclient.ServerContext;
import dev.millrace.intake.Gate;
import dev.millrace.intake.IntakeServer;
import dev.millrace.intake.IntakeSettings;
import dev.millrace.intake.IntakeSink;
import dev.millrace.sinkpool.Finding;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Rows that are posted: an intake in front of a front for each sink.
///
/// Thread ownership: as [Source] says.
final class PostedRows implements Source {
    private static final Logger LOG = LoggerFactory.getLogger(Pipeline.class);

    /// What bodies that are being read get when it stops: half of the time of the drain, and so much at most.
    private static final Duration READING = Duration.ofSeconds(5);

    private final Parts parts;
    private final HttpSourceConfig config;
    private final Map<String, IntakeSink> sinks = new LinkedHashMap<>();
    private final IntakeSettings settings;
    private final AdminToken token;
    private final AtomicBoolean stopping = new AtomicBoolean();
    private volatile @Nullable IntakeServer server;

    /// Throws with one line where a file of it is no good.
    PostedRows(Parts parts, HttpSourceConfig config) throws StartFailure {
        this.parts = parts;
        this.config = config;
        this.token = new AdminToken(config.tokenFile());
        for (var finding : look(config))
            throw new StartFailure(ExitCode.BAD_CONFIGURATION, finding.where() + ": " + finding.what());
        if (token.exposed())
            LOG.atWarn()
                    .addKeyValue("event", "intake_token_exposed")
                    .log("everybody on this machine can read {}: chmod 600 it", config.tokenFile());
        this.settings = new IntakeSettings(
                new InetSocketAddress(config.listen().host(), config.listen().port()),
                config.topics().names(),
                Math.toIntExact(config.maxBodyBytes()),
                config.maxRequests(),
                config.waitTimeout().toNanos(),
                parts.config.format() instanceof FormatConfig.Json,
                tls(config));
        for (var sink : parts.sinks)
            sinks.put(sink.name(), sink.posted(parts.config, parts.fronts().inlet(sink.name())));
    }

    /// What of its files is no good, as faults.
    static List<Finding> look(HttpSourceConfig config) {
        var found = new ArrayList<Finding>();
        var problem = new AdminToken(config.tokenFile()).problem();
        if (problem != null)
            found.add(Finding.fault(
                    "source.http.token_file",
                    config.tokenFile() + " " + problem,
                    "put a token there, or name another file"));
        try {
            tls(config);
        } catch (IllegalArgumentException wrong) {
            found.add(Finding.fault("source.http.tls", String.valueOf(wrong.getMessage()), "mend the file"));
        }
        return found;
    }

    private static @Nullable SSLContext tls(HttpSourceConfig config) {
        var shown = config.tls();
        return shown == null ? null : ServerContext.of("source.http", shown.certFile(), shown.keyFile());
    }

    @Override
    public boolean start() throws StartFailure {
        if (stopping.get()) return false;
        try {
            var started = IntakeServer.start(settings, List.copyOf(sinks.values()), gate(), parts.clock);
            server = started;
            if (stopping.get()) started.drain();
            return true;
        } catch (IOException | IllegalArgumentException cause) {
            throw new StartFailure(
                    ExitCode.BAD_CONFIGURATION,
                    "source.http.listen " + config.listen() + ": " + cause.getMessage()
                            + "; another process may have the port: choose another");
        }
    }

    private Gate gate() {
        return new Gate() {
            @Override
            public Claim check(@Nullable String authorization) {
                if (config.tokenFile() == null) return Claim.HOLDS;
                return switch (token.check(authorization)) {
                    case HOLDS -> Claim.HOLDS;
                    case DENIED -> Claim.DENIED;
                    case OFF, UNREADABLE -> Claim.UNREADABLE;
                };
            }

            @Override
            public boolean paused() {
                return parts.pause.sinceNanos() != null;
            }
        };
    }

    @Override
    public String tells() {
        return config.topics() + " may be posted to " + listens();
    }

    private String listens() {
        var listening = server;
        return (config.tls() == null ? "http://" : "https://")
                + (listening == null ? config.listen().toString() : address(listening.address()));
    }

    private static String address(InetSocketAddress at) {
        var host = at.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + at.getPort();
    }

    /// First it refuses; then it waits for the bodies that are being read; then the fronts are closed.
    @Override
    public void stop(long deadlineNanos) {
        var listening = server;
        if (listening != null) listening.drain();
        if (!stopping.compareAndSet(false, true)) return;
        parts.shards.drainBy(deadlineNanos);
        Thread.ofPlatform().daemon().name("millrace-intake-end").start(() -> {
            try {
                parts.fronts().sealOpen();
                var now = parts.clock.nanoTime();
                var until = now + Math.min(READING.toNanos(), Math.max(0, deadlineNanos - now) / 2);
                if (listening != null) listening.awaitRead(until);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            } finally {
                parts.shards.closeInput();
            }
        });
    }

    @Override
    public boolean leave(long deadlineNanos) {
        return true;
    }

    @Override
    public void layoutChanged(String sink) {
        Objects.requireNonNull(sinks.get(sink)).describedAnew();
    }

    @Override
    public List<Finding> leftovers(long untilNanos) {
        return List.of();
    }

    @Override
    public Account account() {
        var listening = server;
        if (listening == null) return Account.NONE;
        return new Account(
                null,
                IntakeView.of(listens(), listening.counts(), parts.fronts().health()));
    }

    @Override
    public void close() {
        var listening = server;
        if (listening != null) listening.close();
    }
}
