package dev.millrace.clickhouse;

import dev.millrace.httpclient.HttpExchange;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.TokenLog;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Asks one server what it is: version, settings that it knows, the table's engine, how much it
/// remembers of tokens, and the columns. Reads only.
///
/// Thread ownership: none; each question is of the calling thread.
record Visit(ClickHouseSettings settings, HttpClient client, NanoClock clock) {
    /// What came of it. Closed: switches over it have no default.
    sealed interface Said {}

    /// What one server said. `engine` is empty where it has no such table. `window` is −1 where it
    /// named none. `columns` are those that take coordinates, by name; `typed` were asked for
    /// where rows are typed.
    record Server(
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
            return replicas == 1 || Preflight.replicated(engine) ? TokenLog.SHARED : TokenLog.UNSHARED;
        }
    }

    /// Why one said nothing.
    record Silent(WriteOutcome why) implements Said {
        Failure failure() {
            return switch (why) {
                case WriteOutcome.Unavailable(var failure, var _) -> failure;
                case WriteOutcome.Refused(var failure, var _) -> failure;
                case WriteOutcome.TooLarge(var failure) -> failure;
                case WriteOutcome.Misconfigured(var failure) -> failure;
                case WriteOutcome.Written _ -> throw new IllegalStateException("an answer is no silence");
            };
        }
    }

    Said at(ClickHouseEndpoint endpoint, long deadlineNanos) throws InterruptedException {
        var address = endpoint.query("default_format=TSVRaw");
        var question = Exchange.Request.question(address, BodyPublishers.ofString(question()));
        var answer = ask(question, deadlineNanos);
        var said = answer.text == null ? answer.silent() : said(answer.text);
        if (!(said instanceof Server server)
                || server.engine.isEmpty()
                || settings.rows().format() != ClickHouseSettings.Format.ROW_BINARY) return said;
        return withColumns(server, endpoint, deadlineNanos);
    }

    /// One more question, answered in lines of fields as they are.
    Heard hear(ClickHouseEndpoint endpoint, String question, long deadlineNanos) throws InterruptedException {
        var address = endpoint.query("default_format=TSVRaw");
        return ask(Exchange.Request.question(address, BodyPublishers.ofString(question)), deadlineNanos);
    }

    private Said withColumns(Server server, ClickHouseEndpoint endpoint, long deadlineNanos)
            throws InterruptedException {
        var address = endpoint.query("default_format=TSV");
        var question = ServerColumns.question(settings.database(), settings.table());
        var answer = ask(Exchange.Request.longQuestion(address, BodyPublishers.ofString(question)), deadlineNanos);
        if (answer.text == null) return answer.silent();
        var columns = ServerColumns.of(answer.text);
        if (columns == null)
            return new Silent(new WriteOutcome.Misconfigured(new Failure(
                    "columns",
                    "the names and types of the table's columns are too long, or not what was asked for",
                    false)));
        return new Server(server.version, server.known, server.engine, server.window, server.columns, columns);
    }

    /// One answer's text, or what there is instead.
    record Heard(@Nullable String text, @Nullable WriteOutcome instead) {
        Silent silent() {
            return new Silent(Objects.requireNonNull(instead));
        }

        /// The server answered, and did not tell: it does not know the question, or whoever asks
        /// may not.
        boolean denied() {
            return text == null && silent().failure().code().matches("\\d+");
        }
    }

    private Heard ask(Exchange.Request question, long deadlineNanos) throws InterruptedException {
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

    static Said said(String answer) {
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
            return new Silent(HttpExchange.unavailable("not-clickhouse", "an answer that is not ClickHouse's", false));
        return new Server(
                version, known, engine, window < 0 && !Preflight.replicated(engine) ? plain : window, columns, null);
    }

    private static long number(String text) {
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : -1;
    }
}
