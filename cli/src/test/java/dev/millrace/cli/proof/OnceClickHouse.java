package dev.millrace.cli.proof;

import dev.millrace.lab.clickhouse.ClickHouseEngine;
import dev.millrace.lab.clickhouse.Fault;
import dev.millrace.lab.clickhouse.LabClickHouse;
import dev.millrace.lab.clickhouse.LoggedRequest;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;

/// ClickHouse's own engine, two fronts to each of two shards: before one engine, as replicas are
/// that know each other's tokens, or before an engine each, as servers are that share nothing.
///
/// Thread ownership: the test's thread, and where the interface says so any.
final class OnceClickHouse implements OnceStore {
    private static final String TABLE = "fire.once";
    private static final int WAYS = 2;

    private final boolean shared;
    private final LabClickHouse store;

    /// Taken while an engine is down.
    private final Semaphore up = new Semaphore(1);

    private boolean harmed;

    OnceClickHouse(boolean shared) {
        this.shared = shared;
        store = shared ? LabClickHouse.shared(SHARDS, WAYS) : LabClickHouse.unshared(SHARDS, WAYS);
        store.execute("CREATE DATABASE fire");
        store.execute(
                "CREATE TABLE " + TABLE + " (id UInt32, text String, _topic LowCardinality(String), _partition UInt32,"
                        + " _offset UInt64) ENGINE = MergeTree ORDER BY id SETTINGS non_replicated_deduplication_window = 10000");
    }

    @Override
    public boolean once() {
        return shared;
    }

    @Override
    public String level() {
        return shared ? "L3" : "L1";
    }

    @Override
    public void into(Recipe recipe) {
        recipe.set(
                "sinks.warehouse.clickhouse",
                "{ database: fire, table: once, user: default, coordinates: { topic: _topic, partition: _partition,"
                        + " offset: _offset } }");
        for (var shard = 0; shard < SHARDS; shard++)
            recipe.set(
                    "sinks.warehouse.shards.s" + shard,
                    "[ \"" + store.front(shard, 0).url() + "\", \""
                            + store.front(shard, 1).url() + "\" ]");
    }

    private List<String> query(ClickHouseEngine engine, String sql) throws InterruptedException {
        up.acquire();
        try {
            return engine.query(sql).lines().toList();
        } finally {
            up.release();
        }
    }

    @Override
    public Count count() throws Exception {
        var rows = 0L;
        var ids = new BitSet();
        for (var engine : store.engines())
            for (var row : query(engine, "SELECT id, count() FROM " + TABLE + " GROUP BY id")) {
                var tab = row.indexOf('\t');
                ids.set(Integer.parseInt(row, 0, tab, 10));
                rows += Long.parseLong(row, tab + 1, row.length(), 10);
            }
        return new Count(rows, ids.cardinality());
    }

    @Override
    public BitSet ids(int first, int end) throws Exception {
        var ids = new BitSet();
        for (var engine : store.engines())
            for (var id : query(engine, "SELECT id FROM " + TABLE + " WHERE id >= " + first + " AND id < " + end))
                ids.set(Integer.parseInt(id));
        return ids;
    }

    @Override
    public String wrong(OnceLoad load) throws Exception {
        var wrong = new ArrayList<String>();
        for (var engine : store.engines()) {
            if (shared)
                query(
                                engine,
                                "SELECT id, count(), groupArray(_part) FROM " + TABLE
                                        + " GROUP BY id HAVING count() > 1 ORDER BY id LIMIT 10")
                        .forEach(row -> wrong.add(row + " times, " + load.place(row)));
            for (var row : query(engine, "SELECT id, text FROM " + TABLE))
                if (!load.isRow(row)) wrong.add("not as produced: " + row);
        }
        return wrong.stream().limit(10).collect(Collectors.joining("\n"));
    }

    @Override
    public void loseAnswers(int shard, int answers) {
        for (var way = 0; way < Math.min(answers, WAYS); way++)
            store.front(shard, way).fault(Fault.loseAnswer().onInserts().times(1));
    }

    @Override
    public void holdAnswers() {
        store.fronts().forEach(front -> front.fault(Fault.holdAnswer().onInserts()));
    }

    @Override
    public int held() {
        return (int) store.fronts().stream()
                .flatMap(front -> front.inserts().stream())
                .filter(insert -> insert.end() == LoggedRequest.End.HELD)
                .count();
    }

    @Override
    public void cut(int shard) {
        for (var way = 0; way < WAYS; way++) store.front(shard, way).kill();
    }

    @Override
    public void silence(int shard) {
        for (var way = 0; way < WAYS; way++)
            store.front(shard, way).fault(Fault.hang().onEverything());
    }

    @Override
    public void heal() {
        store.fronts().forEach(front -> {
            front.heal();
            front.start();
            front.clearRequests();
        });
    }

    @Override
    public String harm(SplittableRandom chance) throws InterruptedException {
        if (!harmed) up.acquire();
        harmed = true;
        store.engines().get(chance.nextInt(store.engines().size())).kill();
        return "engine killed";
    }

    @Override
    public void mend() {
        store.engines().forEach(ClickHouseEngine::start);
        if (harmed) up.release();
        harmed = false;
    }

    @Override
    public void close() {
        store.close();
    }
}
