package dev.millrace.clickhouse;

import dev.millrace.sinkpool.Finding;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Looks at the table at one endpoint: its engine, what it remembers of tokens, the views behind
/// it, its replica's state, its columns, and whether it may be written to.
///
/// Thread ownership: the thread that looks; `look` comes first.
final class TableCheckup {
    private static final long SHORT_SECONDS = 3600;
    private static final int MOST_COLUMNS = 2000;
    private static final int PAGE = 60;
    private static final int LONG_TYPE = 120;

    private final ClickHouseSettings settings;
    private final Questions questions;
    private final TableLook tables;
    private final String where;
    private final List<Finding> findings;
    private @Nullable TableFacts table;
    private String path = "";
    private String replica = "";
    private String forgets = "";
    private List<String> columns = List.of();

    TableCheckup(ClickHouseSettings settings, Questions questions, String where, List<Finding> findings) {
        this.settings = settings;
        this.questions = questions;
        this.tables = new TableLook(questions);
        this.where = where;
        this.findings = findings;
    }

    /// Null where there is none.
    @Nullable
    TableFacts found() {
        return table;
    }

    /// In Keeper; empty for none.
    String path() {
        return path;
    }

    String replica() {
        return replica;
    }

    /// Which view fills a table that remembers no tokens, and what to do; empty for none.
    String forgets() {
        return forgets;
    }

    /// Names with their types, by name.
    List<String> columnsFound() {
        return columns;
    }

    void look() throws InterruptedException, NotTold {
        table = tables.table(settings.database(), settings.table());
        if (table == null)
            findings.add(Finding.fault(
                    where,
                    "no table " + settings.database() + "." + settings.table() + ", or none that "
                            + settings.login().writer() + " may see",
                    "create it there, grant INSERT on it, or name another in clickhouse.table"));
    }

    /// Whether what is acknowledged is stored, and what is sent again is recognised.
    void engine(SettingsCheckup profile) throws InterruptedException {
        var found = table;
        if (found == null) return;
        if (found.view())
            findings.add(Finding.fault(
                    where, found + " is a view: it takes no rows", "name the table that it reads, or another"));
        else if (found.mergeTree()) window(found);
        else if (found.engine().equals("Distributed")) distributed(found, profile.waitsForShards());
        else
            findings.add(Finding.hazard(
                    where,
                    found + " has the engine " + found.engine()
                            + ", which remembers no tokens: a batch that is sent again is stored twice",
                    "use an engine of the MergeTree family"));
        if (!found.partitionKey().isEmpty()) partitions(found, profile.mostPartitions());
    }

    private void distributed(TableFacts found, boolean waits) {
        findings.add(Finding.hazard(
                where,
                waits
                        ? found
                                + " is a Distributed table: which of its tables a batch that is sent again comes to, and"
                                + " whether that recognises it, nobody promises"
                        : found
                                + " is a Distributed table that says yes when a batch is in its own queue: rows are lost"
                                + " with that host, and the queue can stick",
                waits
                        ? "write to the shards' own tables"
                        : "write to the shards' own tables, or set distributed_foreground_insert: 1 in"
                                + " clickhouse.settings"));
    }

    private void partitions(TableFacts found, String most) {
        if (most.isEmpty() || most.equals("0")) return;
        findings.add(Finding.note(
                where,
                "a batch that touches more than " + most + " table partitions (" + found.partitionKey()
                        + ") is refused",
                "partition the table more coarsely, or set max_partitions_per_insert_block in clickhouse.settings"));
    }

    private void window(TableFacts found) throws InterruptedException {
        if (!found.remembers())
            findings.add(Finding.hazard(
                    where,
                    found + " remembers no tokens: a batch that is sent again is stored twice",
                    found.alter(TokenWindow.AMPLE_TOKENS)));
        else if (!found.replicated() && !MemoryLook.tells(settings, found.engine()))
            findings.add(Finding.hazard(
                    where,
                    found + InterruptedInserts.KILLED,
                    "use ReplicatedMergeTree, or MergeTree and clickhouse.coordinates, so that the sink can read what is"
                            + " there"));
        var perSecond = entriesPerSecond();
        var tooFew = TokenMemory.shortOf(found, perSecond);
        if (!tooFew.isEmpty())
            findings.add(Finding.hazard(
                    where,
                    tooFew + ": a batch that is sent again later than that is stored twice",
                    found.alter(TokenWindow.enough(perSecond))));
        if (found.remembers() && found.seconds() < SHORT_SECONDS)
            findings.add(Finding.hazard(
                    where,
                    found + " remembers tokens for " + found.windowSeconds()
                            + " s: a batch that waits out a longer outage may be stored twice",
                    "ALTER TABLE " + found.quoted() + " MODIFY SETTING replicated_deduplication_window_seconds = "
                            + 7 * 24 * SHORT_SECONDS));
    }

