package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Description.Interrupted;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.TokenLog;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Asks servers what they are before anything is written: version, settings that they know, the table's
/// engine and how much it remembers of tokens. Reads only.
///
/// Thread ownership: the thread that describes the sink; what is known of tokens is shared.
final class Preflight {
    private sealed interface Said {}

    /// What one server said. `engine` is empty where it has no such table. `window` is −1 where it named
    /// none. `columns` are those that take coordinates, by name; `typed` were asked for where rows are
    /// typed.
    private record Server(
            String version,
            Set<String> known,
            String engine,
            long window,
            Map<String, Coordinates.Column> columns,
            @Nullable ServerColumns typed)
            implements Said {
        /// Of a shard with so many replicas, each of which has such a table.
        TokenLog tokenLog(int replicas) {
            if (!engine.endsWith("MergeTree") || window == 0) return TokenLog.NONE;
            return replicas == 1 || replicated(engine) ? TokenLog.SHARED : TokenLog.UNSHARED;
        }
    }

    /// Why one said nothing.
    private record Silent(WriteOutcome why) implements Said {}

    private final ClickHouseSettings settings;
    private final Map<ShardId, List<ClickHouseEndpoint>> shards;
    private final Supplier<HttpClient> clients;
    private final Dialects dialects;
    private final NanoClock clock;
    private final OneServer oneServer;
    private final Map<ShardId, TokenLog> logs = new ConcurrentHashMap<>();

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
    }

    Description ask(long deadlineNanos) throws InterruptedException {
        var seen = new ArrayList<Server>();
        var unseen = new ArrayList<ShardId>();
        var hazards = new TreeSet<String>();
        var interrupted = Interrupted.STORED;
        @Nullable ServerColumns columns = null;
        @Nullable Failure silent = null;
        var client = clients.get();
        try {
            for (var shard : shards.entrySet()) {
                var found = false;
                for (var endpoint : shard.getValue()) {
                    switch (visit(client, endpoint, deadlineNanos)) {
                        case Server server -> {
                            if (!server.engine.isEmpty())
                                dialects.learned(endpoint, new Dialects.Spoken(server.version, server.known));
                            var refusal = refusal(endpoint, server, columns);
                            if (refusal != null) return new Description.Refused(refusal);
                            columns = agreed(columns, server.typed);
                            hazards(endpoint, server, hazards);
                            var here = new InterruptedInserts(settings, client, clock)
                                    .at(endpoint, server.version, server.engine, hazards, deadlineNanos);
                            if (here.compareTo(interrupted) > 0) interrupted = here;
                            seen.add(server);
                            remember(shard.getKey(), server, client, deadlineNanos);
                            found = true;
                        }
                        case Silent(WriteOutcome.Misconfigured(var failure)) -> {
                            return new Description.Refused(endpoint + ": " + failure.message());
                        }
                        case Silent(WriteOutcome.Unavailable(var failure, var _)) -> silent = failure;
                        case Silent(WriteOutcome.Refused(var failure, var _)) -> silent = failure;
                        case Silent(WriteOutcome.TooLarge(var failure)) -> silent = failure;
                        case Silent(WriteOutcome.Written _) ->
                            throw new IllegalStateException("an answer is no silence");
                    }
                    if (found) break;
                }
                if (!found) unseen.add(shard.getKey());
            }
        } finally {
            client.shutdownNow();
        }
        if (seen.isEmpty())
            return new Description.NotReachable(
                    silent == null ? new Failure("no-answer", "no server answered", false) : silent);
        return described(seen, unseen, interrupted, hazards, columns);
    }

    private Description described(
            List<Server> seen,
            List<ShardId> unseen,
            Interrupted interrupted,
            SortedSet<String> hazards,
            @Nullable ServerColumns columns) {
        var known = new TreeSet<>(seen.getFirst().known);
        for (var server : seen) known.retainAll(server.known);
        var oldest =
                seen.stream().map(Server::version).min(Preflight::byVersion).orElseThrow();
        if (columns == null) return new Description.Described(oldest, known, unseen, interrupted, hazards, null);
        return switch (columns.made(table(), settings.rows().coordinates(), hazards)) {
            case ServerColumns.Made.Layout(var layout) ->
                new Description.Described(oldest, known, unseen, interrupted, hazards, layout);
            case ServerColumns.Made.Refused(var reason) -> new Description.Refused(reason);
        };
    }

    /// Why rows can't go there, or null. `columns` are those of the shards before.
    private @Nullable String refusal(ClickHouseEndpoint endpoint, Server server, @Nullable ServerColumns columns) {
        if (server.engine.isEmpty())
            return endpoint + " has no table " + table() + ": create it there, or name another";
        var lacks = Dialects.lacks(server.known);
        if (!lacks.isEmpty())
            return endpoint + " runs ClickHouse " + server.version + ", which knows no " + lacks + ": use a later one";
        if (server.typed != null && !server.known.contains(InsertSettings.HEADER_COUNTS))
            return endpoint + " runs ClickHouse " + server.version + ", which knows no " + InsertSettings.HEADER_COUNTS
                    + ", without which a changed table is not noticed: use a later one, or set format: json_each_row";
        if (columns != null && server.typed != null && columns.and(server.typed) == null)
            return table() + " at " + endpoint + " has other columns than another shard's: make them alike";
        var unfit = settings.rows().coordinates().problem(server.columns);
        return unfit == null ? null : endpoint + ": " + unfit;
    }

    private static @Nullable ServerColumns agreed(@Nullable ServerColumns before, @Nullable ServerColumns told) {
        return before == null || told == null ? told : before.and(told);
    }

    private String table() {
        return settings.database() + "." + settings.table();
    }

    /// What is known by now. Of a shard that has not answered it is the worst.
    TokenLog tokenLog(ShardId shard) {
        var known = logs.get(shard);
        if (known != null) return known;
        return shards.getOrDefault(shard, List.of()).size() > 1 ? TokenLog.UNSHARED : TokenLog.SHARED;
    }

    /// Asks a server of a shard that had not answered before, so that it is known before anything is
    /// sent. Null when it is; else why nothing can be sent.
    @Nullable
    WriteOutcome ask(ShardId shard, HttpClient client, ClickHouseEndpoint endpoint, long deadlineNanos)
            throws InterruptedException {
        if (logs.containsKey(shard)) return null;
        return switch (visit(client, endpoint, deadlineNanos)) {
            case Server server -> {
                // The answer to a write says better what it means that there is no table.
                if (!server.engine.isEmpty()) remember(shard, server, client, deadlineNanos);
                yield null;
            }
            case Silent(var why) -> Verdict.nothingStored(why);
        };
    }

    private void remember(ShardId shard, Server server, HttpClient client, long deadlineNanos)
            throws InterruptedException {
        var endpoints = shards.getOrDefault(shard, List.of());
        var log = server.tokenLog(endpoints.size());
        var shared = log == TokenLog.UNSHARED && oneServer.behind(endpoints, client, deadlineNanos);
        logs.put(shard, shared ? TokenLog.SHARED : log);
    }

    private void hazards(ClickHouseEndpoint endpoint, Server server, Set<String> hazards) {
        var table = table();
        if (server.engine.equals("Distributed"))
            hazards.add(
                    table + " is a Distributed table: its queue may say yes before anything is durable; write to the"
                            + " shards' own tables");
        else if (!server.engine.endsWith("MergeTree"))
            hazards.add(table + " at " + endpoint + " has the engine " + server.engine
                    + ", which remembers no tokens: a repeat is stored twice");
        else if (server.window == 0)
            hazards.add(table + " at " + endpoint + " remembers no tokens, so a repeat is stored twice: set "
                    + (replicated(server.engine) ? "" : "non_") + "replicated_deduplication_window on it");
    }

    static boolean replicated(String engine) {
        return engine.startsWith("Replicated") || engine.startsWith("Shared");
    }

    private Said visit(HttpClient client, ClickHouseEndpoint endpoint, long deadlineNanos) throws InterruptedException {
        var address = endpoint.query("default_format=TSVRaw");
        var question = Exchange.Request.question(address, BodyPublishers.ofString(question()));
        var answer = ask(client, question, deadlineNanos);
        var said = answer.text == null ? answer.silent() : said(answer.text);
        if (!(said instanceof Server server)
                || server.engine.isEmpty()
                || settings.rows().format() != ClickHouseSettings.Format.ROW_BINARY) return said;
        return withColumns(server, client, endpoint, deadlineNanos);
    }

    private Said withColumns(Server server, HttpClient client, ClickHouseEndpoint endpoint, long deadlineNanos)
            throws InterruptedException {
        var address = endpoint.query("default_format=TSV");
        var question = ServerColumns.question(settings.database(), settings.table());
        var answer =
                ask(client, Exchange.Request.longQuestion(address, BodyPublishers.ofString(question)), deadlineNanos);
        if (answer.text == null) return answer.silent();
        var columns = ServerColumns.of(answer.text);
        if (columns == null)
            return new Silent(new WriteOutcome.Misconfigured(
                    new Failure("columns", "the names and types of the table's columns are too long", false)));
        return new Server(server.version, server.known, server.engine, server.window, server.columns, columns);
    }

    /// One answer's text, or what there is instead.
    private record Heard(@Nullable String text, @Nullable WriteOutcome instead) {
        Said silent() {
            return new Silent(Objects.requireNonNull(instead));
        }
    }

    private Heard ask(HttpClient client, Exchange.Request question, long deadlineNanos) throws InterruptedException {
        var exchange = new Exchange(client, settings.login(), clock);
        return switch (exchange.post(question, deadlineNanos, _ -> {})) {
            case Exchange.Result.Failed(var outcome) -> new Heard(null, outcome);
            case Exchange.Result.Answered(var answer) -> {
                var verdict = Verdict.of(answer);
                yield verdict instanceof WriteOutcome.Written
                        ? new Heard(answer.text(), null)
                        : new Heard(null, verdict);
            }
        };
    }

    private String question() {
        var names =
                InsertSettings.asked().stream().map(ClickHouseWriter::literal).collect(Collectors.joining(", "));
        var table = "database = " + ClickHouseWriter.literal(settings.database()) + " AND name = "
                + ClickHouseWriter.literal(settings.table());
        return "SELECT 'version', version() UNION ALL SELECT 'setting', name FROM system.settings WHERE name IN ("
                + names
                + ") UNION ALL SELECT 'engine', engine FROM system.tables WHERE " + table
                + " UNION ALL SELECT 'window', extract(engine_full, 'replicated_deduplication_window = ([0-9]+)')"
                + " FROM system.tables WHERE " + table
                + " UNION ALL SELECT 'plain', value FROM system.merge_tree_settings"
                + " WHERE name = 'non_replicated_deduplication_window'" + columns();
    }

    /// Those that take coordinates. A name holds no tab.
    private String columns() {
        var names = settings.rows().coordinates().columns().values();
        if (names.isEmpty()) return "";
        return " UNION ALL SELECT 'column', concat(name, '\\t', default_kind, '\\t', type) FROM system.columns"
                + " WHERE database = " + ClickHouseWriter.literal(settings.database())
                + " AND table = " + ClickHouseWriter.literal(settings.table()) + " AND name IN ("
                + names.stream().map(ClickHouseWriter::literal).collect(Collectors.joining(", ")) + ")";
    }

    private static Said said(String answer) {
        var version = "";
        var known = new TreeSet<String>();
        var engine = "";
        var window = -1L;
        var plain = -1L;
        var columns = new HashMap<String, Coordinates.Column>();
        for (var line : answer.lines().toList()) {
            var tab = line.indexOf('\t');
            if (tab < 0) continue;
            var value = line.substring(tab + 1);
            switch (line.substring(0, tab)) {
                case "version" -> version = value;
                case "setting" -> known.add(value);
                case "engine" -> engine = value;
                case "window" -> window = number(value);
                case "plain" -> plain = number(value);
                case "column" -> {
                    var parts = value.split("\t", 3);
                    if (parts.length == 3) columns.put(parts[0], new Coordinates.Column(parts[2], parts[1]));
                }
                default -> {
                    // Not asked for.
                }
            }
        }
        if (version.isEmpty())
            return new Silent(Verdict.unavailable("not-clickhouse", "an answer that is not ClickHouse's", false));
        return new Server(version, known, engine, window < 0 && !replicated(engine) ? plain : window, columns, null);
    }

    private static long number(String text) {
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : -1;
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
