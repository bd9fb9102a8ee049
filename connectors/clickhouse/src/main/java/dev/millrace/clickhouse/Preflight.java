package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Description.Interrupted;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Asks servers what they are before anything is written: version, settings that they know, the table's engine and how
/// much it remembers of tokens. Reads only.
///
/// Thread ownership: the thread that describes the sink.
final class Preflight {
    private sealed interface Said {}

    /// What one server said. `engine` is empty where it has no such table. `window` is −1 where it named none.
    private record Server(
            String version, Set<String> known, String engine, long window, Map<String, Coordinates.Column> columns)
            implements Said {}

    /// Why one said nothing.
    private record Silent(WriteOutcome why) implements Said {}

    private final ClickHouseSettings settings;
    private final Map<ShardId, List<ClickHouseEndpoint>> shards;
    private final Supplier<HttpClient> clients;
    private final NanoClock clock;

    Preflight(
            ClickHouseSettings settings,
            Map<ShardId, List<ClickHouseEndpoint>> shards,
            Supplier<HttpClient> clients,
            NanoClock clock) {
        this.settings = settings;
        this.shards = shards;
        this.clients = clients;
        this.clock = clock;
    }

    Description ask(long deadlineNanos) throws InterruptedException {
        var seen = new ArrayList<Server>();
        var unseen = new ArrayList<ShardId>();
        var hazards = new TreeSet<String>();
        var interrupted = Interrupted.STORED;
        @Nullable Failure silent = null;
        var client = clients.get();
        try {
            for (var shard : shards.entrySet()) {
                @Nullable Server found = null;
                for (var endpoint : shard.getValue()) {
                    switch (ask(client, endpoint, deadlineNanos)) {
                        case Server server -> {
                            if (server.engine.isEmpty())
                                return new Description.Refused(endpoint + " has no table " + settings.database() + "."
                                        + settings.table() + ": create it there, or name another");
                            var lacks = new TreeSet<>(InsertSettings.NEEDED);
                            lacks.removeAll(server.known);
                            if (!lacks.isEmpty())
                                return new Description.Refused(endpoint + " runs ClickHouse " + server.version
                                        + ", which knows no " + String.join(", no ", lacks) + ": use a later one");
                            var unfit = settings.rows().coordinates().problem(server.columns);
                            if (unfit != null) return new Description.Refused(endpoint + ": " + unfit);
                            found = server;
                            hazards(endpoint, server, hazards);
                            var here = new InterruptedInserts(settings, client, clock)
                                    .at(endpoint, server.version, server.engine, hazards, deadlineNanos);
                            if (here.compareTo(interrupted) > 0) interrupted = here;
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
                    if (found != null) break;
                }
                if (found == null) unseen.add(shard.getKey());
                else seen.add(found);
            }
        } finally {
            client.shutdownNow();
        }
        if (seen.isEmpty())
            return new Description.NotReachable(
                    silent == null ? new Failure("no-answer", "no server answered", false) : silent);
        var known = new TreeSet<>(seen.getFirst().known);
        for (var server : seen) known.retainAll(server.known);
        var oldest =
                seen.stream().map(Server::version).min(Preflight::byVersion).orElseThrow();
        return new Description.Described(oldest, known, unseen, interrupted, hazards);
    }

    private void hazards(ClickHouseEndpoint endpoint, Server server, Set<String> hazards) {
        var table = settings.database() + "." + settings.table();
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

    private Said ask(HttpClient client, ClickHouseEndpoint endpoint, long deadlineNanos) throws InterruptedException {
        var exchange = new Exchange(client, settings.login(), clock);
        var address = endpoint.query("default_format=TSVRaw");
        var question = Exchange.Request.question(address, BodyPublishers.ofString(question()));
        var result = exchange.post(question, deadlineNanos, _ -> {});
        return switch (result) {
            case Exchange.Result.Failed(var outcome) -> new Silent(outcome);
            case Exchange.Result.Answered(var answer) -> {
                var verdict = Verdict.of(answer, 0);
                yield verdict instanceof WriteOutcome.Written ? said(answer.text()) : new Silent(verdict);
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
        return new Server(version, known, engine, window < 0 && !replicated(engine) ? plain : window, columns);
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
