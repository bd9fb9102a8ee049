package dev.millrace.pipeline;

import dev.millrace.breaker.BreakerSettings;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.clickhouse.ClickHouseSettings;
import dev.millrace.clickhouse.Coordinates;
import dev.millrace.clickhouse.VerdictOverride;
import dev.millrace.config.AmbiguousConfig;
import dev.millrace.config.BlackholeConfig;
import dev.millrace.config.BreakerConfig;
import dev.millrace.config.ClickHouseConfig;
import dev.millrace.config.ClickHouseConfig.Coordinate;
import dev.millrace.config.ClientTls;
import dev.millrace.config.Delivery;
import dev.millrace.config.Endpoint;
import dev.millrace.config.FormatConfig;
import dev.millrace.config.HttpConfig;
import dev.millrace.config.KafkaClientDefaults;
import dev.millrace.config.KafkaSourceConfig;
import dev.millrace.config.OnConfigChange;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.PoisonConfig;
import dev.millrace.config.PostgresConfig;
import dev.millrace.config.RetryConfig;
import dev.millrace.config.RouteConfig;
import dev.millrace.config.Secret;
import dev.millrace.config.ShardConfig;
import dev.millrace.config.SinkConfig;
import dev.millrace.config.Topics;
import dev.millrace.http.HttpSettings;
import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Tls;
import dev.millrace.httpclient.Who;
import dev.millrace.kafka.KafkaSourceSettings;
import dev.millrace.kafka.KeyLanes;
import dev.millrace.kafka.KeyRouter;
import dev.millrace.kafka.PartitionRouter;
import dev.millrace.kafka.Planning;
import dev.millrace.kafka.ValueFormat;
import dev.millrace.postgres.Password;
import dev.millrace.postgres.PostgresSettings;
import dev.millrace.sinkpool.AmbiguousSettings;
import dev.millrace.sinkpool.PoisonSettings;
import dev.millrace.sinkpool.Router;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardSettings;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// From the file's records to the settings of the parts: names and units, and nothing decided.
final class Wiring {
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(10);
    private static final String REQUEST_TIMEOUT = "request.timeout.ms";

    /// More than any plan has had, also under settings of before.
    private static final int KEPT_SEGMENTS = 1000;

    private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(5);

    private Wiring() {}

    /// Whether batches of a sink are cut into segments: where their tokens name them to it.
    static boolean planned(PipelineConfig config, SinkConfig sink) {
        return config.delivery() == Delivery.EFFECTIVELY_ONCE
                && !sink.advisory()
                && !(sink.kind() instanceof BlackholeConfig);
    }

    /// How segments are planned; null where no sink wants them.
    static @Nullable Planning planning(
            PipelineConfig config, long fingerprint, Function<SourcePartition, Map<Integer, Long>> newestTokens) {
        if (config.sinks().stream().noneMatch(sink -> planned(config, sink))) return null;
        var checkpoint = config.checkpoint();
        return new Planning(
                fingerprint,
                new AtomicInteger(),
                checkpoint.maxOpenSegments(),
                checkpoint.metadataLimit(),
                2 * requestTimeout(config).toNanos(),
                InstantSource.system(),
                newestTokens);
    }

    // A commit that timed out may still be applied for as long as the client says, whatever it was told.
    private static Duration requestTimeout(PipelineConfig config) {
        var usual = Objects.requireNonNull(KafkaClientDefaults.givingWay().get(REQUEST_TIMEOUT));
        var told = config.kafka().properties().reveal().getOrDefault(REQUEST_TIMEOUT, usual);
        try {
            return Duration.ofMillis(Math.max(1, Integer.parseInt(told.trim())));
        } catch (NumberFormatException _) {
            // The client refuses it when it is made, and says why.
            return Duration.ofMillis(Long.parseLong(usual));
        }
    }

