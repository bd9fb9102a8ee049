package dev.millrace.postgres;

import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.postgres.PostgresSettings.Rows;
import dev.millrace.postgres.TableDescription.Column;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Reads a table's description, and whether it may be written to, from one server. Changes nothing
/// there.
final class Catalog {
    private static final String TABLE = """
            with t as (
              select c.oid, n.nspname, c.relname, c.relkind
                from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
               where c.oid = pg_catalog.to_regclass(?))
            select t.oid, t.nspname, t.relname, t.relkind, pg_catalog.row_security_active(t.oid),
                   pg_catalog.has_database_privilege(pg_catalog.current_database(), 'TEMP'),
                   exists (select from pg_catalog.pg_index i where i.indrelid = t.oid and i.indisunique),
                   exists (select from pg_catalog.pg_trigger g
                            where not g.tgisinternal and g.tgtype & 7 = 7
                              and (g.tgrelid = t.oid
                                   or g.tgrelid in (select p.relid from pg_catalog.pg_partition_tree(t.oid) p))),
                   (select pg_catalog.min(i.indexrelid::pg_catalog.regclass::text) from pg_catalog.pg_index i
                     where i.indrelid = t.oid and not i.indimmediate),
                   exists (select from pg_catalog.pg_rewrite r where r.ev_class = t.oid and r.ev_type in ('2', '3')),
                   pg_catalog.getdatabaseencoding()
              from t""";

    /// With nothing but the system's schema on the search path a type's name is told in full.
    private static final String FULL_NAMES = "select pg_catalog.set_config('search_path', 'pg_catalog', true)";

    /// A type is followed through domains to what they are made of, and through arrays to their
    /// elements. A domain's modifier replaces the one before it; an array's is that of its elements.
    private static final String COLUMNS = """
            select a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attgenerated <> '', a.attidentity = 'a',
                   pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'INSERT'), a.attnotnull,
                   d.oid::pg_catalog.regtype::text, d.modifier, d.arrays, d.typtype = 'c',
                   n.nspname || '.' || own.typname || '/' || a.atttypmod
              from pg_catalog.pg_attribute a
                   join pg_catalog.pg_type own on own.oid = a.atttypid
                   join pg_catalog.pg_namespace n on n.oid = own.typnamespace,
                   lateral (
                     with recursive d(oid, modifier, arrays, typtype, domain_modifier, next) as (
                       select t.oid, a.atttypmod, 0, t.typtype, t.typtypmod,
                              case when t.typtype = 'd' then t.typbasetype
                                   when t.typcategory = 'A' and t.typarray = 0 then t.typelem else 0 end
                         from pg_catalog.pg_type t where t.oid = a.atttypid
                       union all
                       select t.oid, case when d.typtype = 'd' then d.domain_modifier else d.modifier end,
                              d.arrays + case when d.typtype = 'd' then 0 else 1 end, t.typtype, t.typtypmod,
                              case when t.typtype = 'd' then t.typbasetype
                                   when t.typcategory = 'A' and t.typarray = 0 then t.typelem else 0 end
                         from d join pg_catalog.pg_type t on t.oid = d.next)
                     select * from d where d.next = 0) d
             where a.attrelid = ? and a.attnum > 0 and not a.attisdropped
             order by a.attnum""";

    /// Whether a unique index names a row by nothing but columns that are sent, and always have a
    /// value.
    private static final String KEYED = """
            select exists (
              select from pg_catalog.pg_index i
               where i.indrelid = ? and i.indisunique and i.indimmediate and i.indisvalid and i.indpred is null
                 and i.indexprs is null
                 and not exists (
                   select from pg_catalog.unnest(i.indkey) with ordinality k(attnum, place)
                          left join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
                    where k.place <= i.indnkeyatts and not (a.attnotnull and a.attname = any (?))))""";

    /// What was found: the description, and, where tokens are asked for and the table will do, what the
    /// table of tokens is, and whether a row that is there already is found without it.
    record Answer(Description description, TokenTable.@Nullable Look tokens, boolean keyed) {
        Answer(Description description) {
            this(description, null, false);
        }
    }

    /// What a table's row says besides its columns. `fillsIn`: a trigger may change rows before
    /// they are checked.
    private record Whole(String schema, String table, Encoding encoding, boolean foreign, boolean fillsIn) {}

    /// One column as the server has it, before it is decided whether it is sent.
    private record Found(Column column, boolean filledByServer, boolean mayInsert) {}

    private Catalog() {}

    /// A description, or why it can't work. `tokens`: look for their table, too. Throws what the
    /// server or the line does.
    static Answer read(Connection session, TableName name, Rows rows, boolean tokens) throws SQLException {
        session.setAutoCommit(false);
        try (var table = session.prepareStatement(TABLE)) {
            table.setString(1, name.quoted());
            try (var answer = table.executeQuery()) {
                if (!answer.next()) return new Answer(new Description.Refused("table " + name + " does not exist"));
                var refusal = refusal(answer, name, rows);
                if (refusal != null) return new Answer(new Description.Refused(refusal));
                var look = tokens ? new TokenTable(answer.getString(2)).look(session) : null;
                var hazards = hazards(answer, name, rows, look instanceof TokenTable.Look.Ready);
                var whole = new Whole(
                        answer.getString(2),
                        answer.getString(3),
                        Encoding.of(answer.getString(11)),
                        "f".equals(answer.getString(4)),
                        answer.getBoolean(8));
                var described = described(whole, columns(session, answer.getLong(1), whole), rows, hazards);
                return new Answer(described, look, look != null && keyed(session, answer.getLong(1), described));
            }
        } finally {
            session.rollback();
        }
    }

