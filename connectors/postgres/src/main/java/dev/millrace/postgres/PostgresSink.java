package dev.millrace.postgres;

import dev.millrace.json.IgnoredFields;
import dev.millrace.sinkpool.Checkup;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.LayoutWatch;
import dev.millrace.sinkpool.Layouts;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.NewestTokens;
import dev.millrace.sinkpool.Recognition;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkTraits;
import dev.millrace.sinkpool.SinkWriter;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// PostgreSQL as a sink: a shard is a database, an endpoint is one way to it.
///
/// Life: [#open] connects nowhere; [#describe] is asked until it answers [Description.Described]; from
/// then on [#encoder] may be asked. A batch holds rows of an encoder, so none is written before.
///
/// Thread ownership: shared.
public final class PostgresSink implements Sink, NewestTokens {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresSink.class);
    private static final SinkTraits TRAITS = new SinkTraits(true);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final int HOUSEKEEPERS = 2;

    private final PostgresSettings settings;
    private final Map<ShardId, List<PostgresEndpoint>> shards;
    private final NanoClock clock;
    private final ScheduledThreadPoolExecutor housekeeping;
    private final @Nullable TokenUse tokens;
    private final TableWatch watch;
    private final ConcurrentLinkedQueue<Sessions> opened = new ConcurrentLinkedQueue<>();
    private final IgnoredFields ignored = new IgnoredFields();
    private final Layouts<TableDescription> layouts =
            new Layouts<>((known, found) -> TableWatch.difference(known, found) == null);

    /// Guarded by this object.
    private @Nullable LayoutWatch watching;

    private boolean closed;

    private PostgresSink(PostgresSettings settings, Map<ShardId, List<PostgresEndpoint>> shards, NanoClock clock) {
        this.settings = settings;
        this.shards = shards;
        this.clock = clock;
        housekeeping = new ScheduledThreadPoolExecutor(
                HOUSEKEEPERS,
                Thread.ofPlatform().daemon().name("millrace-postgres-", 0).factory());
        housekeeping.setRemoveOnCancelPolicy(true);
        tokens = settings.tokens() == null
                ? null
                : new TokenUse(settings.tokens(), settings.rows().onConflict());
        watch = new TableWatch(settings, shards, housekeeping, clock, tokens);
    }

    /// Checks the endpoints and connects nowhere.
    ///
    /// Throws `IllegalArgumentException` for an endpoint that is not
    /// `postgres://host:port/database`, and for a sink without shards.
    public static PostgresSink open(PostgresSettings settings, Map<ShardId, List<URI>> shards, NanoClock clock) {
        if (shards.isEmpty()) throw new IllegalArgumentException("a sink has a shard");
        var endpoints = new LinkedHashMap<ShardId, List<PostgresEndpoint>>();
        shards.forEach((shard, addresses) -> {
            if (addresses.isEmpty()) throw new IllegalArgumentException(shard + ": a shard has an endpoint");
            endpoints.put(shard, addresses.stream().map(PostgresEndpoint::of).toList());
        });
        return new PostgresSink(settings, endpoints, clock);
    }

    /// Asks every shard for its table, over connections of its own, and keeps the answer. May be asked
    /// again at any time, and asks itself from the first answer on: one that differs from the one
    /// in use is another layout.
    ///
    /// Blocks until all have answered, at most to the deadline and the connect timeout after it.
    public Description describe(long deadlineNanos) {
        var asked = watch.ask(deadlineNanos);
        if (!(asked instanceof Description.Described described)) return asked;
        var first = layouts.latest() == null;
        if (layouts.found(described.table()) || first) told(described);
        if (first) keepLooking();
        return described;
    }

    private static void told(Description.Described described) {
        LOG.atInfo()
                .addKeyValue("event", "postgres_table_described")
                .log(
                        "table={} columns={} unseen={}",
                        described.table(),
                        described.table().columns().size(),
                        described.unseen());
        for (var hazard : described.hazards())
            LOG.atWarn().addKeyValue("event", "postgres_hazard").log(hazard);
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized void keepLooking() {
        if (!closed && watching == null)
            watching = LayoutWatch.over(shards.keySet().iterator().next().sink(), this::lookAgain);
    }

    /// Why the table can't be written to or looked at, or null.
    private @Nullable String lookAgain() {
        var found = describe(clock.nanoTime() + LOOK.toNanos());
        // Closed: nobody waits for an answer.
        if (Thread.currentThread().isInterrupted()) return null;
        return switch (found) {
            case Description.Described _ -> null;
            case Description.Refused(var reason) -> reason;
            case Description.NotReachable(var failure) ->
                "table " + settings.table() + " can't be looked at: " + failure.message();
        };
    }

    private synchronized void lookSoon() {
        if (watching != null) watching.soon();
    }

    @Override
    public void onNewLayout(Runnable told) {
        layouts.onNew(told);
    }

    /// Looks at every endpoint of every shard, not only at the first that answers, and keeps
    /// nothing of it. Reads only.
    ///
    /// Blocks until all have answered, at most to the deadline and the connect timeout after it.
    public Checkup checkUp(long deadlineNanos, InstantSource wallClock) throws InterruptedException {
        return new SinkCheckup(settings, shards, housekeeping, clock, wallClock).look(deadlineNanos);
    }

    @Override
    public SinkTraits traits() {
        return TRAITS;
    }

    /// Throws `IllegalStateException` before the table is described.
    @Override
    public RowEncoder encoder() {
        var layout = layouts.latest();
        if (layout == null) throw new IllegalStateException("table " + settings.table() + " is not described yet");
        return settings.rows().rawColumn() == null
                ? new JsonRowEncoder(
                        layout, settings.rows().unknownFields(), ignored, layouts.gone(TableDescription::names))
                : new RawRowEncoder(layout);
    }

    /// How often `unknown_fields: ignore` left out each field, by name: at most 100 names, and the
    /// rest under one more.
    public Map<String, Long> ignoredFields() {
        return ignored.counts();
    }

    @Override
    public SinkWriter writer(ShardId shard, URI endpoint) {
        var logins = new Logins(
                PostgresEndpoint.of(endpoint),
                settings.login(),
                settings.limits().connectTimeout(),
                housekeeping);
        var sessions = new Sessions(logins, settings.limits(), housekeeping);
        opened.add(sessions);
        return new PostgresWriter(
                logins,
                sessions,
                settings.rows().onConflict(),
                layouts,
                this::lookSoon,
                clock,
                tokens == null
                        ? null
                        : new PostgresWriter.Tokens(
                                tokens, shard, new TokenPruning(logins, tokens.settings(), shard, clock)));
    }

    @Override
    public Recognition recognition(ShardId shard) {
        return tokens == null ? Sink.super.recognition(shard) : tokens.recognition(shard);
    }

    /// Whether a shard was found to have the table of tokens, so that each commits in the
    /// transaction of its rows. Blocks for nothing.
    @Override
    public boolean keepsTokens(ShardId shard) {
        return tokens != null && tokens.found(shard);
    }

    @Override
    public Answer knows(ShardId shard, byte[] prefix, long deadlineNanos) {
        var ways = shards.get(shard);
        if (ways == null) throw new IllegalArgumentException(shard + " is no shard of this sink");
        return new TokenQuestion(settings, housekeeping, clock).ask(ways, prefix, deadlineNanos);
    }

    @Override
    public List<Finding> leftovers(long deadlineNanos) {
        var layout = layouts.latest();
        if (tokens == null || layout == null) return List.of();
        var table = new TokenTable(layout.description().schema());
        var found = new ArrayList<Finding>();
        for (var shard : shards.entrySet())
            if (tokens.found(shard.getKey()))
                found.addAll(leftovers(shard.getKey(), shard.getValue(), table, deadlineNanos));
        return found;
    }

    private List<Finding> leftovers(ShardId shard, List<PostgresEndpoint> ways, TokenTable table, long deadlineNanos) {
        for (var way : ways) {
            if (isClosed() || NanoClock.reached(deadlineNanos, clock.nanoTime())) break;
            var attempt = new Attempt(clock, deadlineNanos);
            var logins = new Logins(
                    way, settings.login(), attempt.atMost(settings.limits().connectTimeout()), housekeeping);
            try (var session = logins.open(attempt)) {
                session.setNetworkTimeout(Runnable::run, attempt.remainingMillis());
                return ForgottenTokens.of(session, table, shard + " at " + way);
            } catch (SQLException unanswered) {
                LOG.atDebug()
                        .addKeyValue("event", "leftovers_unknown")
                        .log("{} at {}: {}", shard, way, new Verdict(Phase.LOGIN, unanswered, false).outcome("", 0));
            }
        }
        return List.of();
    }

    /// Cuts every session, so that attempts under way end, and closes the pools: all at once, for
    /// at most two seconds.
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (watching != null) watching.close();
        }
        var closers = new ArrayList<Thread>();
        for (var sessions : opened) closers.add(Thread.ofVirtual().start(sessions::close));
        var until = clock.nanoTime() + CLOSE_LIMIT.toNanos();
        var late = 0;
        try {
            for (var closer : closers) {
                var left = Math.max(1, until - clock.nanoTime());
                if (!closer.join(Duration.ofNanos(left))) late++;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        housekeeping.shutdownNow();
        if (late > 0)
            LOG.atWarn()
                    .addKeyValue("event", "postgres_close_overran")
                    .log("pools={} limit_seconds={}", late, TimeUnit.NANOSECONDS.toSeconds(CLOSE_LIMIT.toNanos()));
    }
}
