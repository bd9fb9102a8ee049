package dev.millrace.postgres;

import dev.millrace.postgres.EndpointCheckup.Facts;
import dev.millrace.postgres.EndpointCheckup.Seen;
import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.sinkpool.Checkup;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.Guarantee.Level;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/// Looks at every endpoint of every shard, all at once, and then at what they have in common.
/// Reads only.
///
/// Thread ownership: the thread that asks; it looks on virtual threads of its own.
final class SinkCheckup {
    private record Way(ShardId shard, PostgresEndpoint endpoint) {
        String where() {
            return "sinks." + shard.sink() + ".shards." + shard.shard() + " " + endpoint;
        }
    }

    private record Looked(Way way, Facts facts) {}

    private final PostgresSettings settings;
    private final Map<ShardId, List<PostgresEndpoint>> shards;
    private final ScheduledExecutorService timer;
    private final NanoClock clock;
    private final InstantSource wallClock;
    private final List<Finding> findings = new ArrayList<>();
    private final List<Looked> looked = new ArrayList<>();
    private @Nullable String split;

    SinkCheckup(
            PostgresSettings settings,
            Map<ShardId, List<PostgresEndpoint>> shards,
            ScheduledExecutorService timer,
            NanoClock clock,
            InstantSource wallClock) {
        this.settings = settings;
        this.shards = shards;
        this.timer = timer;
        this.clock = clock;
        this.wallClock = wallClock;
    }

    Checkup look(long deadlineNanos) throws InterruptedException {
        var asked = new LinkedHashMap<Way, Future<Seen>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            shards.forEach((shard, endpoints) -> endpoints.forEach(endpoint -> {
                var way = new Way(shard, endpoint);
                asked.put(
                        way,
                        threads.submit(() -> new EndpointCheckup(settings, way.where(), clock, wallClock)
                                .look(endpoint, timer, deadlineNanos)));
            }));
            for (var entry : asked.entrySet()) {
                var seen = entry.getValue().get();
                findings.addAll(seen.findings());
                var facts = seen.facts();
                if (facts != null) looked.add(new Looked(entry.getKey(), facts));
            }
        } catch (ExecutionException bug) {
            throw new IllegalStateException("looking at a server failed", bug.getCause());
        }
        databases();
        tables();
        return new Checkup(guarantee(), findings);
    }

    /// The endpoints of a shard are ways to one database, and shards are different ones.
    private void databases() {
        var ofShard = new HashMap<ShardId, Looked>();
        var byDatabase = new HashMap<String, Looked>();
        for (var one : looked) {
            var database = one.facts().cluster();
            if (database.isEmpty()) continue;
            var sibling = ofShard.putIfAbsent(one.way().shard(), one);
            if (sibling != null && !sibling.facts().cluster().equals(database)) {
                split = "the endpoints of " + one.way().shard() + " are ways to two databases";
                findings.add(Finding.hazard(
                        one.way().where(),
                        "it is another database than " + sibling.way().where()
                                + ": each has a part of the shard's rows, and a batch that is sent again to the other"
                                + " is stored twice",
                        "make each database a shard of its own"));
            }
            var other = byDatabase.putIfAbsent(database, one);
            if (other != null && !other.way().shard().equals(one.way().shard()))
                findings.add(Finding.hazard(
                        one.way().where(),
                        "it is the same database as " + other.way().where() + ": two shards write into one table",
                        "name them as one shard, or give each a database of its own"));
        }
    }

    /// Between shards the start refuses what differs; within one it asks only the first that answers.
    private void tables() {
        Looked first = null;
        for (var one : looked) {
            var table = one.facts().table();
            if (table == null) continue;
            if (first == null) {
                first = one;
                continue;
            }
            var other = first.facts().table();
            var difference = other == null ? null : TableWatch.difference(other, table);
            if (difference != null)
                findings.add(Finding.fault(
                        one.way().where(),
                        "its table differs from that of " + first.way().where() + ": " + difference,
                        "make the tables alike"));
        }
    }

    private Guarantee guarantee() {
        if (looked.isEmpty()) return new Guarantee(Level.L0, "no server told what table " + settings.table() + " is");
        if (settings.tokens() == null) return withoutTokens();
        if (split != null) return new Guarantee(Level.L0, split + ", and each knows its own tokens only");
        for (var one : looked) if (!(one.facts().tokens() instanceof TokenTable.Look.Ready)) return withoutTokens(one);
        return new Guarantee(
                Level.L4, "each batch's token is entered in the transaction of its rows, and is known for good");
    }

    private Guarantee withoutTokens(Looked lacks) {
        var less = withoutTokens();
        var table = lacks.facts().table();
        if (table == null) return new Guarantee(less.level(), "table " + settings.table() + " can't be written to");
        var what = lacks.facts().tokens() instanceof TokenTable.Look.Wrong(var wrong, var _)
                ? wrong
                : "no table " + new TokenTable(table.schema());
        return new Guarantee(
                less.level(), what + " at " + lacks.way().endpoint() + ": run millrace init; " + less.why());
    }

    private Guarantee withoutTokens() {
        if (settings.rows().onConflict() == OnConflict.ERROR)
            return new Guarantee(
                    Level.L0,
                    "on_conflict is error: a row that is sent again is stored twice, or refused where a unique index"
                            + " names it");
        for (var one : looked)
            if (!one.facts().unique())
                return new Guarantee(Level.L0, "no unique index at " + one.way().endpoint() + " names a row");
        return new Guarantee(
                Level.L1,
                "on_conflict: ignore and a unique index: a row that is sent again, or replays after a crash, is stored"
                        + " once as far as the index names it");
    }
}