    static KafkaSourceSettings source(PipelineConfig config) {
        var kafka = config.kafka();
        var checkpoint = config.checkpoint();
        var defaults = KafkaSourceSettings.Membership.defaults();
        return KafkaSourceSettings.of(
                        kafka.bootstrapServers().stream().map(Object::toString).collect(Collectors.joining(",")),
                        subscription(kafka.topics()),
                        kafka.groupId())
                .consumers(kafka.consumers())
                .onNoOffset(onNoOffset(kafka.onNoOffset()))
                .onLostOffset(onLostOffset(kafka.onLostOffset()))
                .groupProtocol(groupProtocol(kafka.groupProtocol()))
                .startupTimeoutNanos(kafka.startupTimeout().toNanos())
                .properties(kafka.properties().reveal())
                .values(values(config.format(), config.poison()))
                .checkpoint(new KafkaSourceSettings.Checkpoint(
                        checkpoint.interval().toNanos(),
                        checkpoint.maxPending(),
                        checkpoint.stalledFailAfter().toNanos(),
                        COMMIT_TIMEOUT.toNanos()))
                .membership(new KafkaSourceSettings.Membership(
                        kafka.rebalanceDrainTimeout().toNanos(),
                        defaults.unreadyAfterNanos(),
                        defaults.endAfterNanos()))
                .replans(config.onConfigChange() == OnConfigChange.REPLAN)
                .skips(kafka.skip().stream()
                        .map(one -> new KafkaSourceSettings.Skip(one.topic(), one.partition(), one.first(), one.last()))
                        .toList());
    }

    private static KafkaSourceSettings.Subscription subscription(Topics topics) {
        return switch (topics) {
            case Topics.Listed(var names) -> new KafkaSourceSettings.Subscription.Named(names);
            case Topics.Matching matching -> new KafkaSourceSettings.Subscription.Matching(matching.pattern());
        };
    }

    private static KafkaSourceSettings.OnNoOffset onNoOffset(KafkaSourceConfig.OnNoOffset choice) {
        return switch (choice) {
            case FAIL -> KafkaSourceSettings.OnNoOffset.FAIL;
            case EARLIEST -> KafkaSourceSettings.OnNoOffset.EARLIEST;
            case LATEST -> KafkaSourceSettings.OnNoOffset.LATEST;
        };
    }

    private static KafkaSourceSettings.OnLostOffset onLostOffset(KafkaSourceConfig.OnLostOffset choice) {
        return switch (choice) {
            case HALT -> KafkaSourceSettings.OnLostOffset.HALT;
            case CONTINUE -> KafkaSourceSettings.OnLostOffset.CONTINUE;
        };
    }

    private static KafkaSourceSettings.GroupProtocol groupProtocol(KafkaSourceConfig.GroupProtocol choice) {
        return switch (choice) {
            case CLASSIC -> KafkaSourceSettings.GroupProtocol.CLASSIC;
            case CONSUMER -> KafkaSourceSettings.GroupProtocol.CONSUMER;
        };
    }

    private static KafkaSourceSettings.Values values(FormatConfig format, PoisonConfig poison) {
        var kind = switch (format) {
            case FormatConfig.Json _ -> ValueFormat.Kind.JSON;
            case FormatConfig.Raw _ -> ValueFormat.Kind.RAW;
        };
        var tombstone = switch (format.onTombstone()) {
            case SKIP -> ValueFormat.OnTombstone.SKIP;
            case DEAD_LETTER -> ValueFormat.OnTombstone.DEAD_LETTER;
            case ROW -> ValueFormat.OnTombstone.ROW;
        };
        var onPoison = switch (poison.action()) {
            case STOP -> KafkaSourceSettings.OnPoison.STOP;
            case SKIP -> KafkaSourceSettings.OnPoison.SKIP;
            case DEAD_LETTER -> KafkaSourceSettings.OnPoison.DEAD_LETTER;
        };
        return new KafkaSourceSettings.Values(kind, tombstone, onPoison).maxRate(poison.maxRatePercent() / 100);
    }

    static ShardSettings shard(PipelineConfig config, SinkConfig sink, ShardConfig shard, boolean countsRows) {
        var batch = sink.batch();
        return new ShardSettings(
                new ShardId(sink.name(), shard.name()),
                shard.endpoints().size(),
                sink.ordering().lanes(),
                sink.ordering().byKey(),
                new ShardSettings.BatchSettings(
                        batch.maxRows(), batch.maxBytes(), batch.linger().toNanos()),
                sink.inflight().maxPerShard(),
                sink.inflight().limited() ? sink.inflight().maxTotal() : 0,
                sink.writeTimeout().toNanos(),
                retry(sink.retry()),
                breaker(sink.breaker()),
                countsRows,
                poison(config.poison()),
                ambiguous(sink.ambiguous()),
                role(config, sink));
    }

    private static ShardSettings.Role role(PipelineConfig config, SinkConfig sink) {
        if (sink.advisory()) return ShardSettings.Role.ADVISES;
        if (!planned(config, sink)) return ShardSettings.Role.MERGES;
        return switch (config.onExpiredToken()) {
            case HALT -> ShardSettings.Role.PLANNED;
            case RESEND -> ShardSettings.Role.PLANNED_RESENDS;
        };
    }

