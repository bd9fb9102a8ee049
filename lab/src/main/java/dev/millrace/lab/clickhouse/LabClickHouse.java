package dev.millrace.lab.clickhouse;

import java.util.ArrayList;
import java.util.List;

/// A ClickHouse of several shards and replicas: engines and the fronts before them.
///
/// [#shared] gives a shard one engine for all its replicas: they have the same tables and know each other's
/// deduplication tokens, as replicas of a replicated table do. [#unshared] gives each replica its own: a token
/// that one knows is new to the other, as with plain MergeTree tables behind one address.
///
/// Thread ownership: any thread.
public final class LabClickHouse implements AutoCloseable {
    private final List<ClickHouseEngine> engines = new ArrayList<>();
    private final List<List<ClickHouseFront>> fronts = new ArrayList<>();
    private final int replicas;
    private final boolean shared;

    private LabClickHouse(int replicas, boolean shared) {
        this.replicas = replicas;
        this.shared = shared;
    }

    public static LabClickHouse shared(int shards, int replicas) {
        return shared(shards, replicas, FrontSettings.open());
    }

    /// One engine a shard.
    public static LabClickHouse shared(int shards, int replicas, FrontSettings settings) {
        return launch(shards, replicas, settings, true);
    }

    public static LabClickHouse unshared(int shards, int replicas) {
        return unshared(shards, replicas, FrontSettings.open());
    }

    /// One engine a replica.
    public static LabClickHouse unshared(int shards, int replicas, FrontSettings settings) {
        return launch(shards, replicas, settings, false);
    }

    private static LabClickHouse launch(int shards, int replicas, FrontSettings settings, boolean shared) {
        if (shards < 1 || replicas < 1)
            throw new IllegalArgumentException(shards + " shards of " + replicas + " replicas are none");
        var store = new LabClickHouse(replicas, shared);
        try {
            for (int shard = 0; shard < shards; shard++) store.addShard(settings);
        } catch (Throwable failure) {
            store.close();
            throw failure;
        }
        return store;
    }

    private void addShard(FrontSettings settings) {
        var row = new ArrayList<ClickHouseFront>();
        fronts.add(row);
        for (int replica = 0; replica < replicas; replica++) {
            if (replica == 0 || !shared) engines.add(ClickHouseEngine.launch());
            row.add(ClickHouseFront.launch(engines.getLast(), settings));
        }
    }

    public int shards() {
        return fronts.size();
    }

    public int replicas() {
        return replicas;
    }

    /// Both from 0.
    public ClickHouseFront front(int shard, int replica) {
        return fronts.get(shard).get(replica);
    }

    /// All of them, shard by shard.
    public List<ClickHouseFront> fronts() {
        return fronts.stream().flatMap(List::stream).toList();
    }

    /// The engine behind a front.
    public ClickHouseEngine engine(int shard, int replica) {
        return front(shard, replica).engine();
    }

    /// The engine of a shard whose replicas share it.
    public ClickHouseEngine engine(int shard) {
        if (!shared) throw new IllegalStateException("the replicas of shard " + shard + " have an engine each");
        return engine(shard, 0);
    }

    /// All of them, shard by shard.
    public List<ClickHouseEngine> engines() {
        return List.copyOf(engines);
    }

    /// Runs a statement in every engine.
    public void execute(String sql) {
        engines.forEach(engine -> engine.execute(sql));
    }

    /// How many rows a table holds in all engines together.
    public long count(String table) {
        return engines.stream().mapToLong(engine -> engine.count(table)).sum();
    }

    /// Closes the fronts, kills the engines, deletes their data.
    @Override
    public void close() {
        try {
            fronts().forEach(ClickHouseFront::close);
        } finally {
            engines.forEach(ClickHouseEngine::close);
        }
    }
}
