package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Questions.Reply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Looks at tables of one server, and at those that views behind them fill.
///
/// Thread ownership: the thread that asks.
final class TableLook {
    /// A view behind a table, and what it fills; null where the user may not see that.
    record Filled(String view, @Nullable TableFacts target) {}

    private static final int MOST_VIEWS = 64;
    private static final String QUOTED = "`(?:[^`\\\\]|\\\\.|``)*`";
    private static final Pattern NAME = Pattern.compile("\\G(" + QUOTED + "|[^.`]+)(?:\\.|$)");

    /// What stands behind TO in a view's statement: names with a backslash or a backtick before a
    /// backtick in them.
    private static final String TARGET = ClickHouseWriter.literal(
            "^CREATE MATERIALIZED VIEW (?:" + QUOTED + "|[^ `])+ TO ((?:" + QUOTED + "|[^ (`])+)");

    private final Questions questions;
    private final Map<String, String> plain = new HashMap<>();
    private final Map<String, String> replicated = new HashMap<>();
    private boolean defaultsKnown;

    TableLook(Questions questions) {
        this.questions = questions;
    }

    /// Null where the server has no such table, or the user may not see it.
    @Nullable
    TableFacts table(String database, String name) throws InterruptedException, NotTold {
        var found = questions.lines(
                "system.tables",
                6,
                "SELECT engine, partition_key, " + of("[^_]replicated_deduplication_window") + ", "
                        + of("[^_]replicated_deduplication_window_seconds") + ", "
                        + of("non_replicated_deduplication_window") + ", " + of("fsync_after_insert")
                        + " FROM system.tables WHERE " + named(database, name));
        if (found.isEmpty()) return null;
        defaults();
        var row = found.getFirst();
        var engine = row.getFirst();
        var shared = engine.startsWith("Replicated") || engine.startsWith("Shared");
        var window = shared
                ? number(row.get(2), replicated.get("replicated_deduplication_window"))
                : number(row.get(4), plain.get("non_replicated_deduplication_window"));
        var seconds = shared ? number(row.get(3), replicated.get("replicated_deduplication_window_seconds")) : 0;
        var fsync = number(row.get(5), (shared ? replicated : plain).get("fsync_after_insert"));
        return new TableFacts(database, name, engine, row.get(1), window, seconds, fsync > 0);
    }

    private static String of(String setting) {
        return "extract(engine_full, '" + setting + " = ([0-9]+)')";
    }

    private static String named(String database, String name) {
        return "database = " + ClickHouseWriter.literal(database) + " AND name = " + ClickHouseWriter.literal(name);
    }

    private static long number(String text, @Nullable String otherwise) {
        var told = text.isEmpty() && otherwise != null ? otherwise : text;
        return told.matches("\\d{1,18}") ? Long.parseLong(told) : 0;
    }

    /// What tables have that say nothing themselves. An old server has one list for both kinds.
    private void defaults() throws InterruptedException, NotTold {
        if (defaultsKnown) return;
        var names = "('non_replicated_deduplication_window', 'replicated_deduplication_window',"
                + " 'replicated_deduplication_window_seconds', 'fsync_after_insert')";
        for (var row : questions.lines(
                "system.merge_tree_settings",
                2,
                "SELECT name, value FROM system.merge_tree_settings WHERE name IN " + names))
            plain.put(row.getFirst(), row.get(1));
        replicated.putAll(plain);
        var own = questions.ask("SELECT name, value FROM system.replicated_merge_tree_settings WHERE name IN " + names);
        if (own instanceof Reply.Lines(var rows))
            for (var row : rows) if (row.size() == 2) replicated.put(row.getFirst(), row.get(1));
        defaultsKnown = true;
    }

    /// Views of views, too; at most 64.
    List<Filled> filledBehind(TableFacts table) throws InterruptedException, NotTold {
        var filled = new ArrayList<Filled>();
        var seen = new HashSet<String>();
        var left = new ArrayDeque<>(List.of(List.of(table.database(), table.name())));
        while (!left.isEmpty() && filled.size() < MOST_VIEWS) {
            var from = left.remove();
            for (var view : viewsOf(from.getFirst(), from.get(1))) {
                if (!seen.add(view.getFirst() + '.' + view.get(1))) continue;
                var target = target(view.getFirst(), view.get(1));
                if (target == null) continue;
                filled.add(new Filled(view.getFirst() + '.' + view.get(1), table(target.getFirst(), target.get(1))));
                left.add(target);
            }
        }
        return filled;
    }

    private List<List<String>> viewsOf(String database, String name) throws InterruptedException, NotTold {
        return questions.lines(
                "system.tables",
                2,
                "SELECT d.1, d.2 FROM (SELECT arrayJoin(arrayZip(dependencies_database, dependencies_table)) AS d"
                        + " FROM system.tables WHERE " + named(database, name) + ") ORDER BY d LIMIT " + MOST_VIEWS);
    }

    /// Null for what is no view that an insert fills. Without a table of its own a view fills one
    /// that only it names.
    private @Nullable List<String> target(String database, String view) throws InterruptedException, NotTold {
        var found = questions.lines(
                "system.tables",
                3,
                "SELECT engine, toString(uuid), extract(create_table_query, " + TARGET + ")"
                        + " FROM system.tables WHERE " + named(database, view));
        if (found.isEmpty() || !found.getFirst().getFirst().equals("MaterializedView")) return null;
        var to = found.getFirst().get(2);
        if (!to.isEmpty()) return qualified(database, to);
        var uuid = found.getFirst().get(1);
        return List.of(database, uuid.replace("-", "").matches("0*") ? ".inner." + view : ".inner_id." + uuid);
    }

    static List<String> qualified(String database, String name) {
        var parts = new ArrayList<String>();
        var matcher = NAME.matcher(name);
        while (parts.size() < 2 && matcher.find()) {
            var part = matcher.group(1);
            parts.add(
                    part.startsWith("`")
                            ? part.substring(1, part.length() - 1).replaceAll("\\\\(.)|`(`)", "$1$2")
                            : part);
        }
        return switch (parts.size()) {
            case 0 -> List.of(database, name);
            case 1 -> List.of(database, parts.getFirst());
            default -> List.copyOf(parts);
        };
    }
}
