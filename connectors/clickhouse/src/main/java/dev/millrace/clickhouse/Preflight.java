package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Description.Interrupted;
import dev.millrace.clickhouse.Visit.Server;
import dev.millrace.clickhouse.Visit.Silent;
import dev.millrace.httpclient.HttpExchange;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.Guarantee.Level;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.Recognition;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.TokenLog;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Asks servers what they are before anything is written, and keeps what each shard said last.
/// Reads only.
///
/// Thread ownership: shared.
final class Preflight {
    /// What came of one shard. Closed: switches over it have no default.
    private sealed interface Looked {}

    private record Seen(Server server, Interrupted interrupted, Set<String> hazards) implements Looked {}

    /// It answered, and can't be written to.
    private record Unfit(String reason) implements Looked {}

    private record Unseen(ShardId shard, Failure failure) implements Looked {}

    private static final Logger LOG = LoggerFactory.getLogger(Preflight.class);

    private final ClickHouseSettings settings;
    private final Map<ShardId, List<ClickHouseEndpoint>> shards;
    private final Supplier<HttpClient> clients;
    private final Dialects dialects;
    private final NanoClock clock;
    private final OneServer oneServer;
    private final KnownShards known;

    /// Hazards that were logged.
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    /// What each shard allowed when it was last told.
    private final Map<ShardId, Level> levels = new ConcurrentHashMap<>();

    Preflight(
            ClickHouseSettings settings,
            Map<ShardId, List<ClickHouseEndpoint>> shards,
            Supplier<HttpClient> clients,
            Dialects dialects,
            NanoClock clock) {
        this.settings = settings;
        this.shards = shards;
        this.clients = clients;
        this.dialects = dialects;
        this.clock = clock;
        this.oneServer = new OneServer(settings, clock);
        this.known = new KnownShards(shards, settings.limits().insertsPerSecond());
    }

    /// Asks all shards at once. What a shard that does not answer said before still counts for the
    /// columns that all have.
    Description ask(long deadlineNanos) throws InterruptedException {
        var seen = new ArrayList<Server>();
        var unseen = new ArrayList<ShardId>();
        var hazards = new TreeSet<String>();
        var interrupted = Interrupted.STORED;
        var silent = new Failure("no-answer", "no server answered", false);
        for (var looked : lookAtAll(deadlineNanos)) {
            switch (looked) {
                case Seen(var server, var here, var its) -> {
                    seen.add(server);
                    hazards.addAll(its);
                    if (here.compareTo(interrupted) > 0) interrupted = here;
                }
                case Unfit(var reason) -> {
                    return new Description.Refused(reason);
                }
                case Unseen(var shard, var failure) -> {
                    unseen.add(shard);
                    silent = failure;
                }
            }
        }
        if (seen.isEmpty()) return new Description.NotReachable(silent);
        return described(seen, unseen, interrupted, hazards);
    }