    private static boolean keyed(Connection session, long table, Description description) throws SQLException {
        if (!(description instanceof Description.Described(var found, var _, var _))) return false;
        try (var asked = session.prepareStatement(KEYED)) {
            asked.setLong(1, table);
            asked.setArray(2, session.createArrayOf("text", found.names().toArray()));
            try (var answer = asked.executeQuery()) {
                return answer.next() && answer.getBoolean(1);
            }
        }
    }

    private static @Nullable String refusal(ResultSet table, TableName name, Rows rows) throws SQLException {
        var kind = table.getString(4);
        if (!"r".equals(kind) && !"p".equals(kind) && !"f".equals(kind)) return name + " is not a table";
        if (table.getBoolean(5)) return "table " + name + " has row-level security for this user: COPY refuses that";
        if (rows.onConflict() == OnConflict.IGNORE && !table.getBoolean(6))
            return "no right to make temporary tables in this database, which on_conflict: ignore needs";
        if (rows.onConflict() == OnConflict.IGNORE && table.getString(9) != null)
            return "unique index " + table.getString(9) + " of table " + name
                    + " is deferrable: PostgreSQL has no ON CONFLICT for it; make it not deferrable,"
                    + " or set on_conflict: error";
        if (rows.onConflict() == OnConflict.IGNORE && table.getBoolean(10))
            return "table " + name + " has a rule on insert or update: PostgreSQL has no ON CONFLICT for it;"
                    + " set on_conflict: error, whose COPY passes rules by";
        return null;
    }

    /// What works, and goes wrong one day. `tokens`: rows that replay are known by them.
    private static SortedSet<String> hazards(ResultSet table, TableName name, Rows rows, boolean tokens)
            throws SQLException {
        var hazards = new TreeSet<String>();
        if (rows.onConflict() == OnConflict.ERROR && table.getBoolean(7) && !tokens)
            hazards.add(
                    "table " + name + " has a unique index, and on_conflict is error: rows that replay after a crash"
                            + " are refused, and are held or set aside though the table has them; set"
                            + " on_conflict: ignore to take them as duplicates");
        if (rows.onConflict() == OnConflict.IGNORE && table.getBoolean(8))
            hazards.add("table " + name + " has a row trigger before insert: rows that it drops count as duplicates");
        if (Encoding.of(table.getString(11)) == Encoding.OTHER)
            hazards.add("the database's encoding is " + table.getString(11)
                    + ": the server refuses rows with characters that it lacks, and they are found one by one");
        return hazards;
    }

    /// What each column of the table is now, by its name. Leaves the session's settings alone, so
    /// a name of a type may be
    /// short.
    static Map<String, Column> now(Connection session, TableDescription table) throws SQLException {
        var columns = new HashMap<String, Column>();
        try (var asked =
                session.prepareStatement(COLUMNS.replace("a.attrelid = ?", "a.attrelid = pg_catalog.to_regclass(?)"))) {
            asked.setString(1, table.quotedName());
            try (var row = asked.executeQuery()) {
                while (row.next())
                    columns.put(
                            row.getString(1),
                            new Column(
                                    row.getString(1),
                                    row.getString(2),
                                    row.getString(11),
                                    fit(row),
                                    row.getBoolean(6)));
            }
        }
        return columns;
    }

    private static List<Found> columns(Connection session, long table, Whole whole) throws SQLException {
        try (var full = session.createStatement();
                var columns = session.prepareStatement(COLUMNS)) {
            full.execute(FULL_NAMES);
            columns.setLong(1, table);
            var found = new ArrayList<Found>();
            try (var row = columns.executeQuery()) {
                while (row.next()) {
                    // Of a foreign table its own server decides; a trigger may fill in what is missing.
                    var required = row.getBoolean(6) && !whole.foreign() && !whole.fillsIn();
                    var column = new Column(row.getString(1), row.getString(2), row.getString(11), fit(row), required);
                    found.add(new Found(column, row.getBoolean(3) || row.getBoolean(4), row.getBoolean(5)));
                }
            }
            return found;
        }
    }

    private static Fit fit(ResultSet column) throws SQLException {
        var arrays = column.getInt(9);
        // The fields of a composite type have modifiers of their own; so have arrays in domains in arrays.
        if (column.getBoolean(10) || arrays > 1) return Fit.of(Fit.Kind.NONE);
        return Fit.of(column.getString(7), column.getInt(8), arrays == 1);
    }

    private static Description described(Whole whole, List<Found> found, Rows rows, SortedSet<String> hazards) {
        var where = "table " + whole.schema() + '.' + whole.table();
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
            if (rows.rawColumn() == null && column.column().fit().kind() == Fit.Kind.NONE)
                hazards.add("column " + named + " of " + where + " is of type "
                        + column.column().type()
                        + ", which changes values in silence: rows with a value for it are poison");
        }
        var table = new TableDescription(whole.schema(), whole.table(), whole.encoding(), columns);
        return new Description.Described(table, List.of(), hazards);
    }
}
