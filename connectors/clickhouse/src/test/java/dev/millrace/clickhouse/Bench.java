package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.clickhouse.ClickHouseSettings.Format;
import dev.millrace.clickhouse.ClickHouseSettings.Limits;
import dev.millrace.clickhouse.ClickHouseSettings.Login;
import dev.millrace.clickhouse.ClickHouseSettings.Rows;
import dev.millrace.clickhouse.ClickHouseSettings.UnknownFields;
import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Secret;
import dev.millrace.httpclient.Tls;
import dev.millrace.httpclient.Who;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// A sink with one shard and one endpoint, described, with its writer.
final class Bench implements AutoCloseable {
    static final ShardId SHARD = new ShardId("warehouse", "a");
    static final Duration AMPLE = Duration.ofSeconds(60);
    static final Duration SHORT = Duration.ofMillis(200);

    private final ClickHouseSink sink;
    private final SinkWriter writer;

    private Bench(ClickHouseSettings settings, URI described, URI written) throws InterruptedException {
        sink = sink(settings, described);
        assertThat(sink.describe(in(AMPLE))).isInstanceOf(Description.Described.class);
        writer = sink.writer(SHARD, written);
    }

    static ClickHouseSink sink(ClickHouseSettings settings, URI... endpoints) {
        return ClickHouseSink.open(settings, Map.of(SHARD, List.of(endpoints)), () -> Lines.VERBATIM, NanoClock.SYSTEM);
    }

    static Bench at(Stub stub) throws InterruptedException {
        return new Bench(settings(), stub.uri(), stub.uri());
    }

    static Bench open(ClickHouseSettings settings, URI endpoint) throws InterruptedException {
        return new Bench(settings, endpoint, endpoint);
    }

    /// Described over one endpoint and written over another.
    static Bench open(ClickHouseSettings settings, URI described, URI written) throws InterruptedException {
        return new Bench(settings, described, written);
    }

    static ClickHouseSettings settings() {
        return settings(Compression.NONE, Map.of());
    }

    static ClickHouseSettings settings(Compression compression, Map<String, String> extra) {
        return settings("events", compression, () -> "s3cret", Tls.DEFAULTS, extra);
    }

    static ClickHouseSettings settings(
            String table, Compression compression, Secret password, Tls tls, Map<String, String> extra) {
        return new ClickHouseSettings(
                "shop",
                table,
                new Login("ingest", password, tls),
                new Rows(Format.JSON_EACH_ROW, UnknownFields.REFUSE),
                compression,
                new Limits(Duration.ofSeconds(20)),
                extra);
    }

    static ClickHouseSettings settings(Coordinates coordinates) {
        return settings("events", coordinates);
    }

    static ClickHouseSettings settings(String table, Coordinates coordinates) {
        var plain = settings(table, Compression.NONE, () -> "s3cret", Tls.DEFAULTS, Map.of());
        return new ClickHouseSettings(
                plain.database(),
                plain.table(),
                plain.login(),
                new Rows(Format.JSON_EACH_ROW, UnknownFields.REFUSE, coordinates),
                plain.compression(),
                plain.limits(),
                plain.extra());
    }

    /// As somebody else.
    static ClickHouseSettings settings(Who who) {
        return new ClickHouseSettings(
                "shop",
                "events",
                new Login(who, Tls.DEFAULTS),
                new Rows(Format.JSON_EACH_ROW, UnknownFields.REFUSE),
                Compression.NONE,
                new Limits(Duration.ofSeconds(20)),
                Map.of());
    }

    /// Rows typed by the columns of a table.
    static ClickHouseSettings typed(String table, UnknownFields unknownFields, Compression compression) {
        return new ClickHouseSettings(
                "shop",
                table,
                new Login("ingest", () -> "s3cret", Tls.DEFAULTS),
                new Rows(Format.ROW_BINARY, unknownFields),
                compression,
                new Limits(Duration.ofSeconds(20)),
                Map.of());
    }

    static ClickHouseSettings typed(String table) {
        return typed(table, UnknownFields.REFUSE, Compression.NONE);
    }

    static long in(Duration limit) {
        return NanoClock.SYSTEM.nanoTime() + limit.toNanos();
    }

    SinkWriter writer() {
        return writer;
    }

    ClickHouseSink sink() {
        return sink;
    }

    WriteOutcome write(String... lines) throws Exception {
        return write(AMPLE, "run/1", lines);
    }

    WriteOutcome write(Duration limit, String token, String... lines) throws Exception {
        return writer.write(new Call(Lines.batch(lines), token, limit));
    }

    /// Values through the sink's own encoder, which must make rows of all of them.
    WriteOutcome encodeAndWrite(String token, String... values) throws Exception {
        return writer.write(new Call(Lines.batch(sink.encoder(), 4096, List.of(values)), token, AMPLE));
    }

    WriteOutcome ping() throws Exception {
        return writer.ping(new Call(Lines.batch("-"), "-", AMPLE));
    }

    /// On a virtual thread of its own, as in production.
    CompletableFuture<WriteOutcome> begin(Call call) {
        var outcome = new CompletableFuture<WriteOutcome>();
        Thread.ofVirtual().start(() -> {
            try {
                outcome.complete(writer.write(call));
            } catch (Throwable thrown) {
                outcome.completeExceptionally(thrown);
            }
        });
        return outcome;
    }

    @Override
    public void close() {
        writer.close();
        sink.close();
    }
}