    private static AmbiguousSettings ambiguous(AmbiguousConfig ambiguous) {
        return new AmbiguousSettings(
                ambiguous.pinFor().toNanos(),
                switch (ambiguous.then()) {
                    case WAIT -> AmbiguousSettings.Then.WAIT;
                    case RESEND -> AmbiguousSettings.Then.RESEND;
                });
    }

    private static PoisonSettings poison(PoisonConfig poison) {
        return new PoisonSettings(
                switch (poison.action()) {
                    case DEAD_LETTER -> PoisonSettings.Action.DEAD_LETTER;
                    case SKIP -> PoisonSettings.Action.SKIP;
                    case STOP -> PoisonSettings.Action.STOP;
                },
                switch (poison.singleRow()) {
                    case WAIT -> PoisonSettings.SingleRow.WAIT;
                    case DEAD_LETTER -> PoisonSettings.SingleRow.DEAD_LETTER;
                },
                poison.maxRatePercent() / 100,
                poison.evidence().toNanos(),
                poison.attempts());
    }

    private static ShardSettings.RetrySettings retry(RetryConfig retry) {
        return new ShardSettings.RetrySettings(
                retry.initial().toNanos(),
                retry.max().toNanos(),
                retry.multiplier(),
                retry.jitter(),
                retry.unlimited() ? 0 : retry.maxAttempts());
    }

    private static BreakerSettings breaker(BreakerConfig breaker) {
        return new BreakerSettings(
                breaker.window(),
                breaker.minCalls(),
                (float) breaker.failureRatePercent(),
                breaker.slowCallLongerThan().toNanos(),
                (float) breaker.slowCallRatePercent(),
                breaker.openFor().toNanos(),
                breaker.openForMax().toNanos(),
                breaker.halfOpenProbes(),
                breaker.probeTimeout().toNanos());
    }

    static PostgresSettings postgres(PipelineConfig config, SinkConfig sink, PostgresConfig postgres) {
        var connect = longestConnect(sink);
        return new PostgresSettings(
                postgres.table().toString(),
                new PostgresSettings.Login(postgres.user(), passwordOf(postgres), tls(postgres.tls())),
                new PostgresSettings.Rows(
                        switch (postgres.onConflict()) {
                            case ERROR -> PostgresSettings.OnConflict.ERROR;
                            case IGNORE -> PostgresSettings.OnConflict.IGNORE;
                        },
                        switch (postgres.unknownFields()) {
                            case REFUSE -> PostgresSettings.UnknownFields.REFUSE;
                            case IGNORE -> PostgresSettings.UnknownFields.IGNORE;
                        },
                        postgres.rawColumn()),
                new PostgresSettings.Limits(sink.inflight().maxPerShard(), connect, sink.writeTimeout()),
                planned(config, sink)
                        ? new PostgresSettings.Tokens(
                                config.name(),
                                Math.max(KEPT_SEGMENTS, config.checkpoint().maxOpenSegments()))
                        : null);
    }

    /// Read again at each login: it may have been rotated.
    private static Password passwordOf(PostgresConfig postgres) {
        return postgres.password()::current;
    }

    private static PostgresSettings.Tls tls(PostgresConfig.Tls tls) {
        return switch (tls) {
            case PostgresConfig.Tls.Off() -> new PostgresSettings.Tls.Off();
            case PostgresConfig.Tls.VerifyFull(var caFile) -> new PostgresSettings.Tls.VerifyFull(caFile);
        };
    }

    static ClickHouseSettings clickhouse(SinkConfig sink, ClickHouseConfig clickhouse) {
        return new ClickHouseSettings(
                clickhouse.database(),
                clickhouse.table(),
                new ClickHouseSettings.Login(who(clickhouse), tls(clickhouse.tls())),
                new ClickHouseSettings.Rows(
                        switch (clickhouse.format()) {
                            case JSON_EACH_ROW -> ClickHouseSettings.Format.JSON_EACH_ROW;
                            case ROW_BINARY -> ClickHouseSettings.Format.ROW_BINARY;
                        },
                        switch (clickhouse.unknownFields()) {
                            case REFUSE -> ClickHouseSettings.UnknownFields.REFUSE;
                            case IGNORE -> ClickHouseSettings.UnknownFields.IGNORE;
                        },
                        coordinates(clickhouse.coordinates())),
                switch (clickhouse.compression()) {
                    case NONE -> Compression.NONE;
                    case LZ4 -> Compression.LZ4;
                    case ZSTD -> Compression.ZSTD;
                },
                new ClickHouseSettings.Limits(longestConnect(sink), sink.batch().maxCuts()),
                clickhouse.settings(),
                verdicts(clickhouse));
    }

