package dev.millrace.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The table that holds the tokens of what is stored, in the schema of the table of the rows: what
/// it is made of, and whether one that is there will do.
///
/// A token is entered in the transaction of its rows (EO-13), so the two can't part: not by a
/// crash, not by a fail-over, not by a restored backup.
record TokenTable(String schema) {
    static final String NAME = "millrace_segments";

    private static final Map<String, String> COLUMNS = columns();

    private static final List<String> RIGHTS = List.of("SELECT", "INSERT", "UPDATE", "DELETE");

    /// The one is there, if at all, by which tokens are pruned; without it that reads more.
    private static final String INDEX = NAME + "_of_partition";

    private static final String TABLE = """
            select c.oid, c.relkind in ('r', 'p'), c.relpersistence <> 'p', pg_catalog.row_security_active(c.oid),
                   exists (select from pg_catalog.pg_index i join pg_catalog.pg_attribute a
                              on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
                            where i.indrelid = c.oid and a.attname = 'token' and i.indnkeyatts = 1 and i.indisunique
                              and i.indimmediate and i.indisvalid and i.indpred is null and i.indexprs is null),
                   pg_catalog.has_table_privilege(c.oid, 'SELECT'), pg_catalog.has_table_privilege(c.oid, 'INSERT'),
                   pg_catalog.has_table_privilege(c.oid, 'UPDATE'), pg_catalog.has_table_privilege(c.oid, 'DELETE'),
                   pg_catalog.quote_ident(current_user)
              from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
             where n.nspname = ? and c.relname = ?""";

    private static final String SHAPE = """
            select a.attname, pg_catalog.format_type(a.atttypid, null), a.attnotnull and not a.atthasdef
              from pg_catalog.pg_attribute a
             where a.attrelid = ? and a.attnum > 0 and not a.attisdropped""";

    /// What looking for it came to.
    sealed interface Look {
        /// It will do.
        record Ready() implements Look {}

        /// It is not there.
        record Absent() implements Look {}

        /// Something of that name is there, and will not do.
        record Wrong(String what, String remedy) implements Look {}
    }

    private static Map<String, String> columns() {
        var columns = new LinkedHashMap<String, String>();
        columns.put("token", "bytea");
        for (var text : List.of("pipeline", "sink", "shard", "topic_id")) columns.put(text, "text");
        columns.put("part", "integer");
        columns.put("seg_end", "bigint");
        columns.put("at", "timestamp with time zone");
        return columns;
    }

    String quotedName() {
        return new Identifier(schema).quoted() + '.' + NAME;
    }

    @Override
    public String toString() {
        return schema + '.' + NAME;
    }

    /// Statements that make it where it is not, each without its semicolon. `quotedName` is as SQL
    /// has it.
    static List<String> statements(String quotedName) {
        var columns = COLUMNS.entrySet().stream()
                .map(column -> column.getKey()
                        + ' '
                        + column.getValue()
                        + switch (column.getKey()) {
                            case "token" -> " primary key";
                            case "at" -> " not null default now()";
                            default -> " not null";
                        })
                .collect(Collectors.joining(",\n  "));
        return List.of(
                "create table if not exists " + quotedName + " (\n  " + columns + ")",
                "create index if not exists " + INDEX + " on " + quotedName + " (topic_id, part, seg_end)");
    }

    Look look(Connection session) throws SQLException {
        try (var asked = session.prepareStatement(TABLE)) {
            asked.setString(1, schema);
            asked.setString(2, NAME);
            try (var table = asked.executeQuery()) {
                if (!table.next()) return new Look.Absent();
                var wrong = wrong(table);
                return wrong != null ? wrong : shape(session, table.getLong(1));
            }
        }
    }

    private Look.@Nullable Wrong wrong(ResultSet table) throws SQLException {
        if (!table.getBoolean(2)) return made(" is not a table");
        if (table.getBoolean(3)) return made(" is unlogged or temporary: a crash of the server empties it");
        if (table.getBoolean(4))
            return new Look.Wrong(
                    "table " + this + " has row-level security for this user: it may not see every token",
                    "give this user BYPASSRLS, or disable row-level security there");
        if (!table.getBoolean(5)) return made(" has no primary key of its column token alone");
        var rights = new ArrayList<String>();
        for (var i = 0; i < RIGHTS.size(); i++) if (!table.getBoolean(6 + i)) rights.add(RIGHTS.get(i));
        return rights.isEmpty()
                ? null
                : new Look.Wrong(
                        "no right to " + String.join(", ", rights) + " in table " + this,
                        "GRANT " + String.join(", ", RIGHTS) + " ON " + quotedName() + " TO " + table.getString(10));
    }

    private Look shape(Connection session, long table) throws SQLException {
        var left = new LinkedHashMap<>(COLUMNS);
        try (var asked = session.prepareStatement(SHAPE)) {
            asked.setLong(1, table);
            try (var column = asked.executeQuery()) {
                while (column.next()) {
                    var name = column.getString(1);
                    var wanted = left.remove(name);
                    if (wanted == null && column.getBoolean(3))
                        return made(" needs a value for column " + name + ", which is none of Millrace's");
                    if (wanted != null && !wanted.equals(column.getString(2)))
                        return made("'s column " + name + " is " + column.getString(2) + " and not " + wanted);
                }
            }
        }
        return left.isEmpty()
                ? new Look.Ready()
                : made(" has no column " + left.firstEntry().getKey());
    }

    /// It holds nothing that could be kept where it never worked; where it did, tokens are what it
    /// is there for.
    private Look.Wrong made(String what) {
        return new Look.Wrong(
                "table " + this + what,
                "rename it, and let millrace init make one; where it held tokens of this pipeline, drain first");
    }
}
