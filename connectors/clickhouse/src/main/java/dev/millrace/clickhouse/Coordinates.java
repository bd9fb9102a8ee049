package dev.millrace.clickhouse;

import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Which columns tell where a row came from: a column's name for each part of a record's
/// coordinates that is stored.
///
/// Throws `IllegalArgumentException` for two parts in one column, and for a name that is none.
public record Coordinates(SortedMap<Part, String> columns) {
    /// No column tells.
    public static final Coordinates NONE = new Coordinates(Collections.emptySortedMap());

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_$]{0,62}");

    public Coordinates {
        columns = Collections.unmodifiableSortedMap(new TreeMap<>(columns));
        var taken = new HashMap<String, Part>();
        columns.forEach((part, column) -> {
            if (!NAME.matcher(column).matches())
                throw new IllegalArgumentException("clickhouse.coordinates." + part + ": " + column
                        + " is no column's name: a letter or _, then at most 62 letters, digits, _ or $");
            var other = taken.putIfAbsent(column, part);
            if (other != null)
                throw new IllegalArgumentException("clickhouse.coordinates." + part + ": the column " + column
                        + " takes the " + other + " already");
        });
    }

    /// One part of a record's coordinates, and the types of columns that hold it without loss, as the
    /// server writes them.
    public enum Part {
        TOPIC(
                "(Nullable\\()?String\\)?|LowCardinality\\((Nullable\\()?String\\)?\\)",
                "String or LowCardinality(String)"),
        PARTITION("U?Int(32|64)", "Int32, UInt32, Int64 or UInt64"),
        OFFSET("U?Int64", "Int64 or UInt64"),
        /// Both take a bare number for milliseconds.
        TIMESTAMP("Int64|DateTime64\\(3(, '[^']*')?\\)", "DateTime64(3) or Int64, which are milliseconds"),
        KEY(
                "Nullable\\(String\\)|LowCardinality\\(Nullable\\(String\\)\\)",
                "Nullable(String), since a record may have no key"),
        HEADERS(
                "Array\\(Tuple\\(String, Nullable\\(String\\)\\)\\)",
                "Array(Tuple(String, Nullable(String))), since a name may stand there twice, or without a value");

        private final Pattern types;
        private final String fitting;

        Part(String types, String fitting) {
            this.types = Pattern.compile(types);
            this.fitting = fitting;
        }

        boolean fits(String type) {
            return types.matcher(type).matches();
        }

        /// For people.
        String fitting() {
            return fitting;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    boolean isEmpty() {
        return columns.isEmpty();
    }

    @Nullable
    String column(Part part) {
        return columns.get(part);
    }

    /// The column of a part that there must be.
    String needed(Part part) {
        var column = columns.get(part);
        if (column == null) throw new IllegalStateException("no column takes the " + part);
        return column;
    }

    /// Each row tells from which record it is.
    boolean tellRecords() {
        return columns.keySet().containsAll(Set.of(Part.TOPIC, Part.PARTITION, Part.OFFSET));
    }

    /// What the column takes; null for one that takes none.
    @Nullable
    Part part(String column) {
        for (var entry : columns.entrySet()) if (entry.getValue().equals(column)) return entry.getKey();
        return null;
    }

    /// A column of the table. `kind` is `system.columns.default_kind`, empty for one without a default.
    record Column(String type, String kind) {
        private boolean stored() {
            return kind.isEmpty() || kind.equals("DEFAULT");
        }
    }

    /// Why the table can't take them; null if it can. `found` are columns by name.
    @Nullable
    String problem(Map<String, Column> found) {
        for (var entry : columns.entrySet()) {
            var part = entry.getKey();
            var name = entry.getValue();
            var column = found.get(name);
            var where = "clickhouse.coordinates." + part + ": ";
            if (column == null) return where + "the table has no column " + name + ": add it, or leave this out";
            if (!column.stored())
                return where + "the column " + name + " is " + column.kind
                        + ", so no insert stores into it: name another";
            if (!part.fits(column.type))
                return where + "the column " + name + " is " + column.type + ": make it " + part.fitting();
        }
        return null;
    }
}