    private static Coordinates coordinates(Map<Coordinate, String> columns) {
        var all = new TreeMap<Coordinates.Part, String>();
        columns.forEach((part, column) -> all.put(
                switch (part) {
                    case TOPIC -> Coordinates.Part.TOPIC;
                    case PARTITION -> Coordinates.Part.PARTITION;
                    case OFFSET -> Coordinates.Part.OFFSET;
                    case TIMESTAMP -> Coordinates.Part.TIMESTAMP;
                    case KEY -> Coordinates.Part.KEY;
                    case HEADERS -> Coordinates.Part.HEADERS;
                },
                column));
        return new Coordinates(all);
    }

    /// Read again at every request, where it came from a file.
    private static dev.millrace.httpclient.Secret password(@Nullable Secret password) {
        return password == null ? () -> "" : password::current;
    }

    private static Who who(ClickHouseConfig clickhouse) {
        var token = clickhouse.token();
        return token == null
                ? new Who.User(clickhouse.user(), password(clickhouse.password()))
                : new Who.Bearer(token::current);
    }

    static List<VerdictOverride> verdicts(ClickHouseConfig clickhouse) {
        return clickhouse.verdicts().stream()
                .map(verdict -> new VerdictOverride(
                        verdict.code(),
                        verdict.text(),
                        switch (verdict.word()) {
                            case ROWS -> VerdictOverride.Blames.ROWS;
                            case SIZE -> VerdictOverride.Blames.SIZE;
                            case REPLICA -> VerdictOverride.Blames.REPLICA;
                            case OVERLOAD -> VerdictOverride.Blames.OVERLOAD;
                            case WAIT -> VerdictOverride.Blames.WAIT;
                            case SETTINGS -> VerdictOverride.Blames.SETTINGS;
                        }))
                .toList();
    }

    private static Tls tls(ClientTls tls) {
        return new Tls(tls.caFile(), tls.certFile(), tls.keyFile());
    }

    static HttpSettings http(PipelineConfig config, SinkConfig sink, HttpConfig http) {
        var type = http.contentType();
        var headers = new TreeMap<String, dev.millrace.httpclient.Secret>();
        http.headers().forEach((name, value) -> headers.put(name, value::current));
        return new HttpSettings(
                config.name(),
                new HttpSettings.Request(
                        switch (http.method()) {
                            case POST -> HttpSettings.Method.POST;
                            case PUT -> HttpSettings.Method.PUT;
                        },
                        type != null
                                ? type
                                : switch (config.format()) {
                                    case FormatConfig.Json _ -> "application/x-ndjson";
                                    case FormatConfig.Raw _ -> "application/octet-stream";
                                },
                        switch (http.compression()) {
                            case NONE -> Compression.NONE;
                            case GZIP -> Compression.GZIP;
                            case LZ4 -> Compression.LZ4;
                            case ZSTD -> Compression.ZSTD;
                        },
                        http.tokenHeader(),
                        headers),
                who(http),
                tls(http.tls()),
                new HttpSettings.Memory(http.remembers(), http.rememberedBy() == HttpConfig.RememberedBy.SHARD),
                http.pingPath(),
                longestConnect(sink));
    }

    private static Who who(HttpConfig http) {
        var token = http.bearerToken();
        if (token != null) return new Who.Bearer(token::current);
        var user = http.user();
        return user == null ? new Who.Nobody() : new Who.User(user, password(http.password()));
    }

    private static Duration longestConnect(SinkConfig sink) {
        return min(LONGEST_CONNECT, sink.writeTimeout().dividedBy(2));
    }

    /// Where rows of a sink go, lanes and all.
    static Router router(RouteConfig route, SinkConfig sink) {
        var shards = router(route, sink.shards().size());
        var lanes = sink.ordering().lanes();
        return lanes == 1 ? shards : new KeyLanes(shards, lanes);
    }

    static Router router(RouteConfig route, int shards) {
        return switch (route.key()) {
            case KAFKA_KEY -> new KeyRouter(shards);
            case PARTITION -> new PartitionRouter(shards);
        };
    }

    static List<URI> endpoints(ShardConfig shard) {
        return shard.endpoints().stream().map(Wiring::uri).toList();
    }

    private static URI uri(Endpoint endpoint) {
        return switch (endpoint) {
            case Endpoint.Postgres postgres -> URI.create(postgres.toString());
            case Endpoint.Http http -> URI.create(http.toString());
            case Endpoint.Receiver receiver -> URI.create(receiver.toString());
            case Endpoint.Blackhole(var name) -> URI.create(name);
        };
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }
}
