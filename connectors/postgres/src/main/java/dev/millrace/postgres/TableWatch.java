package dev.millrace.postgres;

import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.WriteOutcome;
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/// Asks the shards for their tables, each at its first endpoint that answers, and compares them.
///
/// A few tries with growing pauses for each shard; who asks for longer asks again.
///
/// Thread ownership: the thread that asks; it asks shards on virtual threads of its own.
final class TableWatch {
    private static final int AT_ONCE = 8;
    private static final int TRIES = 3;
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final double GROWTH = 2;

    private final PostgresSettings settings;
    private final Map<ShardId, List<PostgresEndpoint>> shards;
    private final ScheduledExecutorService timer;
    private final NanoClock clock;
    private final @Nullable TokenUse tokens;

    /// `tokens` is told what becomes known of each shard's table of tokens; null where none is used.
    TableWatch(
            PostgresSettings settings,
            Map<ShardId, List<PostgresEndpoint>> shards,
            ScheduledExecutorService timer,
            NanoClock clock,
            @Nullable TokenUse tokens) {
        this.settings = settings;
        this.shards = shards;
        this.timer = timer;
        this.clock = clock;
        this.tokens = tokens;
    }

    Description ask(long deadlineNanos) {
        var answers = new LinkedHashMap<ShardId, Description>();
        try (var threads =
                Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory())) {
            var asked = new LinkedHashMap<ShardId, Future<Description>>();
            shards.forEach((shard, ways) -> asked.put(
                    shard, threads.submit((Callable<Description>) () -> askPatiently(shard, ways, deadlineNanos))));
            for (var entry : asked.entrySet())
                answers.put(entry.getKey(), entry.getValue().get());
        } catch (ExecutionException bug) {
            throw new IllegalStateException("asking for the table failed", bug.getCause());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return new Description.NotReachable(new Failure("interrupted", "asking for the table was ended", false));
        }
        return combined(answers);
    }

    private Description askPatiently(ShardId shard, List<PostgresEndpoint> ways, long deadlineNanos) {
        var config = RetryConfig.<Description>custom()
                .maxAttempts(TRIES)
                .intervalFunction(IntervalFunction.ofExponentialBackoff(FIRST_PAUSE_MILLIS, GROWTH))
                .retryOnResult(answer -> answer instanceof Description.NotReachable
                        && !NanoClock.reached(deadlineNanos, clock.nanoTime()))
                .build();
        return Retry.of(shard.toString(), config).executeSupplier(() -> askAnyWay(shard, ways, deadlineNanos));
    }

    private Description askAnyWay(ShardId shard, List<PostgresEndpoint> ways, long deadlineNanos) {
        Description answer = new Description.NotReachable(new Failure("deadline", shard + ": no time left", false));
        for (var way : ways) {
            if (NanoClock.reached(deadlineNanos, clock.nanoTime())) return answer;
            answer = askOne(shard, way, deadlineNanos);
            if (!(answer instanceof Description.NotReachable)) return answer;
        }
        return answer;
    }

    private Description askOne(ShardId shard, PostgresEndpoint way, long deadlineNanos) {
        var limits = settings.limits();
        var attempt = new Attempt(clock, deadlineNanos);
        var logins = new Logins(way, settings.login(), limits.connectTimeout(), timer);
        try (var session = logins.open(attempt)) {
            session.setNetworkTimeout(Runnable::run, (int)
                    Math.min(attempt.remainingMillis(), limits.connectTimeout().toMillis()));
            var answer = Catalog.read(session, settings.tableName(), settings.rows(), tokens != null);
            return switch (answer.description()) {
                case Description.Refused(var reason) -> new Description.Refused(at(shard, way) + reason);
                case Description.Described described -> withTokens(shard, way, described, answer);
                case Description.NotReachable unreachable -> unreachable;
            };
        } catch (SQLException failure) {
            var outcome = new Verdict(Phase.LOGIN, failure, false).outcome("", 0);
            return switch (outcome) {
                case WriteOutcome.Misconfigured(var told) -> new Description.Refused(at(shard, way) + told);
                case WriteOutcome.Unavailable(var told, var _) -> unreachable(shard, way, told);
                case WriteOutcome.Refused(var told, var _) -> unreachable(shard, way, told);
                case WriteOutcome.TooLarge(var told) -> unreachable(shard, way, told);
                case WriteOutcome.Written _ -> throw new IllegalStateException("a failure that wrote");
            };
        }
    }

    private Description withTokens(
            ShardId shard, PostgresEndpoint way, Description.Described described, Catalog.Answer answer) {
        var look = answer.tokens();
        if (tokens == null || look == null) return described;
        tokens.looked(shard, look, answer.keyed());
        if (look instanceof TokenTable.Look.Wrong(var what, var remedy))
            return new Description.Refused(at(shard, way) + what + ": " + remedy);
        if (tokens.on(shard)) return described;
        var hazards = new TreeSet<>(described.hazards());
        hazards.add(
                at(shard, way) + "no table " + new TokenTable(described.table().schema())
                        + " when the pipeline started: delivery is at least once there until millrace init has made it and the"
                        + " pipeline is started again");
        return new Description.Described(described.table(), described.unseen(), hazards);
    }

    private static Description unreachable(ShardId shard, PostgresEndpoint way, Failure told) {
        return new Description.NotReachable(new Failure(told.code(), at(shard, way) + told.message(), false));
    }

    private static String at(ShardId shard, PostgresEndpoint way) {
        return shard + " at " + way + ": ";
    }

    private static Description combined(Map<ShardId, Description> answers) {
        var unseen = new ArrayList<ShardId>();
        var hazards = new TreeSet<String>();
        TableDescription table = null;
        ShardId first = null;
        Description.NotReachable unreachable = null;
        for (var entry : answers.entrySet()) {
            switch (entry.getValue()) {
                case Description.Refused refused -> {
                    return refused;
                }
                case Description.NotReachable missing -> {
                    unseen.add(entry.getKey());
                    unreachable = missing;
                }
                case Description.Described described -> {
                    hazards.addAll(described.hazards());
                    if (table == null) {
                        table = described.table();
                        first = entry.getKey();
                        continue;
                    }
                    var difference = difference(table, described.table());
                    if (difference != null)
                        return new Description.Refused(
                                "the tables of " + first + " and " + entry.getKey() + " differ: " + difference);
                    table = table.requiringLess(described.table());
                }
            }
        }
        if (table != null) return new Description.Described(table, unseen, hazards);
        if (unreachable == null) throw new IllegalStateException("no shard was asked");
        return unreachable;
    }

    /// Where two descriptions differ first, or null.
    static @Nullable String difference(TableDescription one, TableDescription other) {
        if (!one.toString().equals(other.toString())) return "table " + one + " and table " + other;
        if (one.encoding() != other.encoding())
            return "the databases' encodings, " + one.encoding() + " and " + other.encoding();
        var most = Math.max(one.columns().size(), other.columns().size());
        for (var i = 0; i < most; i++) {
            var here = column(one, i);
            var there = column(other, i);
            if (!here.equals(there)) return "column " + (i + 1) + " is " + here + " and " + there;
        }
        return null;
    }

    private static String column(TableDescription table, int at) {
        if (at >= table.columns().size()) return "missing";
        var column = table.columns().get(at);
        return column.name() + ' ' + column.type();
    }
}
