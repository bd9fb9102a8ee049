package dev.millrace.config;

import dev.millrace.config.ClickHouseConfig.Coordinate;
import dev.millrace.config.SinkKeys.TlsMode;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Makes the records of a file that has no problems.
record Assembly(Values root) {

    PipelineConfig pipeline() {
        return new PipelineConfig(
                root.get(PipelineKeys.PIPELINE).get(PipelineKeys.NAME),
                source(root.get(SourceKeys.SOURCE)),
                format(root.get(SourceKeys.FORMAT)),
                new RouteConfig(
                        root.get(SourceKeys.ROUTE).get(SourceKeys.ROUTE_KEY),
                        root.get(SourceKeys.ROUTE).get(SourceKeys.ROUTE_HASH)),
                root.get(PipelineKeys.DELIVERY),
                root.get(PipelineKeys.REQUIRE),
                root.get(PipelineKeys.TOKEN_EPOCH),
                root.get(SinkKeys.SINKS).stream().map(this::sink).toList(),
                poison(root.get(PipelineKeys.POISON)),
                root.get(PipelineKeys.ON_CONFIG_CHANGE),
                root.get(PipelineKeys.ON_EXPIRED_TOKEN),
                checkpoint(root.get(PipelineKeys.CHECKPOINT)),
                admission(root.get(PipelineKeys.ADMISSION)),
                new DrainConfig(
                        root.get(PipelineKeys.DRAIN).get(PipelineKeys.DRAIN_TIMEOUT),
                        root.get(PipelineKeys.DRAIN).get(PipelineKeys.REPORT)),
                admin(root.get(PipelineKeys.ADMIN)),
                metrics(root.get(PipelineKeys.METRICS)),
                new LoggingConfig(
                        root.get(PipelineKeys.LOGGING).get(PipelineKeys.LOG_FORMAT),
                        root.get(PipelineKeys.LOGGING).get(PipelineKeys.LOG_LEVEL)));
    }

    private static AdminConfig admin(Values admin) {
        var hosts = admin.orNull(PipelineKeys.HOSTS);
        return switch (admin.get(PipelineKeys.LISTEN)) {
            case AdminConfig.Off off -> off;
            case AdminConfig.Listening listening ->
                listening.with(
                        admin.orNull(PipelineKeys.TOKEN_FILE),
                        hosts == null ? List.of() : hosts,
                        admin.get(PipelineKeys.READERS));
        };
    }

    private static MetricsConfig metrics(Values metrics) {
        var headers = metrics.orNull(PipelineKeys.OTLP_HEADERS);
        return new MetricsConfig(
                metrics.orNull(PipelineKeys.OTLP),
                metrics.get(PipelineKeys.OTLP_INTERVAL),
                headers == null ? Collections.emptySortedMap() : headers);
    }

    private static SourceConfig source(Values source) {
        var http = source.get(IntakeKeys.HTTP);
        return http.present() ? intake(http) : kafka(source.get(SourceKeys.KAFKA));
    }

    private static HttpSourceConfig intake(Values http) {
        var tls = http.get(IntakeKeys.TLS);
        return new HttpSourceConfig(
                http.get(IntakeKeys.LISTEN),
                new Topics.Listed(http.get(IntakeKeys.TOPICS)),
                http.get(IntakeKeys.MAX_BODY),
                http.get(IntakeKeys.MAX_REQUESTS),
                http.get(IntakeKeys.WAIT_TIMEOUT),
                http.orNull(IntakeKeys.TOKEN_FILE),
                tls.present()
                        ? new HttpSourceConfig.ServerTls(tls.get(IntakeKeys.CERT_FILE), tls.get(IntakeKeys.KEY_FILE))
                        : null);
    }

    private static KafkaSourceConfig kafka(Values kafka) {
        var given = kafka.orNull(SourceKeys.PROPERTIES);
        var properties = given == null ? KafkaProperties.NONE : given;
        var skip = kafka.orNull(SourceKeys.SKIP);
        var login = login(kafka.get(SourceKeys.LOGIN));
        return new KafkaSourceConfig(
                kafka.get(SourceKeys.BOOTSTRAP_SERVERS),
                kafka.get(SourceKeys.TOPICS),
                kafka.get(SourceKeys.GROUP_ID),
                kafka.get(SourceKeys.CONSUMERS),
                kafka.get(SourceKeys.ON_NO_OFFSET),
                kafka.get(SourceKeys.ON_LOST_OFFSET),
                skip == null ? List.of() : skip,
                kafka.get(SourceKeys.STARTUP_TIMEOUT),
                kafka.get(SourceKeys.REBALANCE).get(SourceKeys.DRAIN_TIMEOUT),
                kafka.get(SourceKeys.GROUP_PROTOCOL),
                login,
                login == null ? properties : login.with(properties));
    }

