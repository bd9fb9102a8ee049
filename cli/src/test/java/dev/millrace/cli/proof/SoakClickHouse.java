package dev.millrace.cli.proof;

import dev.millrace.lab.clickhouse.ClickHouseFront;
import dev.millrace.lab.clickhouse.Fault;
import dev.millrace.lab.clickhouse.LabClickHouse;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;

/// ClickHouse's own engine with two fronts before it, as one shard, whose rows tell where they came from.
///
/// Thread ownership: the test's thread; its harms, that of [Harms].
final class SoakClickHouse implements SoakSink {
    private static final String TABLE = "soak.shelf";
    private static final int WAYS = 2;
    private static final int LONGEST_UP = 60_000;
    private static final int DRIP = 20;
    private static final int PIECE = 250_000;
    private static final String NOT_POSITIVE = "469";

    /// Of a row of [PoisonKind#FOREIGN_KEY].
    private static final int NOBODYS_KIND = 77;

    private final LabClickHouse store = LabClickHouse.shared(1, WAYS);
    private boolean widened;

    SoakClickHouse() {
        store.execute("CREATE DATABASE soak");
        store.execute(
                "CREATE TABLE " + TABLE + " (id UInt32, text String, kind Nullable(UInt8), amount Nullable(Int32),"
                        + " _topic LowCardinality(String), _partition UInt32, _offset UInt64,"
                        + " CONSTRAINT positive CHECK ifNull(amount, 0) >= 0) ENGINE = MergeTree ORDER BY id"
                        + " SETTINGS non_replicated_deduplication_window = 10000");
    }

    @Override
    public String name() {
        return "lake";
    }

    @Override
    public String level() {
        return "L3";
    }

    /// It knows no foreign keys.
    @Override
    public boolean refuses(PoisonKind kind) {
        return kind != PoisonKind.FOREIGN_KEY;
    }

    @Override
    public String code(PoisonKind kind) {
        return kind == PoisonKind.CHECK ? NOT_POSITIVE : kind.code();
    }

    @Override
    public void into(Recipe recipe) {
        recipe.set(
                "sinks.lake.clickhouse",
                "{ database: soak, table: shelf, user: default, coordinates: { topic: _topic, partition: _partition,"
                        + " offset: _offset } }");
        recipe.set(
                "sinks.lake.shards.s0",
                "[ \"" + store.front(0, 0).url() + "\", \"" + store.front(0, 1).url() + "\" ]");
    }

    @Override
    public List<Harm> harms() {
        return List.of(
                way("refused", (way, _) -> way.kill()),
                way("reset", (way, _) -> way.fault(Fault.cutAnswer(0).onEverything())),
                way(
                        "cut in a write",
                        (way, chance) -> way.fault(
                                Fault.cutRequest(chance.nextInt(LONGEST_UP)).onInserts())),
                way(
                        "answer lost after insert",
                        (way, _) -> way.fault(Fault.loseAnswer().onInserts())),
                way("silent", (way, _) -> way.fault(Fault.hang().onEverything())),
                way("slow drip", (way, _) -> way.fault(Fault.drip(DRIP).onInserts())),
                new Harm(
                        "ClickHouse engine killed",
                        2_000,
                        _ -> store.engine(0).kill(),
                        () -> store.engine(0).start()),
                new Harm("ClickHouse table changed", 500, _ -> alter(), () -> {}));
    }

    private Harm way(String name, BiConsumer<ClickHouseFront, SplittableRandom> how) {
        return new Harm(
                "ClickHouse " + name,
                3_000,
                chance -> how.accept(store.front(0, chance.nextInt(WAYS)), chance),
                this::heal);
    }

    private void heal() {
        store.fronts().forEach(front -> {
            front.heal();
            front.start();
            // Else it keeps 20,000 of them, here.
            front.clearRequests();
        });
    }

    private void alter() {
        store.execute("ALTER TABLE " + TABLE + (widened ? " DROP COLUMN extra" : " ADD COLUMN extra Int32 DEFAULT 7"));
        widened = !widened;
    }

    @Override
    public Landed landed(PoisonMix mix) {
        var ids = new BitSet();
        var again = new HashMap<Integer, Integer>();
        var altered = new ArrayList<Integer>();
        for (var first = 0; first < mix.rows(); first += PIECE) {
            var rows = store.engine(0)
                    .query("SELECT id, count(), min(text = lower(hex(MD5(toString(id)))) AND isNull(amount)),"
                            + " max(ifNull(kind, 255)) FROM " + TABLE + " WHERE id >= " + first + " AND id < "
                            + (first + PIECE) + " GROUP BY id");
            for (var row : rows.lines().toList()) {
                var fields = row.split("\t", -1);
                var id = Integer.parseInt(fields[0]);
                ids.set(id);
                if (!fields[1].equals("1")) again.put(id, Integer.parseInt(fields[1]) - 1);
                var kind = mix.kind(id) == PoisonKind.FOREIGN_KEY ? NOBODYS_KIND : id % Shelves.KINDS;
                if (!fields[2].equals("1") || Integer.parseInt(fields[3]) != kind) altered.add(id);
            }
        }
        if (store.count(TABLE)
                != ids.cardinality()
                        + again.values().stream().mapToLong(Integer::intValue).sum())
            throw new AssertionError("rows with numbers that nobody produced");
        return new Landed(ids, again, altered);
    }

    @Override
    public void close() {
        store.close();
    }
}
