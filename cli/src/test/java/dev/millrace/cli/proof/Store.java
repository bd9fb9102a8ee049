package dev.millrace.cli.proof;

import dev.millrace.lab.LabPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// The databases of one test, one for each shard, with a table of orders in each.
///
/// Thread ownership: any thread.
final class Store {
    static final String TABLE = "orders";

    private final LabPostgres postgres;
    private final List<String> databases;

    /// Where the set has its index, the shard's table has no key, and a repeated row stays there twice.
    Store(LabPostgres postgres, List<String> databases, Set<Integer> withoutKey) {
        this.postgres = postgres;
        this.databases = List.copyOf(databases);
        for (var shard = 0; shard < databases.size(); shard++) {
            postgres.createDatabase(databases.get(shard));
            var key = withoutKey.contains(shard) ? "" : " primary key";
            postgres.execute(
                    databases.get(shard), "create table " + TABLE + " (id integer" + key + ", \"text\" text not null)");
        }
    }

    String database(int shard) {
        return databases.get(shard);
    }

    /// Rows in all databases.
    long rows() {
        return databases.stream().mapToLong(one -> postgres.count(one, TABLE)).sum();
    }

    long rows(int shard) {
        return postgres.count(databases.get(shard), TABLE);
    }

    /// Nobody writes to a shard's table until this connection rolls back or ends; reads go on.
    Connection locked(int shard) throws SQLException {
        var connection = postgres.connect(databases.get(shard));
        connection.setAutoCommit(false);
        try (var statement = connection.createStatement()) {
            statement.execute("lock table " + TABLE + " in exclusive mode");
        }
        return connection;
    }

    Set<Integer> ids() {
        var ids = new TreeSet<Integer>();
        for (var database : databases)
            postgres.query(database, "select distinct id from " + TABLE).forEach(id -> ids.add(Integer.valueOf(id)));
        return ids;
    }

    /// What sets the databases apart from what was produced.
    Difference against(Orders orders) {
        var times = new HashMap<Integer, Integer>();
        var altered = new ArrayList<Integer>();
        for (var database : databases) {
            for (var row : postgres.query(database, "select id, \"text\" from " + TABLE)) {
                var bar = row.indexOf('|');
                var id = Integer.parseInt(row.substring(0, bar));
                times.merge(id, 1, Integer::sum);
                var value = "{\"id\":" + id + ",\"text\":\"" + row.substring(bar + 1) + "\"}";
                if (!value.equals(orders.value(id))) altered.add(id);
            }
        }
        return difference(orders.ids(), times, altered);
    }

    private static Difference difference(Set<Integer> produced, Map<Integer, Integer> times, List<Integer> altered) {
        var missing = new TreeSet<>(produced);
        missing.removeAll(times.keySet());
        var extra = new TreeSet<>(times.keySet());
        extra.removeAll(produced);
        var repeats = times.values().stream().mapToInt(n -> n - 1).sum();
        return new Difference(missing, extra, List.copyOf(altered), repeats);
    }

    /// @param missing produced and in no database
    /// @param extra in a database and never produced
    /// @param altered in a database with another value than was produced
    /// @param repeats rows beyond the first of their id
    record Difference(Set<Integer> missing, Set<Integer> extra, List<Integer> altered, int repeats) {
        static final Difference NONE = new Difference(Set.of(), Set.of(), List.of(), 0);

        Difference withoutRepeats() {
            return new Difference(missing, extra, altered, 0);
        }
    }
}