    private static @Nullable KafkaLogin login(Values login) {
        return login.present()
                ? new KafkaLogin(
                        login.get(SourceKeys.MECHANISM),
                        login.get(SourceKeys.LOGIN_USER),
                        login.get(SourceKeys.LOGIN_PASSWORD))
                : null;
    }

    private static FormatConfig format(Values format) {
        var raw = format.get(SourceKeys.RAW);
        return raw.present()
                ? new FormatConfig.Raw(raw.get(SourceKeys.RAW_TOMBSTONE))
                : new FormatConfig.Json(format.get(SourceKeys.JSON).get(SourceKeys.JSON_TOMBSTONE));
    }

    private SinkConfig sink(Values.Named named) {
        var sink = named.values();
        var batch = sink.get(SinkKeys.BATCH);
        var chunk = sink.get(SinkKeys.CHUNK);
        var retry = sink.get(SinkKeys.RETRY);
        var ambiguous = sink.get(SinkKeys.AMBIGUOUS);
        var topics = sink.orNull(SinkKeys.TOPICS);
        return new SinkConfig(
                named.name(),
                topics == null ? source(root.get(SourceKeys.SOURCE)).topics() : new Topics.Listed(topics),
                sink.get(SinkKeys.ADVISORY),
                kind(sink),
                ShardChecks.shards(sink),
                new BatchConfig(
                        batch.get(SinkKeys.MAX_ROWS),
                        batch.get(SinkKeys.MAX_BYTES),
                        batch.get(SinkKeys.LINGER),
                        batch.get(SinkKeys.MAX_CUTS)),
                new ChunkConfig(Math.toIntExact(chunk.get(SinkKeys.TARGET_BYTES)), chunk.get(SinkKeys.CHUNK_LINGER)),
                sink.get(SinkKeys.ORDERING)
                        ? new OrderingConfig(true, sink.get(SinkKeys.LANES))
                        : new OrderingConfig(false, 1),
                new InflightConfig(
                        sink.get(SinkKeys.INFLIGHT).get(SinkKeys.MAX_PER_SHARD),
                        sink.get(SinkKeys.INFLIGHT).get(SinkKeys.MAX_TOTAL)),
                sink.get(SinkKeys.WRITE).get(SinkKeys.WRITE_TIMEOUT),
                new RetryConfig(
                        retry.get(SinkKeys.RETRY_INITIAL),
                        retry.get(SinkKeys.RETRY_MAX),
                        retry.get(SinkKeys.MULTIPLIER),
                        retry.get(SinkKeys.JITTER),
                        retry.get(SinkKeys.MAX_ATTEMPTS)),
                breaker(sink.get(BreakerKeys.BREAKER)),
                new AmbiguousConfig(ambiguous.get(SinkKeys.PIN_FOR), ambiguous.get(SinkKeys.THEN)));
    }

    private static SinkKind kind(Values sink) {
        var postgres = sink.get(SinkKeys.POSTGRES);
        if (postgres.present()) return postgres(postgres);
        var clickhouse = sink.get(ClickHouseKeys.CLICKHOUSE);
        if (clickhouse.present()) return clickhouse(clickhouse);
        var http = sink.get(HttpKeys.HTTP);
        return http.present() ? http(http) : new BlackholeConfig();
    }

    private static HttpConfig http(Values http) {
        var headers = http.orNull(HttpKeys.HEADERS);
        return new HttpConfig(
                http.get(HttpKeys.METHOD),
                http.orNull(HttpKeys.CONTENT_TYPE),
                http.get(HttpKeys.COMPRESSION),
                http.get(HttpKeys.TOKEN_HEADER),
                headers == null ? Collections.emptySortedMap() : headers,
                http.orNull(HttpKeys.USER),
                http.orNull(HttpKeys.PASSWORD),
                http.orNull(HttpKeys.BEARER_TOKEN),
                http.orNull(HttpKeys.REMEMBERS),
                http.get(HttpKeys.REMEMBERED_BY),
                http.orNull(HttpKeys.PING_PATH),
                tls(http.get(ClickHouseKeys.TLS)));
    }

    private static ClientTls tls(Values tls) {
        return new ClientTls(
                tls.orNull(ClickHouseKeys.CA_FILE),
                tls.orNull(ClickHouseKeys.CERT_FILE),
                tls.orNull(ClickHouseKeys.KEY_FILE));
    }

