package dev.millrace.cli.proof;

import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.LabPostgres;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// A database for each shard, and proxies before it.
///
/// Thread ownership: the test's thread.
final class FirePostgres implements FireStore {
    private final String name;
    private final boolean withKey;
    private final LabPostgres postgres;
    private final Shelves shelves;
    private final List<ChaosProxy> proxies = new ArrayList<>();

    /// `withKey`: the tables have a primary key, and a row that is there is a repeat; else it is stored
    /// again.
    FirePostgres(LabPostgres postgres, String name, boolean withKey) {
        this.name = name;
        this.withKey = withKey;
        this.postgres = postgres;
        shelves = new Shelves(
                postgres, IntStream.range(0, SHARDS).mapToObj(this::database).toList(), withKey);
        for (var way = 0; way < SHARDS * WAYS; way++) proxies.add(ChaosProxy.launch(postgres.host(), postgres.port()));
    }

    private String database(int shard) {
        return name + "_s" + shard;
    }

    @Override
    public List<PoisonKind> kinds() {
        return withKey ? PoisonKind.underIgnore() : List.of(PoisonKind.values());
    }

    @Override
    public String code(PoisonKind kind) {
        return kind.code();
    }

    @Override
    public List<Way> ways() {
        return proxies.stream().<Way>map(ProxyWay::new).toList();
    }

    @Override
    public void into(Recipe recipe) {
        recipe.postgres(postgres.user(), Shelves.TABLE, ", on_conflict: " + (withKey ? "ignore" : "error"));
        for (var shard = 0; shard < SHARDS; shard++) {
            var database = database(shard);
            var endpoints = proxies.subList(shard * WAYS, (shard + 1) * WAYS).stream()
                    .map(way -> "\"postgres://127.0.0.1:" + way.port() + "/" + database + "\"")
                    .toList();
            recipe.set("sinks.warehouse.shards.s" + shard, endpoints.toString());
        }
    }

    @Override
    public Landed landed() throws SQLException {
        return shelves.landed();
    }

    @Override
    public void close() {
        proxies.forEach(ChaosProxy::close);
    }
}