    /// Of everybody who writes there, and of this pipeline at the most, whichever is more.
    private double entriesPerSecond() throws InterruptedException {
        var own = settings.limits().insertsPerSecond();
        var told = questions.ask("SELECT count()" + MemoryLook.youngParts(settings));
        if (!(told instanceof Questions.Reply.Lines(var lines)) || lines.size() != 1) return own;
        var parts = lines.getFirst().getFirst();
        return parts.matches("\\d{1,12}") ? Math.max(own, Long.parseLong(parts) / (double) MemoryLook.MINUTE) : own;
    }

    void views() throws InterruptedException, NotTold {
        var found = table;
        if (found == null) return;
        for (var filled : tables.filledBehind(found)) {
            var target = filled.target();
            if (target == null || target.remembers() || target.engine().equals("Null")) continue;
            if (forgets.isEmpty())
                forgets = new Remembered(1, 1, false, "")
                        .and(filled.view(), target)
                        .forgets();
            findings.add(Finding.hazard(
                    where,
                    "view " + filled.view() + " fills " + target + " (" + target.engine()
                            + "), which remembers no tokens: a batch that is sent again is stored once in " + found
                            + " and twice there",
                    target.mergeTree()
                            ? target.alter(TokenWindow.AMPLE_TOKENS)
                            : "fill a table of the MergeTree family"));
        }
    }

    void replicas() throws InterruptedException, NotTold {
        var found = table;
        if (found == null || !found.replicated()) return;
        var told = questions.lines(
                "system.replicas",
                4,
                "SELECT zookeeper_path, replica_name, is_readonly, total_replicas FROM system.replicas WHERE database = "
                        + ClickHouseWriter.literal(settings.database()) + " AND table = "
                        + ClickHouseWriter.literal(settings.table()));
        if (told.isEmpty()) return;
        var row = told.getFirst();
        path = row.getFirst();
        replica = row.get(1);
        if (!row.get(2).equals("0"))
            findings.add(Finding.fault(
                    where,
                    found + " is read-only on this replica",
                    "look whether Keeper is reached: its session, or the replica's metadata there, is lost"));
        var quorum = settings.extra().getOrDefault("insert_quorum", "0");
        if (!row.get(3).equals("1") && !found.fsync() && quorum.matches("[01]?"))
            findings.add(Finding.note(
                    where,
                    "an insert is acknowledged by one replica, before it is on its disk or on another: a host that is"
                            + " lost just then takes acknowledged rows with it",
                    "set insert_quorum: 2 in clickhouse.settings, or fsync_after_insert = 1 on the table; both cost"
                            + " time"));
    }

    void columns() throws InterruptedException, NotTold {
        if (table == null) return;
        var told = new ArrayList<String>();
        var byName = new HashMap<String, Coordinates.Column>();
        while (told.size() < MOST_COLUMNS) {
            var page = questions.lines("system.columns", 3, columnsFrom(told.size()));
            for (var row : page) {
                told.add(row.getFirst() + ' ' + row.get(1));
                byName.put(row.getFirst(), new Coordinates.Column(row.get(1), row.get(2)));
            }
            if (page.size() < PAGE) break;
        }
        columns = told;
        var unfit = settings.rows().coordinates().problem(byName);
        if (unfit != null) findings.add(Finding.fault(where, unfit, "change the table, or the file"));
    }

    /// Whether typed rows can be made for its columns.
    void typedRows() throws InterruptedException, NotTold {
        var found = table;
        if (found == null || settings.rows().format() != ClickHouseSettings.Format.ROW_BINARY) return;
        var told = ServerColumns.of(
                questions.text("system.columns", ServerColumns.question(settings.database(), settings.table())));
        if (told == null) {
            findings.add(Finding.fault(
                    where, "the names and types of its columns are too long", "use format: json_each_row"));
            return;
        }
        var hazards = new TreeSet<String>();
        if (told.made(found.toString(), settings.rows().coordinates(), hazards)
                instanceof ServerColumns.Made.Refused(var reason))
            findings.add(Finding.fault(where, reason, "change the table, or use format: json_each_row"));
        for (var hazard : hazards) findings.add(Finding.hazard(where, hazard, ""));
    }

    /// A type may be longer than an answer is read.
    private String columnsFrom(int offset) {
        return "SELECT name, if(length(type) > " + LONG_TYPE + ", concat(substring(type, 1, " + LONG_TYPE
                + "), '…', hex(cityHash64(type))), type), default_kind FROM system.columns WHERE database = "
                + ClickHouseWriter.literal(settings.database()) + " AND table = "
                + ClickHouseWriter.literal(settings.table()) + " ORDER BY name LIMIT " + PAGE + " OFFSET " + offset;
    }

    void rights() throws InterruptedException, NotTold {
        var found = table;
        if (found == null) return;
        var told = questions.lines("its grants", 1, "CHECK GRANT INSERT ON " + found.quoted());
        if (!told.isEmpty() && told.getFirst().getFirst().equals("0"))
            findings.add(Finding.fault(
                    where,
                    settings.login().writer() + " may not insert into " + found,
                    "GRANT INSERT ON " + found.quoted() + " TO "
                            + settings.login().writer()));
    }
}
