package dev.millrace.postgres;

import dev.millrace.postgres.TableDescription.Column;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Whether a table still keeps the rows that were made for it, asked in the transaction that writes them: a column that
/// got another type would change values in silence (FMT-3), or refuse rows that nothing is wrong with.
///
/// What was added beside them, or keeps more than before, is no change for these rows.
///
/// Thread ownership: the attempt's thread.
final class TableCheck {
    /// `needed`: a row without a value for it is refused, and the server has none to fill in.
    private static final String SHAPES = """
            select a.attname, n.nspname || '.' || t.typname || '/' || a.atttypmod,
                   a.attnotnull and not a.atthasdef and a.attidentity = ''
              from pg_catalog.pg_attribute a
                   join pg_catalog.pg_type t on t.oid = a.atttypid
                   join pg_catalog.pg_namespace n on n.oid = t.typnamespace
             where a.attrelid = pg_catalog.to_regclass(?) and a.attnum > 0 and not a.attisdropped""";

    private record Shape(String type, boolean needed) {}

    private final TableDescription table;

    TableCheck(TableDescription table) {
        this.table = table;
    }

    /// What is no longer as the rows need it, in words; null for nothing. `withoutValue` is a column that the server
    /// just found without a value, or null.
    @Nullable
    String change(Connection session, @Nullable String withoutValue) throws SQLException {
        var shapes = shapes(session);
        Map<String, Column> looked = null;
        for (var column : table.columns()) {
            var shape = shapes.remove(column.name());
            if (shape == null) return "column " + column.name() + " is gone";
            if (shape.type().equals(column.shape())) continue;
            if (looked == null) looked = Catalog.now(session, table);
            var now = looked.get(column.name());
            if (now == null) return "column " + column.name() + " is gone";
            if (!now.fit().keepsAllOf(column.fit()))
                return "column " + column.name() + " was " + column.type() + " and is " + now.type();
        }
        if (withoutValue == null) return null;
        var added = shapes.get(withoutValue);
        return added == null || !added.needed()
                ? null
                : "column " + withoutValue + " takes no null and has no default, and no row was made with it";
    }

    private Map<String, Shape> shapes(Connection session) throws SQLException {
        var shapes = new HashMap<String, Shape>();
        try (var asked = session.prepareStatement(SHAPES)) {
            asked.setString(1, table.quotedName());
            try (var row = asked.executeQuery()) {
                while (row.next()) shapes.put(row.getString(1), new Shape(row.getString(2), row.getBoolean(3)));
            }
        }
        return shapes;
    }
}
