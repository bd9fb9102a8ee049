package dev.millrace.cli.proof;

import dev.millrace.lab.clickhouse.ClickHouseEngine;
import dev.millrace.lab.clickhouse.Fault;
import dev.millrace.lab.clickhouse.LabClickHouse;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

/// ClickHouse's own engine for each shard, and fronts before it which remember tokens together. A row
/// that is stored twice is there twice.
///
/// Thread ownership: the test's thread.
final class FireClickHouse implements FireStore {
    private static final String TABLE = "fire.shelf";

    /// A constraint takes turns with what the encoder refuses.
    private static final List<PoisonKind> KINDS = List.of(
            PoisonKind.CHECK,
            PoisonKind.NONSENSE,
            PoisonKind.CHECK,
            PoisonKind.UNKNOWN_FIELD,
            PoisonKind.CHECK,
            PoisonKind.TOMBSTONE,
            PoisonKind.CHECK,
            PoisonKind.OUT_OF_RANGE);

    private final LabClickHouse store = LabClickHouse.shared(SHARDS, WAYS);

    /// All of it while every engine is up.
    private final Semaphore up = new Semaphore(1);

    /// Each front loses the answer to its first insert, so that also a short run has something to send again. Rows tell
    /// where they came from: an engine that is killed may remember a token and not its rows.
    FireClickHouse() {
        store.execute("CREATE DATABASE fire");
        store.execute(
                "CREATE TABLE " + TABLE + " (id UInt32, text String, kind Nullable(UInt8), amount Nullable(Int32),"
                        + " _topic LowCardinality(String), _partition Int32, _offset Int64,"
                        + " CONSTRAINT positive CHECK ifNull(amount, 0) >= 0) ENGINE = MergeTree ORDER BY id"
                        + " SETTINGS non_replicated_deduplication_window = 10000");
        for (var front : store.fronts())
            front.fault(Fault.loseAnswer().onInserts().times(1));
    }

    @Override
    public List<PoisonKind> kinds() {
        return KINDS;
    }

    @Override
    public String code(PoisonKind kind) {
        return kind == PoisonKind.CHECK ? "469" : kind.code();
    }

    @Override
    public List<Way> ways() {
        return IntStream.range(0, SHARDS * WAYS)
                .<Way>mapToObj(way -> new FrontWay(store.fronts().get(way), store.engine(way / WAYS), up))
                .toList();
    }

    @Override
    public void into(Recipe recipe) {
        recipe.set(
                "sinks.warehouse.clickhouse",
                "{ database: fire, table: shelf, user: default, coordinates: { topic: _topic, partition: _partition,"
                        + " offset: _offset } }");
        for (var shard = 0; shard < SHARDS; shard++)
            recipe.set(
                    "sinks.warehouse.shards.s" + shard,
                    "[ \"" + store.front(shard, 0).url() + "\", \""
                            + store.front(shard, 1).url() + "\" ]");
    }

    @Override
    public Landed landed() throws InterruptedException {
        up.acquire();
        try {
            var ids = new BitSet();
            Map<Integer, Integer> again = new HashMap<>();
            var altered = new HashSet<Integer>();
            for (var engine : store.engines()) read(engine, ids, again, altered);
            return new Landed(ids, again, List.copyOf(altered));
        } finally {
            up.release();
        }
    }

    private static void read(ClickHouseEngine engine, BitSet ids, Map<Integer, Integer> again, Set<Integer> altered) {
        var rows = engine.query("SELECT id, count(), min(text = lower(hex(MD5(toString(id)))) AND ifNull(kind = id % "
                + Shelves.KINDS + ", 0) AND isNull(amount)) FROM " + TABLE + " GROUP BY id");
        for (var row : rows.lines().toList()) {
            var fields = row.split("\t", -1);
            var id = Integer.parseInt(fields[0]);
            var beyond = Integer.parseInt(fields[1]) - (ids.get(id) ? 0 : 1);
            if (beyond > 0) again.merge(id, beyond, Integer::sum);
            ids.set(id);
            if (!fields[2].equals("1")) altered.add(id);
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
