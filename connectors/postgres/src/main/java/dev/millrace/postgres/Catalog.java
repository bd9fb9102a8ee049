package dev.millrace.postgres;

import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.postgres.PostgresSettings.Rows;
import dev.millrace.postgres.TableDescription.Column;
import dev.millrace.postgres.TableDescription.Kind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Reads a table's description, and whether it may be written to, from one server. Changes nothing there.
final class Catalog {
    private static final String TABLE = """
            select c.oid, n.nspname, c.relname, c.relkind, pg_catalog.row_security_active(c.oid),
                   pg_catalog.has_database_privilege(pg_catalog.current_database(), 'TEMP'),
                   exists (select from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisunique),
                   exists (select from pg_catalog.pg_trigger t
                            where t.tgrelid = c.oid and not t.tgisinternal and t.tgtype & 7 = 7)
              from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
             where c.oid = pg_catalog.to_regclass(?)""";

    /// With nothing but the system's schema on the search path a type's name is told in full.
    private static final String FULL_NAMES = "select pg_catalog.set_config('search_path', 'pg_catalog', true)";

    private static final String COLUMNS = """
            select a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attgenerated <> '', a.attidentity = 'a',
                   pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'INSERT'),
                   (with recursive d(oid, base) as (
                      select t.oid, t.typbasetype from pg_catalog.pg_type t where t.oid = a.atttypid
                      union all
                      select t.oid, t.typbasetype from pg_catalog.pg_type t join d on t.oid = d.base)
                    select d.oid::pg_catalog.regtype::text from d where d.base = 0)
              from pg_catalog.pg_attribute a
             where a.attrelid = ? and a.attnum > 0 and not a.attisdropped
             order by a.attnum""";

    /// One column as the server has it, before it is decided whether it is sent.
    private record Found(Column column, boolean filledByServer, boolean mayInsert) {}

    private Catalog() {}

    /// A description, or why it can't work. Throws what the server or the line does.
    static Description read(Connection session, TableName name, Rows rows) throws SQLException {
        session.setAutoCommit(false);
        try (var table = session.prepareStatement(TABLE)) {
            table.setString(1, name.quoted());
            try (var answer = table.executeQuery()) {
                if (!answer.next()) return new Description.Refused("table " + name + " does not exist");
                var refusal = refusal(answer, name, rows);
                if (refusal != null) return new Description.Refused(refusal);
                var hazards = hazards(answer, name, rows);
                return described(
                        answer.getString(2), answer.getString(3), columns(session, answer.getLong(1)), rows, hazards);
            }
        } finally {
            session.rollback();
        }
    }

    private static @Nullable String refusal(ResultSet table, TableName name, Rows rows) throws SQLException {
        var kind = table.getString(4);
        if (!"r".equals(kind) && !"p".equals(kind) && !"f".equals(kind)) return name + " is not a table";
        if (table.getBoolean(5)) return "table " + name + " has row-level security for this user: COPY refuses that";
        if (rows.onConflict() == OnConflict.IGNORE && !table.getBoolean(6))
            return "no right to make temporary tables in this database, which on_conflict: ignore needs";
        return null;
    }

    /// What works, and goes wrong one day.
    private static SortedSet<String> hazards(ResultSet table, TableName name, Rows rows) throws SQLException {
        var hazards = new TreeSet<String>();
        if (rows.onConflict() == OnConflict.ERROR && table.getBoolean(7))
            hazards.add(
                    "table " + name + " has a unique index, and on_conflict is error: rows that replay after a crash"
                            + " are refused until somebody looks; set on_conflict: ignore to take them as duplicates");
        if (rows.onConflict() == OnConflict.IGNORE && table.getBoolean(8))
            hazards.add("table " + name + " has a row trigger before insert: rows that it drops count as duplicates");
        return hazards;
    }

    private static List<Found> columns(Connection session, long table) throws SQLException {
        try (var full = session.createStatement();
                var columns = session.prepareStatement(COLUMNS)) {
            full.execute(FULL_NAMES);
            columns.setLong(1, table);
            var found = new ArrayList<Found>();
            try (var row = columns.executeQuery()) {
                while (row.next()) {
                    var column = new Column(row.getString(1), row.getString(2), kind(row.getString(6)));
                    found.add(new Found(column, row.getBoolean(3) || row.getBoolean(4), row.getBoolean(5)));
                }
            }
            return found;
        }
    }

    private static Kind kind(String baseType) {
        return switch (baseType) {
            case "json" -> Kind.JSON;
            case "jsonb" -> Kind.JSONB;
            case "bytea" -> Kind.BYTEA;
            case null, default -> Kind.TEXT;
        };
    }

    private static Description described(
            String schema, String table, List<Found> found, Rows rows, SortedSet<String> hazards) {
        var where = "table " + schema + '.' + table;
        var sent = new ArrayList<Found>();
        for (var column : found) {
            var raw = rows.rawColumn();
            if (raw == null ? !column.filledByServer() : column.column().name().equals(raw)) sent.add(column);
        }
        if (sent.isEmpty())
            return new Description.Refused(where
                    + (rows.rawColumn() == null ? " has no column to write" : " has no column " + rows.rawColumn()));
        var columns = new ArrayList<Column>();
        for (var column : sent) {
            var named = column.column().name();
            if (column.filledByServer())
                return new Description.Refused("column " + named + " of " + where + " is filled by the server");
            if (!column.mayInsert())
                return new Description.Refused("no right to insert into column " + named + " of " + where);
            columns.add(column.column());
        }
        return new Description.Described(new TableDescription(schema, table, columns), List.of(), hazards);
    }
}
