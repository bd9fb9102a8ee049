package dev.millrace.clickhouse;

import dev.millrace.clickhouse.TableLayout.Absent;
import dev.millrace.clickhouse.TableLayout.Column;
import dev.millrace.clickhouse.TableLayout.Origin;
import dev.millrace.json.IgnoredFields;
import dev.millrace.json.JsonFields;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A table's columns as one server tells them, or as all that were asked agree on.
///
/// `zone` is the server's own, `marks` whether it knows the format in which a row can ask for a
/// column's default.
record ServerColumns(String zone, boolean marks, List<Told> columns) {
    private static final String MARKED = "RowBinaryWithNamesAndTypesAndDefaults";

    ServerColumns {
        columns = List.copyOf(columns);
    }

    /// `type` is the server's spelling.
    record Told(String name, String type, Kind kind) {}

    /// What a column has in the place of a default.
    enum Kind {
        NONE,
        DEFAULT,
        /// Not stored: other columns are made of it.
        EPHEMERAL,
        /// Filled by the server: takes no values.
        FILLED;

        private static Kind of(String word) {
            return switch (word) {
                case "" -> NONE;
                case "DEFAULT" -> DEFAULT;
                case "EPHEMERAL" -> EPHEMERAL;
                default -> FILLED;
            };
        }
    }

    /// What came of making rows for them. Closed: switches over it have no default.
    sealed interface Made {
        record Layout(TableLayout layout) implements Made {}

        /// `reason` is one line for a person.
        record Refused(String reason) implements Made {}
    }

    static String question(String database, String table) {
        var where = " WHERE database = " + ClickHouseWriter.literal(database) + " AND table = "
                + ClickHouseWriter.literal(table);
        return "SELECT said, name, type, kind FROM ("
                + "SELECT 'zone' AS said, timezone() AS name, '' AS type, '' AS kind, 0 AS place"
                + " UNION ALL SELECT 'format', name, '', '', 0 FROM system.formats WHERE name = '" + MARKED + "'"
                + " UNION ALL SELECT 'count', toString(count()), '', '', 0 FROM system.columns" + where
                + " UNION ALL SELECT 'column', name, type, toString(default_kind), position FROM system.columns" + where
                + ") ORDER BY place";
    }

    /// Of an answer in tab-separated lines. Null where it was cut, or answers something else.
    static @Nullable ServerColumns of(String answer) {
        var zone = "";
        var marks = false;
        var count = -1;
        var columns = new ArrayList<Told>();
        for (var line : answer.split("\n", -1)) {
            var parts = line.split("\t", -1);
            if (parts.length != 4) continue;
            var name = unescaped(parts[1]);
            switch (parts[0]) {
                case "zone" -> zone = name;
                case "format" -> marks = true;
                case "count" -> count = name.matches("\\d{1,9}") ? Integer.parseInt(name) : -1;
                case "column" -> columns.add(new Told(name, unescaped(parts[2]), Kind.of(parts[3])));
                default -> {
                    // Not asked for.
                }
            }
        }
        var names = columns.stream().map(Told::name).distinct().count();
        return count == columns.size() && count == names ? new ServerColumns(zone, marks, columns) : null;
    }

    private static String unescaped(String text) {
        var plain = new StringBuilder();
        for (var at = 0; at < text.length(); at++) {
            var c = text.charAt(at);
            if (c == '\\' && at + 1 < text.length()) c = TypeTree.escaped(text.charAt(++at));
            plain.append(c);
        }
        return plain.toString();
    }

    /// What both have. Null where rows for one are none for the other.
    @Nullable
    ServerColumns and(ServerColumns other) {
        var theirs = other.columns.stream().collect(Collectors.toMap(Told::name, told -> told));
        if (theirs.size() != columns.size()) return null;
        var both = new ArrayList<Told>();
        for (var mine : columns) {
            var told = theirs.get(mine.name());
            if (told == null || !told.type().equals(mine.type())) return null;
            if (told.kind() == mine.kind()) both.add(mine);
            else if (told.kind() == Kind.FILLED || mine.kind() == Kind.FILLED) return null;
            else both.add(new Told(mine.name(), mine.type(), Kind.NONE));
        }
        return new ServerColumns(zone.equals(other.zone) ? zone : "", marks && other.marks, both);
    }

    /// Whether rows that were made for a layout mean here what they meant where it was made. Types and names
    /// are left to the server, which refuses others by the header.
    boolean takes(TableLayout layout) {
        if (layout.utc() && !utc()) return false;
        var without = columns.stream()
                .filter(told -> told.kind() == Kind.NONE)
                .map(Told::name)
                .collect(Collectors.toSet());
        return layout.columns().stream()
                .noneMatch(column -> column.absent() == Absent.DEFAULT && without.contains(column.name()));
    }

    /// How rows are made for them. `hazards` gets what a person should know.
    Made made(String table, Coordinates coordinates, SortedSet<String> hazards) {
        var cells = new Cells(utc(), JsonFields.Unknown.REFUSE, new IgnoredFields());
        var sent = new ArrayList<Column>();
        for (var told : columns) {
            var part = coordinates.part(told.name());
            if (part != null) {
                sent.add(new Column(told.name(), told.type(), new Origin.Coordinate(part), Absent.REFUSED));
                continue;
            }
            if (told.kind() == Kind.FILLED || (told.kind() == Kind.EPHEMERAL && !marks)) continue;
            var cell = cells.of(told.type());
            if (cell != null) {
                sent.add(new Column(told.name(), told.type(), new Origin.Field(), absent(told, cell)));
                if (told.kind() == Kind.DEFAULT && !marks) hazards.add(always(table, told));
            } else if (told.kind() == Kind.NONE) {
                return new Made.Refused("column " + told.name() + " of " + table + " is of type " + told.type()
                        + ", for which no typed rows are made: give it a DEFAULT, or set format: json_each_row");
            } else {
                hazards.add("column " + told.name() + " of " + table + " is of type " + told.type()
                        + ", for which no typed rows are made: it is left to its default");
            }
        }
        if (sent.isEmpty())
            return new Made.Refused("no column of " + table + " takes values, or none may be seen: look at the"
                    + " table, and at the user's rights");
        return new Made.Layout(
                new TableLayout(sent, utc(), sent.stream().anyMatch(column -> column.absent() == Absent.DEFAULT)));
    }

    private Absent absent(Told told, Cell cell) {
        if (told.kind() != Kind.NONE) return marks ? Absent.DEFAULT : Absent.REFUSED;
        return cell.takesNull() ? Absent.NULL : Absent.REFUSED;
    }

    private static String always(String table, Told told) {
        return "column " + told.name() + " of " + table + " has a DEFAULT, but these servers know no " + MARKED
                + ": a record without a value for it is poison";
    }

    private boolean utc() {
        return Cells.isUtc(zone);
    }
}
