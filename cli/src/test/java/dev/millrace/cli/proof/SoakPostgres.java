package dev.millrace.cli.proof;

import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.Cue;
import dev.millrace.lab.LabPostgres;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/// A database for each of two shards, with a [Shelves] that has no key, and two proxies before each.
///
/// Thread ownership: the test's thread; its harms, that of [Harms].
final class SoakPostgres implements SoakSink {
    private static final int SHARDS = 2;
    private static final int WAYS = 2;
    private static final int LONGEST_UP = 200_000;
    private static final int DRIP = 2_000;

    private final LabPostgres postgres;
    private final List<String> databases;
    private final Shelves shelves;
    private final List<ChaosProxy> proxies = new ArrayList<>();
    private boolean widened;

    SoakPostgres(LabPostgres postgres, String name) {
        this.postgres = postgres;
        databases = IntStream.range(0, SHARDS)
                .mapToObj(shard -> name + "_s" + shard)
                .toList();
        shelves = new Shelves(postgres, databases, false);
        for (var way = 0; way < SHARDS * WAYS; way++) proxies.add(ChaosProxy.launch(postgres.host(), postgres.port()));
    }

    @Override
    public String name() {
        return "warehouse";
    }

    @Override
    public String level() {
        return "L4";
    }

    @Override
    public boolean refuses(PoisonKind kind) {
        return true;
    }

    @Override
    public String code(PoisonKind kind) {
        return kind.code();
    }

    @Override
    public void into(Recipe recipe) {
        recipe.postgres(postgres.user(), Shelves.TABLE, "");
        for (var shard = 0; shard < SHARDS; shard++) {
            var database = databases.get(shard);
            recipe.set(
                    "sinks.warehouse.shards.s" + shard,
                    ways(shard).stream()
                            .map(way -> "\"postgres://127.0.0.1:" + way.port() + "/" + database + "\"")
                            .toList()
                            .toString());
        }
    }

    private List<ChaosProxy> ways(int shard) {
        return proxies.subList(shard * WAYS, (shard + 1) * WAYS);
    }

    @Override
    public List<Harm> harms() {
        return List.of(
                way("refused", (way, _) -> way.refuse()),
                way("reset", (way, _) -> way.cutAfterDown(0)),
                way("cut in a write", (way, chance) -> way.cutAfterUp(chance.nextInt(LONGEST_UP))),
                way("answer lost after commit", (way, _) -> way.dropAnswer(Cue.POSTGRES_COMMITTED)),
                way("silent", (way, _) -> way.blackHole()),
                way("slow drip", (way, _) -> way.slowDrip(DRIP)),
                new Harm(
                        "PostgreSQL shard refused",
                        3_000,
                        chance -> ways(chance.nextInt(SHARDS)).forEach(ChaosProxy::refuse),
                        this::heal),
                new Harm("PostgreSQL sessions ended", 500, _ -> endSessions(), () -> {}),
                new Harm(
                        "PostgreSQL backends killed",
                        500,
                        chance -> postgres.killBackends(databases.get(chance.nextInt(SHARDS))),
                        postgres::awaitRecovery),
                new Harm("PostgreSQL tables changed", 500, _ -> alter(), () -> {}));
    }

    private Harm way(String name, BiConsumer<ChaosProxy, SplittableRandom> how) {
        return new Harm(
                "PostgreSQL " + name,
                3_000,
                chance -> how.accept(proxies.get(chance.nextInt(proxies.size())), chance),
                this::heal);
    }

    private void heal() {
        proxies.forEach(ChaosProxy::heal);
    }

    private void endSessions() {
        for (var database : databases)
            postgres.query(
                    "postgres",
                    "select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + database + "'");
    }

    // A column that no record has, and the next time none.
    private void alter() {
        for (var database : databases)
            postgres.execute(
                    database,
                    "alter table " + Shelves.TABLE + (widened ? " drop column extra" : " add column extra integer"));
        widened = !widened;
    }

    @Override
    public Landed landed(PoisonMix mix) throws Exception {
        postgres.awaitRecovery();
        return shelves.landed();
    }

    @Override
    public void close() {
        proxies.forEach(ChaosProxy::close);
    }
}
