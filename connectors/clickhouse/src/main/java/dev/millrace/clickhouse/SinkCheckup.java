package dev.millrace.clickhouse;

import dev.millrace.clickhouse.EndpointCheckup.Facts;
import dev.millrace.clickhouse.EndpointCheckup.Seen;
import dev.millrace.httpclient.ServerCertificate;
import dev.millrace.sinkpool.Checkup;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.Guarantee.Level;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import java.net.http.HttpClient;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// Looks at every endpoint of every shard, all at once, and then at what they have in common.
/// Reads only.
///
/// Thread ownership: the thread that asks; it looks on virtual threads of its own.
final class SinkCheckup {
    private record Looked(ShardId shard, ClickHouseEndpoint endpoint, Facts facts) {
        String where() {
            return SinkCheckup.where(shard, endpoint);
        }
    }

    private final ClickHouseSettings settings;
    private final Map<ShardId, List<ClickHouseEndpoint>> shards;
    private final NanoClock clock;
    private final InstantSource wallClock;
    private final List<Finding> findings = new ArrayList<>();
    private final List<Looked> looked = new ArrayList<>();

    SinkCheckup(
            ClickHouseSettings settings,
            Map<ShardId, List<ClickHouseEndpoint>> shards,
            NanoClock clock,
            InstantSource wallClock) {
        this.settings = settings;
        this.shards = shards;
        this.clock = clock;
        this.wallClock = wallClock;
    }

    static String where(ShardId shard, ClickHouseEndpoint endpoint) {
        return "sinks." + shard.sink() + ".shards." + shard.shard() + " " + endpoint;
    }

