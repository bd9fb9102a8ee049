package dev.millrace.config;

import dev.millrace.config.Key.Section;
import dev.millrace.config.Key.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;

/// The file's root, and the keys of the process: poison, checkpoint, admission, drain, admin, metrics, logging.
final class PipelineKeys {
    static final Setting<String> NAME = Setting.of(
                    "name", WordType.name(), "label on every metric, part of every token")
            .needed();
    static final Section PIPELINE =
            Section.of("pipeline", "which pipeline this is", NAME).needed();

    static final Setting<Delivery> DELIVERY = Setting.of(
                    "delivery",
                    ChoiceType.of(Delivery.class),
                    "what is promised of a row: at_least_once merges partitions into fewer, larger batches")
            .byDefault("effectively_once");
    static final Setting<RequiredLevel> REQUIRE = Setting.of(
                    "require", RequiredLevel.type(), "the level of delivery below which it refuses to start")
            .byDefault("none");
    static final Setting<Integer> TOKEN_EPOCH = Setting.of(
                    "token_epoch",
                    CountType.between(1, 1_000_000_000),
                    "part of every token; raise it to ingest the same offsets again on purpose")
            .byDefault("1");
    static final Setting<OnConfigChange> ON_CONFIG_CHANGE = Setting.of(
                    "on_config_change",
                    ChoiceType.of(OnConfigChange.class),
                    "what segments do that are open under an older routing; replan may store their rows twice, and counts them")
            .byDefault("halt");
    static final Setting<OnExpiredToken> ON_EXPIRED_TOKEN = Setting.of(
                    "on_expired_token",
                    ChoiceType.of(OnExpiredToken.class),
                    "what a batch does that is older than the sink's deduplication window and can't be read back;"
                            + " resend may store its rows twice, and counts them")
            .byDefault("halt");

    static final Setting<PoisonConfig.Action> ACTION = Setting.of(
                    "action",
                    ChoiceType.of(PoisonConfig.Action.class),
                    "what happens to a row that is refused for its data")
            .byDefault("dead_letter");
    static final Setting<String> DEAD_LETTER_TOPIC = Setting.of("topic", WordType.topic(), "where dead letters go")
            .leftOut("pipeline.name and .dead")
            .when(new Applies.WithWord(ACTION, "dead_letter"));
    static final Setting<PoisonConfig.SingleRow> SINGLE_ROW = Setting.of(
                    "single_row",
                    ChoiceType.of(PoisonConfig.SingleRow.class),
                    "what a refused batch of one row does, without a sibling to judge by")
            .byDefault("wait");
    static final Setting<Double> MAX_RATE = Setting.of(
                    "max_rate",
                    new PercentType(0, 100),
                    "share of poison above which it is schema drift, and the shard holds")
            .byDefault("1%");
    static final Setting<Duration> EVIDENCE = Setting.of(
                    "evidence",
                    DurationType.between("1s", "24h"),
                    "how long other rows that a shard took speak against a refused one")
            .byDefault("10m");
    static final Setting<Integer> POISON_ATTEMPTS = Setting.of(
                    "attempts", CountType.between(1, 100), "refusals of a row alone before it is judged")
            .byDefault("1");
    static final Section POISON = Section.of(
            "poison",
            "rows that cannot be written",
            ACTION,
            DEAD_LETTER_TOPIC,
            SINGLE_ROW,
            MAX_RATE,
            EVIDENCE,
            POISON_ATTEMPTS);

    static final Setting<Duration> INTERVAL = Setting.of(
                    "interval", DurationType.between("100ms", "10m"), "between commits of progress")
            .byDefault("5s");
    static final Setting<Integer> MAX_OPEN_SEGMENTS = Setting.of(
                    "max_open_segments",
                    CountType.between(1, 64),
                    "segments of a partition that are planned and not done")
            .byDefault("8");
    static final Setting<Integer> METADATA_LIMIT = Setting.of(
                    "metadata_limit",
                    CountType.between(1024, 65_536),
                    "characters of the plan in a committed entry; at most the broker's offset.metadata.max.bytes")
            .byDefault("4096");
    static final Setting<Integer> MAX_PENDING = Setting.of(
                    "max_pending", CountType.between(1, 1_000_000), "polled ranges per partition above the watermark")
            .byDefault("1024");
    static final Setting<Duration> STALLED_FAIL_AFTER = Setting.of(
                    "stalled_fail_after",
                    DurationType.between("1s", "24h"),
                    "how long a failed range may stall its partition before the process ends")
            .byDefault("2m");
    static final Section CHECKPOINT = Section.of(
            "checkpoint",
            "what is committed, and when",
            INTERVAL,
            MAX_OPEN_SEGMENTS,
            METADATA_LIMIT,
            MAX_PENDING,
            STALLED_FAIL_AFTER);

