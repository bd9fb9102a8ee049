package dev.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.PostgresSettings.Limits;
import dev.millrace.postgres.PostgresSettings.Login;
import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.postgres.PostgresSettings.Rows;
import dev.millrace.postgres.PostgresSettings.Tls;
import dev.millrace.postgres.PostgresSettings.Tokens;
import dev.millrace.postgres.PostgresSettings.UnknownFields;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A sink with one shard and one endpoint, described, with its writer.
final class Warehouse implements AutoCloseable {
    static final ShardId SHARD = new ShardId("warehouse", "a");
    static final Duration AMPLE = Duration.ofSeconds(60);

    private final PostgresSink sink;
    private final SinkWriter writer;

    private Warehouse(PostgresSettings settings, URI described, URI written) {
        sink = PostgresSink.open(settings, Map.of(SHARD, List.of(described)), NanoClock.SYSTEM);
        assertThat(sink.describe(in(AMPLE))).isInstanceOf(Description.Described.class);
        writer = sink.writer(SHARD, written);
    }

    static Warehouse open(PostgresSettings settings, URI endpoint) {
        return new Warehouse(settings, endpoint, endpoint);
    }

    /// Described over one endpoint and written over another.
    static Warehouse open(PostgresSettings settings, URI described, URI written) {
        return new Warehouse(settings, described, written);
    }

    static PostgresSettings settings(String table) {
        return settings(table, OnConflict.ERROR, null);
    }

    static PostgresSettings settings(String table, OnConflict onConflict, @Nullable String rawColumn) {
        return settings(table, "postgres", "", new Rows(onConflict, UnknownFields.REFUSE, rawColumn));
    }

    static PostgresSettings settings(String table, String user, String password, Rows rows) {
        return settings(table, user, password, rows, null);
    }

    /// With tokens, of a pipeline that is named shop and holds at most four segments open.
    static PostgresSettings withTokens(String table, OnConflict onConflict) {
        return withTokens(table, "postgres", "", onConflict);
    }

    static PostgresSettings withTokens(String table, String user, String password, OnConflict onConflict) {
        return settings(table, user, password, new Rows(onConflict, UnknownFields.REFUSE, null), new Tokens("shop", 4));
    }

    private static PostgresSettings settings(
            String table, String user, String password, Rows rows, @Nullable Tokens tokens) {
        return new PostgresSettings(
                table,
                new Login(user, Password.of(password), new Tls.Off()),
                rows,
                // What waits for a time-out of the sink's own here waits longer than any test may take.
                new Limits(1, Duration.ofMinutes(30), Duration.ofHours(1)),
                tokens);
    }

    /// The table of tokens, as `millrace init` makes it.
    static void makeTokenTable(LabPostgres server, String database) {
        server.execute(database, "drop table if exists millrace_segments; " + TokenTables.sql("public.any"));
    }

    static URI address(String host, int port, String database) {
        return URI.create("postgres://" + host + ":" + port + "/" + database);
    }

    static URI address(LabPostgres server, String database) {
        return address(server.host(), server.port(), database);
    }

    static long in(Duration limit) {
        return NanoClock.SYSTEM.nanoTime() + limit.toNanos();
    }

    PostgresSink sink() {
        return sink;
    }

    SinkWriter writer() {
        return writer;
    }

    BatchRows rows(String... values) {
        return Records.batch(sink.encoder(), 100, List.of(values));
    }

    WriteOutcome write(String... values) throws Exception {
        return write(AMPLE, rows(values));
    }

    WriteOutcome write(Duration limit, BatchRows rows) throws Exception {
        return writer.write(new Call(rows, limit));
    }

    /// On a virtual thread of its own, as in production.
    CompletableFuture<WriteOutcome> begin(Call call) {
        var outcome = new CompletableFuture<WriteOutcome>();
        try (var threads = new Ending(Executors.newVirtualThreadPerTaskExecutor())) {
            threads.executor().execute(() -> {
                try {
                    outcome.complete(writer.write(call));
                } catch (Throwable thrown) {
                    outcome.completeExceptionally(thrown);
                }
            });
        }
        return outcome;
    }

    /// Takes no more, and does not wait for what it has.
    private record Ending(java.util.concurrent.ExecutorService executor) implements AutoCloseable {
        @Override
        public void close() {
            executor.shutdown();
        }
    }

    /// Returns when the query answers this number. The test's own time limit is the bound.
    static void await(LabPostgres server, String database, String query, long answer) {
        while (server.queryLong(database, query) != answer) LockSupport.parkNanos(5_000_000);
    }

    /// How many sessions of ours wait for a lock.
    static final String WAITING_FOR_LOCK =
            "select count(*) from pg_stat_activity where application_name = 'millrace' and wait_event_type = 'Lock'";

    @Override
    public void close() {
        writer.close();
        sink.close();
    }
}