    Checkup look(HttpClient client, long deadlineNanos) throws InterruptedException {
        var asked = new LinkedHashMap<Looking, Future<Seen>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            shards.forEach((shard, endpoints) -> endpoints.forEach(endpoint -> asked.put(
                    new Looking(shard, endpoint), threads.submit(() -> see(client, shard, endpoint, deadlineNanos)))));
            for (var entry : asked.entrySet()) {
                var seen = entry.getValue().get();
                findings.addAll(seen.findings());
                var facts = seen.facts();
                if (facts != null)
                    looked.add(new Looked(entry.getKey().shard(), entry.getKey().endpoint(), facts));
            }
        } catch (ExecutionException bug) {
            throw new IllegalStateException("looking at a server failed", bug.getCause());
        }
        twice();
        for (var shard : shards.keySet()) alike(shard);
        otherShards();
        columns();
        return new Checkup(guarantee(), findings);
    }

    private record Looking(ShardId shard, ClickHouseEndpoint endpoint) {}

    private Seen see(HttpClient client, ShardId shard, ClickHouseEndpoint endpoint, long deadlineNanos)
            throws InterruptedException {
        var questions = new Questions(client, endpoint, settings.login(), clock, deadlineNanos);
        var certificate = ServerCertificate.look(
                endpoint.address(), client.sslContext(), where(shard, endpoint), clock, deadlineNanos, wallClock);
        var seen = new EndpointCheckup(settings, questions, where(shard, endpoint), wallClock).look();
        if (certificate == null) return seen;
        var all = new ArrayList<>(seen.findings());
        all.add(certificate);
        return new Seen(all, seen.facts());
    }

    /// One server behind two addresses is one copy of the data, and one thing that fails.
    private void twice() {
        var byServer = new HashMap<String, Looked>();
        for (var one : looked) {
            if (one.facts().uuid().isEmpty()) continue;
            var other = byServer.putIfAbsent(one.facts().uuid(), one);
            if (other == null) continue;
            findings.add(Finding.hazard(
                    one.where(),
                    "it is the same server as " + other.where(),
                    other.shard().equals(one.shard())
                            ? "name each replica once: a second address of it is no second copy"
                            : "give each shard servers of its own: both write into one table"));
        }
    }

    /// The replicas of one shard.
    private void alike(ShardId shard) {
        var replicas = looked.stream()
                .filter(one -> one.shard().equals(shard) && one.facts().table() != null)
                .toList();
        if (replicas.size() < 2) return;
        var first = replicas.getFirst();
        for (var one : replicas.subList(1, replicas.size())) {
            if (shares(first, one)) continue;
            findings.add(Finding.hazard(
                    one.where(),
                    unshared(first) || unshared(one)
                            ? settings.database() + "." + settings.table() + " is not replicated: each of the shard's "
                                    + "servers has a part of the rows, and a batch that is sent again to another is"
                                    + " stored twice"
                            : "its table has the path " + one.facts().path() + " in Keeper, and that of "
                                    + first.where() + " has " + first.facts().path()
                                    + ": they are no replicas of each other, and a batch that is sent again to the"
                                    + " other is stored twice",
                    unshared(first) || unshared(one)
                            ? "use ReplicatedMergeTree, or make each server a shard of its own"
                            : "put them into shards of their own, or give both tables one path"));
        }
    }

    private static boolean unshared(Looked one) {
        var table = one.facts().table();
        return table != null && !table.replicated();
    }

    /// What one remembers of tokens, the other knows.
    private static boolean shares(Looked one, Looked other) {
        if (!one.facts().uuid().isEmpty()
                && one.facts().uuid().equals(other.facts().uuid())) return true;
        if (unshared(one) || unshared(other)) return false;
        return one.facts().path().equals(other.facts().path());
    }

    private void otherShards() {
        var byPath = new HashMap<String, Looked>();
        for (var one : looked) {
            if (one.facts().path().isEmpty()) continue;
            var other = byPath.putIfAbsent(one.facts().path(), one);
            if (other != null && !other.shard().equals(one.shard()))
                findings.add(Finding.hazard(
                        one.where(),
                        "its table has the same path in Keeper as that of " + other.where() + ", "
                                + one.facts().path() + ": if they share a Keeper, two shards write into one table",
                        "give each shard a path of its own, as with the macro {shard}, or name these as one shard"));
        }
    }

    private void columns() {
        var told =
                looked.stream().filter(one -> !one.facts().columns().isEmpty()).toList();
        if (told.isEmpty()) return;
        var first = told.getFirst();
        for (var one : told.subList(1, told.size())) {
            var mine = new TreeSet<>(one.facts().columns());
            var theirs = new TreeSet<>(first.facts().columns());
            if (mine.equals(theirs)) continue;
            var only = new TreeSet<>(mine);
            only.removeAll(theirs);
            theirs.removeAll(mine);
            findings.add(Finding.hazard(
                    one.where(),
                    "its columns differ from those of " + first.where() + ": " + difference(only, theirs)
                            + "; a row that one takes the other may refuse",
                    "make the tables alike"));
        }
    }

    private static String difference(Set<String> only, Set<String> lacks) {
        var parts = new ArrayList<String>();
        if (!only.isEmpty()) parts.add("it has " + String.join(", ", only));
        if (!lacks.isEmpty()) parts.add("it lacks " + String.join(", ", lacks));
        return String.join(", and ", parts);
    }

    /// The highest level that it allows, whatever the pipeline makes of it.
    private Guarantee guarantee() {
        var table = settings.database() + "." + settings.table();
        if (looked.isEmpty()) return new Guarantee(Level.L0, "no server told what " + table + " remembers");
        for (var one : looked) {
            var facts = one.facts().table();
            if (facts == null) return new Guarantee(Level.L0, one.endpoint() + " told of no table " + table);
            if (!facts.remembers())
                return new Guarantee(
                        Level.L0,
                        facts.engine() + " at " + one.endpoint() + " remembers no tokens: "
                                + (facts.mergeTree()
                                        ? facts.alter(TokenWindow.AMPLE_TOKENS)
                                        : "use an engine of the MergeTree family"));
            if (!one.facts().forgets().isEmpty())
                return new Guarantee(
                        Level.L0, one.endpoint() + ": " + one.facts().forgets());
            if (loses(one.facts().version(), facts))
                return new Guarantee(
                        Level.L0,
                        one.endpoint() + " may lose rows of an insert that is interrupted: upgrade ClickHouse, or store"
                                + " each row's topic, partition and offset (clickhouse.coordinates) in a table that"
                                + " keeps rows");
        }
        var apart = apart();
        if (apart == null) return remembering();
        return unshared(apart)
                ? new Guarantee(
                        Level.L1,
                        apart.endpoint() + " shares no tokens with the other replicas of its shard: use"
                                + " ReplicatedMergeTree, or make each server a shard of its own")
                : new Guarantee(
                        Level.L0,
                        apart.endpoint() + " shares no tokens with the other replicas of its shard, and looks"
                                + " as if it did: give both tables one path in Keeper");
    }

    private boolean loses(String version, TableFacts table) {
        return table.replicated() && !LossBugs.of(version).isEmpty() && !MemoryLook.tells(settings, table.engine());
    }

    private Guarantee remembering() {
        var least = looked.stream()
                .map(one -> one.facts().table())
                .filter(Objects::nonNull)
                .min(Comparator.comparingLong(TableFacts::window))
                .orElseThrow();
        var readable = looked.stream()
                .map(one -> one.facts().table())
                .allMatch(facts -> facts != null && MemoryLook.tells(settings, facts.engine()));
        return new Guarantee(
                readable ? Level.L3 : Level.L2,
                least.engine() + " remembers "
                        + new Remembered(least.window(), least.seconds(), readable, "").text()
                        + (looked.size() < endpoints() ? ", as far as servers answered" : "")
                        + (readable
                                ? "; what is older is read back"
                                : "; for L3 store each row's topic, partition and offset (clickhouse.coordinates) in a"
                                        + " table that keeps rows"));
    }

    private long endpoints() {
        return shards.values().stream().mapToLong(List::size).sum();
    }

    /// A replica that does not know what another of its shard was sent.
    private @Nullable Looked apart() {
        var first = new HashMap<ShardId, Looked>();
        for (var one : looked) {
            var other = first.putIfAbsent(one.shard(), one);
            if (other != null && !shares(one, other)) return one;
        }
        return null;
    }
}