    private static ClickHouseConfig clickhouse(Values clickhouse) {
        var settings = clickhouse.orNull(ClickHouseKeys.SETTINGS);
        var user = clickhouse.orNull(ClickHouseKeys.USER);
        var verdicts = clickhouse.orNull(ClickHouseKeys.VERDICTS);
        return new ClickHouseConfig(
                clickhouse.get(ClickHouseKeys.DATABASE),
                clickhouse.get(ClickHouseKeys.TABLE),
                user == null ? "" : user,
                clickhouse.orNull(ClickHouseKeys.PASSWORD),
                clickhouse.orNull(ClickHouseKeys.TOKEN),
                clickhouse.get(ClickHouseKeys.FORMAT),
                clickhouse.get(ClickHouseKeys.COMPRESSION),
                clickhouse.get(ClickHouseKeys.UNKNOWN_FIELDS),
                coordinates(clickhouse.get(ClickHouseKeys.COORDINATES)),
                tls(clickhouse.get(ClickHouseKeys.TLS)),
                settings == null ? Collections.emptySortedMap() : settings,
                verdicts == null ? List.of() : verdicts);
    }

    private static SortedMap<Coordinate, String> coordinates(Values coordinates) {
        var all = new TreeMap<Coordinate, String>();
        ClickHouseKeys.COORDINATES_BY_PART.forEach((part, setting) -> {
            var column = coordinates.orNull(setting);
            if (column != null) all.put(part, column);
        });
        return all;
    }

    private static PostgresConfig postgres(Values postgres) {
        var tls = postgres.get(SinkKeys.TLS);
        return new PostgresConfig(
                postgres.get(SinkKeys.TABLE),
                postgres.get(SinkKeys.USER),
                postgres.get(SinkKeys.PASSWORD),
                postgres.get(SinkKeys.ON_CONFLICT),
                postgres.get(SinkKeys.UNKNOWN_FIELDS),
                postgres.orNull(SinkKeys.RAW_COLUMN),
                tls.get(SinkKeys.TLS_MODE) == TlsMode.OFF
                        ? new PostgresConfig.Tls.Off()
                        : new PostgresConfig.Tls.VerifyFull(tls.get(SinkKeys.CA_FILE)));
    }

    private static BreakerConfig breaker(Values breaker) {
        var rate = breaker.orNull(BreakerKeys.FAILURE_RATE);
        int failures = rate == null ? breaker.get(BreakerKeys.FAILURES) : 0;
        var slow = breaker.get(BreakerKeys.SLOW_CALL);
        return new BreakerConfig(
                rate == null ? failures : breaker.get(BreakerKeys.WINDOW),
                rate == null ? failures : breaker.get(BreakerKeys.MIN_CALLS),
                rate == null ? 100 : rate,
                slow.get(BreakerKeys.LONGER_THAN),
                slow.get(BreakerKeys.SLOW_RATE),
                breaker.get(BreakerKeys.OPEN_FOR),
                breaker.get(BreakerKeys.OPEN_FOR_MAX),
                breaker.get(BreakerKeys.HALF_OPEN_PROBES),
                breaker.get(BreakerKeys.PROBE_TIMEOUT));
    }

    private PoisonConfig poison(Values poison) {
        var topic = poison.orNull(PipelineKeys.DEAD_LETTER_TOPIC);
        return new PoisonConfig(
                poison.get(PipelineKeys.ACTION),
                topic == null
                        ? PoisonConfig.defaultTopic(
                                root.get(PipelineKeys.PIPELINE).get(PipelineKeys.NAME))
                        : topic,
                poison.get(PipelineKeys.SINGLE_ROW),
                poison.get(PipelineKeys.MAX_RATE),
                poison.get(PipelineKeys.EVIDENCE),
                poison.get(PipelineKeys.POISON_ATTEMPTS));
    }

    private static CheckpointConfig checkpoint(Values checkpoint) {
        return new CheckpointConfig(
                checkpoint.get(PipelineKeys.INTERVAL),
                checkpoint.get(PipelineKeys.MAX_OPEN_SEGMENTS),
                checkpoint.get(PipelineKeys.METADATA_LIMIT),
                checkpoint.get(PipelineKeys.MAX_PENDING),
                checkpoint.get(PipelineKeys.STALLED_FAIL_AFTER));
    }

    private static AdmissionConfig admission(Values admission) {
        return new AdmissionConfig(
                admission.get(PipelineKeys.BUDGET_BYTES),
                admission.get(PipelineKeys.BUDGET_ROWS),
                admission.get(PipelineKeys.RESUME_BELOW));
    }
}
