package dev.millrace.cli.proof;

import dev.millrace.lab.LabPostgres;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;

/// The databases of one run over a [PoisonMix], one for each shard, with a table that refuses its poison.
///
/// Without a key a row that is stored twice is there twice.
///
/// Thread ownership: any thread.
final class Shelves {
    static final String TABLE = "shelf";

    /// Values that a foreign key may have, from 0.
    static final int KINDS = 10;

    private static final int PIECE = 20_000;

    private final LabPostgres postgres;
    private final List<String> databases;

    Shelves(LabPostgres postgres, List<String> databases, boolean withKey) {
        this.postgres = postgres;
        this.databases = List.copyOf(databases);
        for (var database : databases) {
            postgres.createDatabase(database);
            postgres.execute(database, """
                    create table kinds (kind integer primary key);
                    insert into kinds select generate_series(0, %d);
                    create table %s (id integer %s, "text" text not null, amount integer check (amount >= 0),
                                     code text unique, kind integer references kinds,
                                     late integer references kinds deferrable initially deferred);
                    insert into %s (id, "text", code) values (-1, 'not of the mix', 'taken')""".formatted(KINDS - 1, TABLE, withKey ? "primary key" : "not null", TABLE));
        }
    }

    /// What is there.
    Landed landed() throws SQLException {
        var ids = new BitSet();
        var again = new HashMap<Integer, Integer>();
        var altered = new ArrayList<Integer>();
        for (var database : databases) {
            try (var session = postgres.connect(database)) {
                session.setAutoCommit(false);
                try (var statement = session.createStatement()) {
                    statement.setFetchSize(PIECE);
                    try (var rows = statement.executeQuery("select id, \"text\" = md5(id::text) and kind = id % "
                            + KINDS + " and amount is null and code is null and late is null from " + TABLE
                            + " where id >= 0")) {
                        while (rows.next()) {
                            var id = rows.getInt(1);
                            if (ids.get(id)) again.merge(id, 1, Integer::sum);
                            ids.set(id);
                            if (!rows.getBoolean(2)) altered.add(id);
                        }
                    }
                }
            }
        }
        return new Landed(ids, again, altered);
    }
}