    static final Setting<Long> BUDGET_BYTES = Setting.of(
                    "max_bytes", SizeType.between("64KiB", "1024GiB"), "bytes in flight")
            .byDefault("1GiB");
    static final Setting<Integer> BUDGET_ROWS = Setting.of(
                    "max_rows", CountType.between(1, 1_000_000_000), "rows in flight")
            .byDefault("5000000");
    static final Setting<Double> RESUME_BELOW = Setting.of(
                    "resume_below", new PercentType(1, 95), "part of the budget below which polling goes on")
            .byDefault("60%");
    static final Section ADMISSION =
            Section.of("admission", "the budget of what is in flight", BUDGET_BYTES, BUDGET_ROWS, RESUME_BELOW);

    static final Setting<Duration> DRAIN_TIMEOUT = Setting.of(
                    "timeout", DurationType.between("0s", "1h"), "how long a stop may take")
            .byDefault("25s");
    static final Setting<DrainConfig.Report> REPORT = Setting.of(
                    "report",
                    new WordType<>(
                            "a report's target", "stdout, or a path with a /, such as ./report.json", Targets::report),
                    "where the report of a stop goes")
            .byDefault("stdout");
    static final Section DRAIN = Section.of("drain", "an orderly stop", DRAIN_TIMEOUT, REPORT);

    static final Setting<AdminConfig> LISTEN = Setting.of(
                    "listen",
                    new WordType<>(
                            "an address to listen on",
                            "host:port, such as 127.0.0.1:9090 (port 0: any free one), or none",
                            Targets::admin),
                    "where metrics, health, status and the page are served")
            .byDefault("127.0.0.1:9090");
    static final Setting<Path> TOKEN_FILE = Setting.of(
                    "token_file",
                    WordType.absolutePath("a path", "/run/secrets/millrace-admin"),
                    "a file with the token, 16 characters or more, that allows pause, resume, drain, quarantine and release; read again for each")
            .leftOut("nobody may do any of these");
    static final Setting<List<String>> HOSTS = Setting.of(
                    "hosts",
                    new ListType<>(WordType.host(), "[millrace, millrace.example.net]"),
                    "names it is asked by from other machines")
            .leftOut("only addresses, and the name in listen");
    static final Setting<AdminConfig.Readers> READERS = Setting.of(
                    "readers",
                    ChoiceType.of(AdminConfig.Readers.class),
                    "who may read more than health and metrics: anyone who reaches the address, or who has the token of token_file, in a browser as the password of any user")
            .byDefault("anyone");
    static final Section ADMIN =
            Section.of("admin", "the page, metrics, health, and who may act", LISTEN, TOKEN_FILE, HOSTS, READERS);

    static final Setting<Endpoint.Receiver> OTLP = Setting.of(
                    "otlp",
                    new WordType<>(
                            "an address to push to",
                            "http:// or https://host:port/path, such as http://127.0.0.1:4318/v1/metrics",
                            Endpoint.Receiver::parse),
                    "where metrics are pushed to by OpenTelemetry's protocol over HTTP")
            .leftOut("nothing is pushed");
    static final Setting<Duration> OTLP_INTERVAL = Setting.of(
                    "otlp_interval", DurationType.between("1s", "1h"), "between two pushes")
            .byDefault("1m")
            .when(new Applies.With(OTLP));
    static final Setting<SortedMap<String, Secret>> OTLP_HEADERS = Setting.of(
                    "otlp_headers", new HeadersType(), "sent with each push, such as a token of the collector")
            .leftOut("none")
            .when(new Applies.With(OTLP));
    static final Section METRICS = Section.of(
            "metrics",
            "metrics that are pushed, beside /metrics",
            OTLP,
            OTLP_INTERVAL,
            OTLP_HEADERS,
            SourceKeys.ALLOW_PLAINTEXT);

    static final Setting<LoggingConfig.Format> LOG_FORMAT = Setting.of(
                    "format", ChoiceType.of(LoggingConfig.Format.class), "how a line looks")
            .byDefault("text");
    static final Setting<LoggingConfig.Level> LOG_LEVEL = Setting.of(
                    "level", ChoiceType.of(LoggingConfig.Level.class), "which lines are written")
            .byDefault("info");
    static final Section LOGGING = Section.of("logging", "log lines, on stderr", LOG_FORMAT, LOG_LEVEL);

    static final Section ROOT = Section.of(
            "file",
            "one pipeline",
            PIPELINE,
            SourceKeys.SOURCE,
            SourceKeys.FORMAT,
            SourceKeys.ROUTE,
            DELIVERY,
            REQUIRE,
            TOKEN_EPOCH,
            SinkKeys.SINKS,
            POISON,
            ON_CONFIG_CHANGE,
            ON_EXPIRED_TOKEN,
            CHECKPOINT,
            ADMISSION,
            DRAIN,
            ADMIN,
            METRICS,
            LOGGING);

    private PipelineKeys() {}
}
