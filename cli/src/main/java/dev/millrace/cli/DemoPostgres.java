package dev.millrace.cli;

import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.TokenTables;
import java.util.ArrayList;
import java.util.List;

/// One PostgreSQL server with a database for each shard, and two proxies before each database,
/// which are the replicas.
///
/// Thread ownership: the command's thread.
final class DemoPostgres implements DemoStore {
    private static final String TABLE =
            "create table orders (order_id bigint primary key, customer text not null, amount numeric(10, 2) not null,"
                    + " placed_at timestamptz not null)";

    private final LabPostgres postgres = LabPostgres.launch();
    private final List<ChaosProxy> proxies = new ArrayList<>();

    DemoPostgres() {
        for (var shard : SHARDS) {
            postgres.createDatabase(shard);
            postgres.execute(shard, TABLE);
            postgres.execute(shard, TokenTables.sql("orders"));
            for (var _ : REPLICAS) proxies.add(ChaosProxy.launch(postgres.host(), postgres.port()));
        }
    }

    @Override
    public String endpoint(int index) {
        var shard = SHARDS.get(index / REPLICAS.size());
        return "postgres://127.0.0.1:" + proxies.get(index).port() + "/" + shard;
    }

    @Override
    public String section() {
        return "postgres: { table: orders, user: %s, password: none-needed, on_conflict: ignore }"
                .formatted(postgres.user());
    }

    @Override
    public void hang() {
        proxies.getLast().blackHole();
    }

    @Override
    public void refuse() {
        proxies.getLast().refuse();
    }

    @Override
    public void heal() {
        proxies.getLast().heal();
    }

    /// Primary keys keep each order in its database once.
    @Override
    public long rowsStored() {
        return SHARDS.stream()
                .mapToLong(shard -> postgres.count(shard, "orders"))
                .sum();
    }

    @Override
    public String told(int produced, long stored, long duplicates) {
        return "produced %d, in the database %d (duplicates refused: %d)".formatted(produced, stored, duplicates);
    }

    @Override
    public List<String> addresses() {
        return SHARDS.stream()
                .map(shard ->
                        "postgresql://%s@%s:%d/%s".formatted(postgres.user(), postgres.host(), postgres.port(), shard))
                .toList();
    }

    @Override
    public void close() {
        proxies.forEach(ChaosProxy::close);
        postgres.close();
    }
}
