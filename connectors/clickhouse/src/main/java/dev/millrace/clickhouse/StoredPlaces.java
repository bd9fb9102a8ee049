package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Coordinates.Part;
import dev.millrace.httpclient.Endpoints;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Counts the rows that a sink's tables hold, by the record that each came from, as its coordinates
/// tell.
///
/// A row counts once for each table that holds it. Servers that are replicas of one table are
/// copies of the same rows: of each row counts what the fullest of those says that answer, so one
/// that lags behind hides nothing. Servers that share nothing have their rows each for itself, and
/// all of them have to answer. Two addresses of one server are asked once.
///
/// Life: [#look], until it answers [Countable]; then [#count].
///
/// Thread ownership: one thread.
public final class StoredPlaces implements AutoCloseable {
    /// What came of a look. Closed: switches over it have no default.
    public sealed interface Looked {}

    /// Rows can be counted. `cautions` are what a reader of the counts has to know.
    public record Countable(List<String> cautions) implements Looked {
        public Countable {
            cautions = List.copyOf(cautions);
        }
    }

    /// A person has to mend something.
    public record Unfit(String reason) implements Looked {}

    /// Too few answered.
    public record Unreached(String reason) implements Looked {}

    /// Servers with the same rows.
    private record Copies(List<ClickHouseEndpoint> servers) {}

    private static final int TRIES = 3;

    private final ClickHouseSettings settings;
    private final Map<ShardId, List<ClickHouseEndpoint>> shards;
    private final HttpClient client;
    private final NanoClock clock;
    private final Map<ShardId, List<Copies>> tables = new HashMap<>();
    private final Map<ClickHouseEndpoint, Boolean> replicated = new HashMap<>();

    private StoredPlaces(
            ClickHouseSettings settings,
            Map<ShardId, List<ClickHouseEndpoint>> shards,
            HttpClient client,
            NanoClock clock) {
        this.settings = settings;
        this.shards = shards;
        this.client = client;
        this.clock = clock;
    }

    /// Connects nowhere. Throws `IllegalArgumentException` for endpoints and files of TLS that
    /// can't be used.
    public static StoredPlaces open(ClickHouseSettings settings, Map<ShardId, List<URI>> shards, NanoClock clock) {
        var endpoints = Endpoints.of(shards, ClickHouseEndpoint::of);
        return new StoredPlaces(settings, endpoints, settings.clients().fresh(), clock);
    }

    /// Asks every endpoint what its table is. Each is given so long to answer.
    public Looked look(Duration patience) throws InterruptedException {
        if (!settings.rows().coordinates().tellRecords())
            return new Unfit("its rows do not tell which record they came from: add columns to the table, and name them"
                    + " in clickhouse.coordinates: { topic: _topic, partition: _partition, offset: _offset }; rows that"
                    + " were written before have none");
        var cautions = new ArrayList<String>();
        var shardOf = new HashMap<String, ShardId>();
        for (var entry : shards.entrySet()) {
            var bad = look(entry.getKey(), entry.getValue(), patience, cautions, shardOf);
            if (bad != null) return bad;
        }
        return new Countable(cautions.stream().distinct().toList());
    }

    /// Null where the shard can be read.
    private @Nullable Looked look(
            ShardId shard,
            List<ClickHouseEndpoint> endpoints,
            Duration patience,
            List<String> cautions,
            Map<String, ShardId> shardOf)
            throws InterruptedException {
        var byServer = new LinkedHashMap<String, TableCopies.Table>();
        var groups = new LinkedHashMap<String, List<ClickHouseEndpoint>>();
        var silent = new ArrayList<String>();
        for (var endpoint : endpoints) {
            switch (said(endpoint, patience)) {
                case TableCopies.Unfit(var reason) -> {
                    return new Unfit(shard.shard() + " " + endpoint + ": " + reason);
                }
                case TableCopies.Silent(var failure) -> silent.add(endpoint + ": " + failure);
                case TableCopies.Table table -> {
                    if (!table.caution().isEmpty()) cautions.add(table.caution());
                    var other = shardOf.putIfAbsent(table.server(), shard);
                    if (other != null && !other.equals(shard))
                        return new Unfit(shard.shard() + " " + endpoint + " is the same table as that of shard "
                                + other.shard() + ": no row of it tells of which shard it is");
                    replicated.put(endpoint, table.replicated());
                    if (byServer.putIfAbsent(table.server(), table) != null) continue;
                    var group = table.replicated() ? table.copies() : table.server();
                    groups.computeIfAbsent(group, _ -> new ArrayList<>()).add(endpoint);
                }
            }
        }
        // Which of the others it is a copy of is not known: of any, then.
        var untold = groups.size() > 1 ? groups.remove("untold") : null;
        if (untold != null) groups.values().iterator().next().addAll(untold);
        var copies = groups.size() == 1 && byServer.values().iterator().next().replicated();
        if (!silent.isEmpty() && !copies)
            return new Unreached(shard.shard() + " " + String.join("; ", silent)
                    + (groups.isEmpty() ? "" : "; it has a part of the rows, which no other server of the shard has"));
        for (var one : silent) cautions.add(shard.shard() + " was read without " + one);
        tables.put(shard, groups.values().stream().map(Copies::new).toList());
        return null;
    }

