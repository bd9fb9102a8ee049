package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Visit.Server;
import dev.millrace.sinkpool.NanoClock;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Asks one server how long it knows tokens of the table, and how fast everybody fills that
/// memory. Reads only.
///
/// An entry is made for each part that an insert adds: one in each table partition that it
/// touches. So what is counted are parts that were never merged, of the last minute, those that
/// were merged away since among them: the server keeps these for eight minutes
/// (`old_parts_lifetime`). It takes no log table.
///
/// What is not answered is as it was before; nothing waits longer than two seconds for it.
///
/// Thread ownership: none; each question is of the calling thread.
record MemoryLook(ClickHouseSettings settings, HttpClient client, NanoClock clock) {
    /// Those that keep each row until somebody deletes it: what others merge away is not there to
    /// be read.
    private static final Set<String> KEEPS_ROWS = Set.of("MergeTree", "ReplicatedMergeTree", "SharedMergeTree");

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    static final int MINUTE = 60;

    /// What `server` told of itself is known already.
    void at(ClickHouseEndpoint endpoint, Server server, TokenMemory memory, long deadlineNanos)
            throws InterruptedException {
        if (!server.engine().endsWith("MergeTree")) {
            memory.told(new Remembered(0, 0, false, engineForgets(server)));
            return;
        }
        var heard = hear(endpoint, memoryQuestion(server.engine()), deadlineNanos);
        var told = told(heard);
        var table = told == null ? null : facts(server, told);
        if (told == null || table == null) {
            if (told != null || heard.denied()) memory.untold();
            return;
        }
        var readable = readable(endpoint, server, deadlineNanos);
        if (readable == null) {
            if (!memory.known()) return;
            readable = memory.remembered().readable();
        }
        var remembered = table.remembered(readable);
        var all = withViews(endpoint, table, told, remembered, deadlineNanos);
        // What a table remembers is no more than the least of what it fills: as long as these were silent, as little
        // as any.
        if (all != null) memory.told(all);
        else if (!memory.known()) memory.untold();
        entries(endpoint, memory, deadlineNanos);
    }

    private String engineForgets(Server server) {
        return settings.database() + "." + settings.table() + " has the engine " + server.engine()
                + ", which remembers no tokens: "
                + (server.engine().equals("Distributed")
                        ? "write to the shards' own tables"
                        : "use an engine of the MergeTree family");
    }

    /// Null where it did not tell how much the table remembers.
    private @Nullable TableFacts facts(Server server, Map<String, String> told) {
        var window = server.window() >= 0 ? server.window() : number(told.get("shared"), -1);
        var seconds = Preflight.replicated(server.engine())
                ? number(told.get("own_seconds"), number(told.get("shared_seconds"), -1))
                : 0;
        if (window < 0 || seconds < 0) return null;
        return new TableFacts(settings.database(), settings.table(), server.engine(), "", window, seconds, false);
    }

    private static long number(@Nullable String text, long otherwise) {
        return text != null && text.matches("\\d{1,18}") ? Long.parseLong(text) : otherwise;
    }

    /// Whether rows of a table can be read by where they came from, if whoever writes may read it.
    static boolean tells(ClickHouseSettings settings, String engine) {
        return settings.rows().coordinates().tellRecords() && KEEPS_ROWS.contains(engine);
    }

    /// Whether whoever writes can read rows by where they came from; null where that is not answered.
    private @Nullable Boolean readable(ClickHouseEndpoint endpoint, Server server, long deadlineNanos)
            throws InterruptedException {
        if (!tells(settings, server.engine())) return false;
        var question = new StringBuilder("SELECT 'readable', '1'");
        for (var needed : Verification.questions(settings))
            question.append(" UNION ALL SELECT 'of', toString(count()) FROM (")
                    .append(needed)
                    .append(')');
        var heard = hear(endpoint, question.toString(), deadlineNanos);
        var told = told(heard);
        if (told == null) return heard.denied() ? false : null;
        return told.containsKey("readable");
    }

    /// Null where the views are not told.
    private @Nullable Remembered withViews(
            ClickHouseEndpoint endpoint,
            TableFacts table,
            Map<String, String> told,
            Remembered remembered,
            long deadlineNanos)
            throws InterruptedException {
        if (number(told.get("views"), 0) == 0) return remembered;
        var questions = new Questions(client, endpoint, settings.login(), clock, patience(deadlineNanos));
        var all = remembered;
        try {
            for (var filled : new TableLook(questions).filledBehind(table)) {
                var target = filled.target();
                if (target != null && all.forgets().isEmpty()) all = all.and(filled.view(), target);
            }
            return all;
        } catch (NotTold _) {
            return null;
        }
    }

    private void entries(ClickHouseEndpoint endpoint, TokenMemory memory, long deadlineNanos)
            throws InterruptedException {
        var told = told(hear(endpoint, "SELECT 'entries', toString(count())" + youngParts(settings), deadlineNanos));
        var entries = told == null ? -1 : number(told.get("entries"), -1);
        if (entries >= 0) memory.saw(clock.nanoTime(), entries / (double) MINUTE);
    }

    /// Parts that inserts of the last minute added.
    static String youngParts(ClickHouseSettings settings) {
        return " FROM system.parts WHERE database = " + ClickHouseWriter.literal(settings.database())
                + " AND table = " + ClickHouseWriter.literal(settings.table())
                + " AND level = 0 AND modification_time > now() - " + MINUTE;
    }

    private String memoryQuestion(String engine) {
        var from = " FROM system.replicated_merge_tree_settings WHERE name = 'replicated_deduplication_window";
        var defaults = " UNION ALL SELECT 'shared', value" + from + "'" + " UNION ALL SELECT 'shared_seconds', value"
                + from + "_seconds'";
        return "SELECT 'own_seconds', extract(engine_full, 'replicated_deduplication_window_seconds = ([0-9]+)')"
                + " FROM system.tables WHERE " + table()
                + " UNION ALL SELECT 'views', toString(length(dependencies_table)) FROM system.tables WHERE "
                + table()
                + (Preflight.replicated(engine) ? defaults : "");
    }

    private String table() {
        return "database = " + ClickHouseWriter.literal(settings.database()) + " AND name = "
                + ClickHouseWriter.literal(settings.table());
    }

    private long patience(long deadlineNanos) {
        var patience = clock.nanoTime() + PATIENCE.toNanos();
        return deadlineNanos == NanoClock.NEVER || patience - deadlineNanos < 0 ? patience : deadlineNanos;
    }

    private Visit.Heard hear(ClickHouseEndpoint endpoint, String question, long deadlineNanos)
            throws InterruptedException {
        return new Visit(settings, client, clock).hear(endpoint, question, patience(deadlineNanos));
    }

    /// Null where it was not answered.
    private static @Nullable Map<String, String> told(Visit.Heard heard) {
        var text = heard.text();
        if (text == null) return null;
        var told = new HashMap<String, String>();
        for (var line : text.lines().toList()) {
            var tab = line.indexOf('\t');
            if (tab > 0) told.put(line.substring(0, tab), line.substring(tab + 1));
        }
        return told;
    }
}
