package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Coordinates.Column;
import dev.millrace.clickhouse.Questions.Reply;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.HashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What one server says of its table before rows are counted in it.
///
/// Thread ownership: the thread that asks.
record TableCopies(ClickHouseSettings settings, Questions questions) {
    /// Closed: switches over it have no default.
    sealed interface Said {}

    /// `server` is the same for two addresses of one table. `copies` is the same for tables that
    /// are copies of each other, empty for one that has none. `caution` says what makes counts of
    /// it hard to judge, empty where nothing does.
    record Table(String engine, String server, String copies, String caution) implements Said {
        boolean replicated() {
            return !copies.isEmpty();
        }
    }

    /// A person has to mend something.
    record Unfit(String reason) implements Said {}

    record Silent(Failure failure) implements Said {}

    Said look() throws InterruptedException {
        try {
            var told = questions.lines(
                    "system.tables",
                    6,
                    "SELECT engine, engine_full, toString(serverUUID()), hostName(), toString(uuid),"
                            + " toString(data_paths) FROM system.tables WHERE database = " + database()
                            + " AND name = " + table());
            if (told.isEmpty())
                return new Unfit("no table " + settings.database() + "." + settings.table() + ", or none that "
                        + settings.login().writer() + " may see");
            var row = told.getFirst();
            var engine = row.getFirst();
            if (!engine.endsWith("MergeTree") && !engine.matches("Memory|Log|TinyLog|StripeLog"))
                return new Unfit(settings.table() + " is " + engine + ", whose rows are none of its own, or not kept:"
                        + " name the shards' own tables");
            var problem = columns();
            if (problem != null) return new Unfit(problem);
            var server = String.join("\n", row.subList(2, 6));
            return new Table(engine, server, copies(engine), caution(engine, row.get(1)));
        } catch (NotTold not) {
            return switch (not.outcome()) {
                case WriteOutcome.Unavailable(var failure, var _) -> new Silent(failure);
                case WriteOutcome.Misconfigured(var failure) -> new Unfit(failure.toString());
                case WriteOutcome.Refused(var failure, var _) -> new Unfit(failure.toString());
                case WriteOutcome.TooLarge(var failure) -> new Unfit(failure.toString());
                case WriteOutcome.Written _ -> throw new IllegalStateException("an answer is no silence");
            };
        }
    }

    private String database() {
        return ClickHouseWriter.literal(settings.database());
    }

    private String table() {
        return ClickHouseWriter.literal(settings.table());
    }

    private @Nullable String columns() throws InterruptedException, NotTold {
        var coordinates = settings.rows().coordinates();
        var names = coordinates.columns().values().stream()
                .map(ClickHouseWriter::literal)
                .collect(Collectors.joining(", "));
        var found = new HashMap<String, Column>();
        for (var row : questions.lines(
                "system.columns",
                3,
                "SELECT name, type, default_kind FROM system.columns WHERE database = " + database() + " AND table = "
                        + table() + " AND name IN (" + names + ")"))
            found.put(row.getFirst(), new Column(row.get(1), row.get(2)));
        return coordinates.problem(found);
    }

    /// By its path in Keeper; one that tells none is taken for a copy of the others of its shard.
    private String copies(String engine) throws InterruptedException {
        if (!Preflight.replicated(engine)) return "";
        var told = questions.ask("SELECT zookeeper_path FROM system.replicas WHERE database = " + database()
                + " AND table = " + table());
        return told instanceof Reply.Lines(var rows) && rows.size() == 1
                ? "at " + rows.getFirst().getFirst()
                : "untold";
    }

    private static String caution(String engine, String full) {
        if (full.contains(" TTL ")) return "its table has a TTL: rows that it took count as missing";
        return engine.matches("(Replicated|Shared)?MergeTree") || !engine.endsWith("MergeTree")
                ? ""
                : engine + " merges rows of one key into one: what is merged away counts as missing, and rows that are"
                        + " there twice are so until they are merged";
    }
}