    private TableCopies.Said said(ClickHouseEndpoint endpoint, Duration patience) throws InterruptedException {
        var until = clock.nanoTime() + patience.toNanos();
        return new TableCopies(settings, new Questions(client, endpoint, settings.login(), clock, until)).look();
    }

    /// Adds to `counts`, whose first element is of the offset `from`, how many rows of each record
    /// the shard has. Returns null, or why they could not be counted. Each server is given
    /// `patience` to answer, three times.
    public @Nullable String count(ShardId shard, PlacesAsked asked, int[] counts, Duration patience)
            throws InterruptedException {
        for (var table : tables.getOrDefault(shard, List.of())) {
            var why = count(table, asked, counts, patience);
            if (why != null) return shard.shard() + " " + why;
        }
        return null;
    }

    private @Nullable String count(Copies table, PlacesAsked asked, int[] counts, Duration patience)
            throws InterruptedException {
        var fullest = new int[asked.length()];
        var why = "";
        var answered = false;
        for (var server : table.servers()) {
            switch (countAt(server, asked, patience)) {
                case At.None(var reason) -> why = reason;
                case At.Counted(var own) -> {
                    answered = true;
                    for (var i = 0; i < own.length; i++) fullest[i] = Math.max(fullest[i], own[i]);
                }
            }
        }
        if (!answered) return why;
        for (var i = 0; i < fullest.length; i++) counts[i] += fullest[i];
        return null;
    }

    /// What one server counted.
    private sealed interface At {
        @SuppressWarnings("ArrayRecordComponent") // made for one reader
        record Counted(int[] own) implements At {}

        record None(String reason) implements At {}
    }

    private At countAt(ClickHouseEndpoint server, PlacesAsked asked, Duration patience) throws InterruptedException {
        var why = "";
        for (var tried = 0; tried < TRIES; tried++) {
            // Of its own for each try: what was given up may still write.
            var counted = new Counted(asked);
            var lines = new PlacesRead(counted);
            var exchange = new Exchange(client, settings.login(), clock);
            var request = Exchange.Request.question(
                    server.query(parameters(server)), BodyPublishers.ofString(question(asked)), lines);
            switch (exchange.post(request, clock.nanoTime() + patience.toNanos(), _ -> {})) {
                case Exchange.Result.Failed(var outcome) -> why = words(outcome);
                case Exchange.Result.Answered(var answer) -> {
                    var verdict = Verdict.of(answer);
                    if (!(verdict instanceof WriteOutcome.Written)) why = words(verdict);
                    else if (!lines.whole() || counted.strange) why = "it told of rows in no known form";
                    else return new At.Counted(counted.own);
                }
            }
        }
        return new At.None(server + ": " + why);
    }

    /// How many rows of each offset, from lines of counts and offsets.
    private static final class Counted implements PlacesRead.Place {
        private final PlacesAsked asked;
        private final int[] own;
        private boolean strange;

        Counted(PlacesAsked asked) {
            this.asked = asked;
            own = new int[asked.length()];
        }

        @Override
        public void at(int count, long offset) {
            if (offset < asked.from() || offset >= asked.to()) strange = true;
            else own[(int) (offset - asked.from())] = count;
        }
    }

    /// What is cut by a limit of the server's is an error. Of a replicated table, rows that a
    /// quorum has.
    private String parameters(ClickHouseEndpoint server) {
        return Verification.parameters() + "&group_by_overflow_mode=throw"
                + (replicated.getOrDefault(server, false) ? "&select_sequential_consistency=1" : "");
    }

    /// A line for each record: of how many rows, and its offset.
    private String question(PlacesAsked asked) {
        var columns = settings.rows().coordinates();
        var offset = InsertSettings.quoted(columns.needed(Part.OFFSET));
        return "SELECT count(), " + offset + " FROM " + InsertSettings.quoted(settings.database()) + "."
                + InsertSettings.quoted(settings.table()) + " WHERE "
                + InsertSettings.quoted(columns.needed(Part.TOPIC)) + " = " + ClickHouseWriter.literal(asked.topic())
                + " AND " + InsertSettings.quoted(columns.needed(Part.PARTITION)) + " = " + asked.partition()
                + " AND " + offset + " >= " + asked.from() + " AND " + offset + " < " + asked.to()
                + " GROUP BY " + offset;
    }

    private static String words(WriteOutcome outcome) {
        return switch (outcome) {
            case WriteOutcome.Unavailable(var failure, var _) -> failure.toString();
            case WriteOutcome.Refused(var failure, var _) -> failure.toString();
            case WriteOutcome.TooLarge(var failure) -> failure.toString();
            case WriteOutcome.Misconfigured(var failure) -> failure.toString();
            case WriteOutcome.Written _ -> throw new IllegalStateException("an answer is no failure");
        };
    }

    /// Ends what is under way.
    @Override
    public void close() {
        client.shutdownNow();
    }
}