    private List<Looked> lookAtAll(long deadlineNanos) throws InterruptedException {
        var atStart = known.none();
        var client = clients.get();
        // Closed last: what hangs ends with the client.
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            try {
                var looks = new ArrayList<Callable<Looked>>();
                shards.forEach(
                        (shard, endpoints) -> looks.add(() -> look(shard, endpoints, client, atStart, deadlineNanos)));
                var all = new ArrayList<Looked>();
                for (var look : threads.invokeAll(looks)) all.add(look.get());
                return all;
            } catch (ExecutionException failure) {
                throw new IllegalStateException(failure.getCause());
            } finally {
                client.shutdownNow();
            }
        }
    }

    /// Asks its endpoints until one answers. Each has its share of the time, so that one that
    /// hangs does not use up that of the next.
    private Looked look(
            ShardId shard, List<ClickHouseEndpoint> endpoints, HttpClient client, boolean atStart, long deadlineNanos)
            throws InterruptedException {
        var silent = new Failure("no-answer", "no server answered", false);
        var left = endpoints.size();
        for (var endpoint : endpoints) {
            switch (new Visit(settings, client, clock).at(endpoint, share(deadlineNanos, left--))) {
                case Server server -> {
                    if (!server.engine().isEmpty())
                        dialects.learned(endpoint, new Dialects.Spoken(server.version(), server.known()));
                    var refusal = refusal(endpoint, server);
                    if (refusal != null) return new Unfit(refusal);
                    var hazards = new TreeSet<String>();
                    learn(shard, endpoint, server, client, hazards, deadlineNanos);
                    var memory = known.memory(shard);
                    new MemoryLook(settings, client, clock).at(endpoint, server, memory, deadlineNanos);
                    if (memory.known()) tooFew(server, memory, hazards);
                    return new Seen(server, known.interrupted(shard), hazards);
                }
                case Silent said -> {
                    silent = said.failure();
                    if (said.why() instanceof WriteOutcome.Misconfigured)
                        return new Unfit(endpoint + ": " + silent.message());
                    // Later it may be a proxy whose server is away.
                    if (atStart && silent.code().equals("not-clickhouse"))
                        return new Unfit(endpoint + " answers, and is not ClickHouse (" + silent.message()
                                + "): name the HTTP port of a server");
                }
            }
        }
        return new Unseen(shard, silent);
    }

    private void tooFew(Server server, TokenMemory memory, Set<String> hazards) {
        var window =
                server.window() >= 0 ? server.window() : memory.remembered().entries();
        var facts = new TableFacts(settings.database(), settings.table(), server.engine(), "", window, 0, false);
        double own = settings.limits().insertsPerSecond();
        var tooFew = TokenMemory.shortOf(facts, own);
        if (!tooFew.isEmpty()) hazards.add(tooFew + ": " + facts.alter(TokenWindow.enough(own)));
    }

    private long share(long deadlineNanos, int among) {
        if (deadlineNanos == NanoClock.NEVER) return deadlineNanos;
        var now = clock.nanoTime();
        return now + (deadlineNanos - now) / among;
    }

    private Description described(
            List<Server> seen, List<ShardId> unseen, Interrupted interrupted, SortedSet<String> hazards) {
        var settingsKnown = new TreeSet<>(seen.getFirst().known());
        for (var server : seen) settingsKnown.retainAll(server.known());
        var oldest =
                seen.stream().map(Server::version).min(Preflight::byVersion).orElseThrow();
        return switch (known.columns()) {
            case KnownShards.Columns.None _ ->
                new Description.Described(oldest, settingsKnown, unseen, interrupted, hazards, null);
            case KnownShards.Columns.Unlike(var shard) ->
                new Description.Refused(table() + " of " + shard
                        + ", as it was last seen, has other columns than another shard's: make them alike");
            case KnownShards.Columns.Agreed(var columns) ->
                switch (columns.made(table(), settings.rows().coordinates(), hazards)) {
                    case ServerColumns.Made.Layout(var layout) ->
                        new Description.Described(oldest, settingsKnown, unseen, interrupted, hazards, layout);
                    case ServerColumns.Made.Refused(var reason) -> new Description.Refused(reason);
                };
        };
    }

    /// Why rows can't go there, or null.
    private @Nullable String refusal(ClickHouseEndpoint endpoint, Server server) {
        if (server.engine().isEmpty())
            return endpoint + " has no table " + table() + ": create it there, or name another";
        var lacks = Dialects.lacks(server.known());
        var runs = endpoint + " runs ClickHouse " + server.version() + ", which knows no ";
        if (!lacks.isEmpty()) return runs + lacks + ": use a later one";
        if (server.typed() != null && !server.known().contains(InsertSettings.HEADER_COUNTS))
            return runs + InsertSettings.HEADER_COUNTS
                    + ", without which a changed table is not noticed: use a later one, or set format: json_each_row";
        var unfit = settings.rows().coordinates().problem(server.columns());
        return unfit == null ? null : endpoint + ": " + unfit;
    }

    private String table() {
        return settings.database() + "." + settings.table();
    }

    /// What is known by now. Of a shard that has not answered it is the worst.
    Recognition recognition(ShardId shard) {
        return known.memory(shard).recognition(known.tokenLog(shard), clock.nanoTime());
    }

    /// The highest level of delivery that a shard allows, and why it is no higher, with what to do.
    Guarantee ceiling(ShardId shard) {
        if (!lookedAt(shard)) return new Guarantee(Level.L0, shard + " has not answered yet");
        if (known.interrupted(shard) == Interrupted.MAY_BE_LOST)
            return new Guarantee(
                    Level.L0,
                    shard + " may lose rows of an insert that is interrupted: upgrade ClickHouse, or store each row's"
                            + " topic, partition and offset (clickhouse.coordinates) in a table that keeps rows");
        var memory = known.memory(shard);
        var remembered = memory.remembered();
        if (!remembered.forgets().isEmpty()) return new Guarantee(Level.L0, shard + ": " + remembered.forgets());
        return switch (known.tokenLog(shard)) {
            case NONE -> new Guarantee(Level.L0, table() + " of " + shard + " remembers no tokens");
            case UNSHARED ->
                new Guarantee(
                        Level.L1,
                        "the replicas of " + shard + " share no tokens: use ReplicatedMergeTree with one path, or make"
                                + " each server a shard of its own");
            case SHARED -> shared(shard, memory);
        };
    }

    private Guarantee shared(ShardId shard, TokenMemory memory) {
        if (!memory.known())
            return new Guarantee(
                    Level.L1,
                    shard + " does not tell how long it remembers tokens: let "
                            + settings.login().writer()
                            + " read system.tables and system.replicated_merge_tree_settings");
        var text = shard + " " + memory.text(clock.nanoTime()) + replayed(shard, memory);
        if (memory.remembered().readable()) return new Guarantee(Level.L3, text + "; what is older is read back");
        return new Guarantee(
                Level.L2,
                text + "; for L3 store each row's topic, partition and offset (clickhouse.coordinates) in a table that"
                        + " keeps rows, and let " + settings.login().writer()
                        + " read it, system.processes and system.replicas");
    }

    private String replayed(ShardId shard, TokenMemory memory) {
        var window = recognition(shard).windowNanos();
        if (window >= TokenWindow.REPLAY.toNanos()) return "";
        return ", and a crash with its replay takes " + TokenWindow.REPLAY.toSeconds() + " s: let " + table()
                + " remember " + TokenWindow.enough(memory.entriesPerSecond());
    }

    /// Whether it is known what a shard's servers remember of tokens, or that they don't tell.
    boolean lookedAt(ShardId shard) {
        return known.answered(shard) && !known.memory(shard).blank();
    }

    /// Whether rows of a shard can be read by where they came from.
    boolean readable(ShardId shard) {
        return known.memory(shard).remembered().readable();
    }

    /// Whether a server of the shard may tell of rows as written that it has lost, so that it is read.
    boolean verifies(ShardId shard) {
        return known.interrupted(shard) == Interrupted.VERIFIED;
    }

    /// Why rows that were made for a layout can't go to a shard, as it was last seen, or null: it would
    /// take them, and make something else of them.
    @Nullable
    Failure unlike(ShardId shard, @Nullable TableLayout layout) {
        if (layout == null || known.takes(shard, layout)) return null;
        return new Failure(
                "table-changed",
                table() + " of " + shard + " has another time zone or other defaults than rows were made for",
                false);
    }

    /// Logs those that were not logged before.
    void tell(Collection<String> hazards) {
        for (var hazard : hazards)
            if (told.add(hazard))
                LOG.atWarn().addKeyValue("event", "clickhouse_hazard").log(hazard);
    }

    /// Logs each shard whose level is another than before.
    void tellLevels() {
        for (var shard : shards.keySet()) {
            var now = ceiling(shard);
            var before = levels.put(shard, now.level());
            if (before != null && before != now.level())
                LOG.atWarn()
                        .addKeyValue("event", "level_changed")
                        .addKeyValue("shard", shard)
                        .addKeyValue("before", before)
                        .addKeyValue("allows", now.level())
                        .addKeyValue("why", now.why())
                        .log("what its servers recognise of repeats changed");
        }
    }

    /// Asks a server of a shard of which not all is known, so that it is known before anything is
    /// sent. Null when it answered; else why nothing can be sent.
    @Nullable
    WriteOutcome ask(ShardId shard, HttpClient client, ClickHouseEndpoint endpoint, boolean planned, long deadlineNanos)
            throws InterruptedException {
        var memory = known.memory(shard);
        var blank = memory.blank();
        if (known.whole(shard) && !blank) return null;
        return switch (new Visit(settings, client, clock).at(endpoint, deadlineNanos)) {
            case Server server -> {
                // The answer to a write says better what it means that there is no table.
                if (server.engine().isEmpty()) yield null;
                var hazards = new TreeSet<String>();
                learn(shard, endpoint, server, client, hazards, deadlineNanos);
                tell(hazards);
                new MemoryLook(settings, client, clock).at(endpoint, server, memory, deadlineNanos);
                yield blank && planned ? judgedAnew() : null;
            }
            case Silent(var why) -> HttpExchange.nothingStored(why);
        };
    }

    /// Whoever sends it did not know how long its token is known.
    private static WriteOutcome judgedAnew() {
        return new WriteOutcome.Unavailable(
                new Failure(
                        "looked-at-first",
                        "how long it knows tokens was not known; the batch is judged by that now",
                        false),
                new WriteOutcome.Blame.Nobody());
    }

    private void learn(
            ShardId shard,
            ClickHouseEndpoint endpoint,
            Server server,
            HttpClient client,
            Set<String> hazards,
            long deadlineNanos)
            throws InterruptedException {
        hazards(endpoint, server, hazards);
        known.interrupted(
                shard, new InterruptedInserts(settings, client, clock).at(endpoint, server, hazards, deadlineNanos));
        if (server.typed() != null) known.columns(shard, server.typed());
        var endpoints = shards.getOrDefault(shard, List.of());
        var log = server.tokenLog(endpoints.size());
        var shared =
                log == TokenLog.UNSHARED && known.oneServer(shard, oneServer.behind(endpoints, client, deadlineNanos));
        var apart = log == TokenLog.SHARED
                && endpoints.size() > 1
                && replicated(server.engine())
                && known.otherPaths(shard, new OnePath(settings, client, clock).of(endpoints, deadlineNanos));
        if (apart)
            hazards.add(table() + " has other paths in Keeper at the servers of " + shard
                    + ": they are no replicas of one another, and a batch that is sent again to another is stored twice:"
                    + " put them into shards of their own, or give the tables one path");
        known.tokenLog(shard, apart ? TokenLog.UNSHARED : shared ? TokenLog.SHARED : log);
    }

    private void hazards(ClickHouseEndpoint endpoint, Server server, Set<String> hazards) {
        var table = table();
        if (server.engine().equals("Distributed"))
            hazards.add(
                    table + " is a Distributed table: its queue may say yes before anything is durable; write to the"
                            + " shards' own tables");
        else if (!server.engine().endsWith("MergeTree"))
            hazards.add(table + " at " + endpoint + " has the engine " + server.engine()
                    + ", which remembers no tokens: a repeat is stored twice");
        else if (server.window() == 0)
            hazards.add(table + " at " + endpoint + " remembers no tokens, so a repeat is stored twice: set "
                    + (replicated(server.engine()) ? "" : "non_") + "replicated_deduplication_window on it");
    }

    static boolean replicated(String engine) {
        return engine.startsWith("Replicated") || engine.startsWith("Shared");
    }

    static int byVersion(String a, String b) {
        return Arrays.compare(parts(a), parts(b));
    }

    private static int[] parts(String version) {
        return Pattern.compile("\\.")
                .splitAsStream(version)
                .mapToInt(Preflight::part)
                .toArray();
    }

    private static int part(String text) {
        return text.matches("\\d{1,9}") ? Integer.parseInt(text) : 0;
    }
}
