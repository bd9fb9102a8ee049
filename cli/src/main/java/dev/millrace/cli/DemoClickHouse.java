package dev.millrace.cli;

import dev.millrace.lab.clickhouse.ClickHouseFront;
import dev.millrace.lab.clickhouse.Fault;
import dev.millrace.lab.clickhouse.LabClickHouse;
import dev.millrace.lab.clickhouse.LoggedRequest;
import java.util.List;
import java.util.stream.IntStream;

/// ClickHouse's own engine, one for each shard, and two fronts before each, which are the replicas: they
/// remember tokens together, as those of a replicated table do.
///
/// Thread ownership: the command's thread.
final class DemoClickHouse implements DemoStore {
    private static final String TABLE =
            "CREATE TABLE demo.orders (order_id UInt64, customer LowCardinality(String), amount Decimal(10, 2),"
                    + " placed_at DateTime) ENGINE = MergeTree ORDER BY order_id"
                    + " SETTINGS non_replicated_deduplication_window = 10000";

    private final LabClickHouse store = LabClickHouse.shared(SHARDS.size(), REPLICAS.size());

    DemoClickHouse() {
        store.execute("CREATE DATABASE demo");
        store.execute(TABLE);
    }

    private ClickHouseFront victim() {
        return store.fronts().getLast();
    }

    @Override
    public String endpoint(int index) {
        return store.fronts().get(index).url().toString();
    }

    @Override
    public String section() {
        return "clickhouse: { database: demo, table: orders, user: default }";
    }

    /// What it takes is stored, and its answers are kept back: what is sent again is a repeat.
    @Override
    public void hang() {
        victim().fault(Fault.holdAnswer().onEverything());
    }

    @Override
    public void refuse() {
        victim().kill();
    }

    @Override
    public void heal() {
        victim().heal();
        victim().start();
    }

    @Override
    public long rowsStored() {
        return store.count("demo.orders");
    }

    @Override
    public String told(int produced, long stored, long duplicates) {
        return "produced %d, in ClickHouse %d (repeats dropped: %d batches)".formatted(produced, stored, repeats());
    }

    /// Inserts that an engine ran under a token that it had. It tells its client nothing of that.
    private long repeats() {
        return IntStream.range(0, store.shards())
                .mapToLong(shard -> {
                    var ran = IntStream.range(0, store.replicas())
                            .mapToObj(replica -> store.front(shard, replica).inserts())
                            .flatMap(List::stream)
                            .filter(insert -> insert.ran() == LoggedRequest.Ran.DONE)
                            .map(LoggedRequest::token)
                            .toList();
                    return ran.size() - ran.stream().distinct().count();
                })
                .sum();
    }

    @Override
    public List<String> addresses() {
        return store.fronts().stream().map(front -> front.url().toString()).toList();
    }

    @Override
    public void close() {
        store.close();
    }
}
