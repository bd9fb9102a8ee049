package dev.millrace.cli.proof;

import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.Cue;
import dev.millrace.lab.LabException;
import dev.millrace.lab.LabPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A database for each shard, with a table that has no key, and two proxies before each.
///
/// Thread ownership: the test's thread, and where the interface says so any.
final class OncePostgres implements OnceStore {
    private static final String TABLE = "once";
    private static final int WAYS = 2;
    private static final Duration RECOVERY = Duration.ofSeconds(60);

    private final LabPostgres postgres;
    private final List<String> databases;
    private final List<ChaosProxy> proxies = new ArrayList<>();

    OncePostgres(LabPostgres postgres, String name) {
        this.postgres = postgres;
        databases = IntStream.range(0, SHARDS)
                .mapToObj(shard -> name + "_s" + shard)
                .toList();
        for (var database : databases) {
            postgres.createDatabase(database);
            postgres.execute(
                    database,
                    "create table " + TABLE + " (id integer not null, \"text\" text not null); create index on " + TABLE
                            + " (id)");
        }
        for (var way = 0; way < SHARDS * WAYS; way++) proxies.add(ChaosProxy.launch(postgres.host(), postgres.port()));
    }

    @Override
    public boolean once() {
        return true;
    }

    @Override
    public String level() {
        return "L4";
    }

    @Override
    public void into(Recipe recipe) {
        recipe.postgres(postgres.user(), TABLE, "");
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
    public Count count() throws Exception {
        var rows = 0L;
        var distinct = 0L;
        for (var database : databases) {
            var told = query(database, "select count(*), count(distinct id) from " + TABLE)
                    .getFirst()
                    .split("\\|", -1);
            rows += Long.parseLong(told[0]);
            distinct += Long.parseLong(told[1]);
        }
        return new Count(rows, distinct);
    }

    @Override
    public BitSet ids(int first, int end) throws Exception {
        var ids = new BitSet();
        for (var database : databases)
            query(database, "select id from " + TABLE + " where id >= " + first + " and id < " + end)
                    .forEach(id -> ids.set(Integer.parseInt(id)));
        return ids;
    }

    @Override
    public String wrong(OnceLoad load) throws Exception {
        var wrong = new ArrayList<String>();
        for (var database : databases) {
            query(
                            database,
                            "select id, count(*) from " + TABLE
                                    + " group by id having count(*) > 1 order by id limit 10")
                    .forEach(row -> wrong.add(database + ": " + row + " times, " + load.place(row)));
            for (var row : query(database, "select id, \"text\" from " + TABLE))
                if (!load.isRow(row.replaceFirst("\\|", "\t"))) wrong.add(database + ": not as produced: " + row);
        }
        return wrong.stream().limit(10).collect(Collectors.joining("\n"));
    }

    // A server that recovers refuses for a while.
    private List<String> query(String database, String sql) throws Exception {
        var told = new AtomicReference<List<String>>(List.of());
        var refused = new AtomicReference<@Nullable LabException>();
        Deadline.in(RECOVERY)
                .until(
                        "an answer of PostgreSQL",
                        () -> {
                            try {
                                told.set(postgres.query(database, sql));
                                return true;
                            } catch (LabException failure) {
                                refused.set(failure);
                                return false;
                            }
                        },
                        () -> String.valueOf(refused.get()));
        return told.get();
    }

    @Override
    public void loseAnswers(int shard, int answers) {
        for (var way : ways(shard).subList(0, Math.min(answers, WAYS))) way.dropAnswer(Cue.POSTGRES_COMMITTED);
    }

    @Override
    public void holdAnswers() {
        proxies.forEach(proxy -> proxy.holdAnswers(Cue.POSTGRES_COMMITTED));
    }

    @Override
    public int held() {
        return proxies.stream().mapToInt(proxy -> proxy.traffic().held()).sum();
    }

    @Override
    public void cut(int shard) {
        ways(shard).forEach(ChaosProxy::refuse);
    }

    @Override
    public void silence(int shard) {
        ways(shard).forEach(ChaosProxy::blackHole);
    }

    @Override
    public void heal() {
        proxies.forEach(ChaosProxy::heal);
    }

    @Override
    public String harm(SplittableRandom chance) {
        if (chance.nextInt(4) == 0) {
            postgres.killBackends(databases.get(chance.nextInt(SHARDS)));
            return "backends killed and server recovered";
        }
        for (var database : databases)
            postgres.query(
                    "postgres",
                    "select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + database + "'");
        return "backends terminated";
    }

    @Override
    public void mend() {
        postgres.awaitRecovery();
    }

    @Override
    public void close() {
        proxies.forEach(ChaosProxy::close);
    }
}
