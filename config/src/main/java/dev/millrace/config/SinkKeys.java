package dev.millrace.config;

import dev.millrace.config.ChoiceType.Choice;
import dev.millrace.config.Key.NamedSections;
import dev.millrace.config.Key.Section;
import dev.millrace.config.Key.Setting;
import dev.millrace.config.PostgresConfig.OnConflict;
import dev.millrace.config.PostgresConfig.TableName;
import dev.millrace.config.PostgresConfig.UnknownFields;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// The keys below one name in `sinks`, but for its breaker's.
final class SinkKeys {
    static final Setting<List<String>> TOPICS = Setting.of(
                    "topics", new ListType<>(WordType.topic(), "[orders, payments]"), "what it takes")
            .leftOut("all of source.kafka.topics");

    static final Setting<Boolean> ADVISORY = Setting.of(
                    "advisory",
                    new FlagType(),
                    "nothing waits for it; it gets each batch once, of rows that every other sink has")
            .byDefault("false");

    static final Setting<TableName> TABLE = Setting.of(
                    "table",
                    new WordType<>("a table", "table or schema.table, each " + Names.IDENTIFIER_RULE, TableName::parse),
                    "where rows go")
            .needed();
    static final Setting<String> USER =
            Setting.of("user", WordType.line("a user"), "who writes").needed();
    static final Setting<Secret> PASSWORD =
            Setting.of("password", new SecretType(), "the user's password").needed();
    static final Setting<OnConflict> ON_CONFLICT = Setting.of(
                    "on_conflict", ChoiceType.of(OnConflict.class), "what a row that is there already does")
            .byDefault("error");
    static final Setting<UnknownFields> UNKNOWN_FIELDS = Setting.of(
                    "unknown_fields", ChoiceType.of(UnknownFields.class), "what a field without a column does")
            .byDefault("refuse")
            .when(new Applies.InFormat(SourceKeys.JSON));
    static final Setting<String> RAW_COLUMN = Setting.of(
                    "raw_column", WordType.identifier("a column"), "the column of the whole value")
            .leftOut("required with format raw")
            .when(new Applies.InFormat(SourceKeys.RAW));
    static final Setting<TlsMode> TLS_MODE = Setting.of("mode", TlsMode.TYPE, "whether connections are encrypted")
            .byDefault("off");
    static final Setting<Path> CA_FILE = Setting.of(
                    "ca_file", WordType.absolutePath("a path"), "the authorities to trust, PEM")
            .leftOut("required with mode verify-full")
            .when(new Applies.WithWord(TLS_MODE, "verify-full"));
    static final Section TLS = Section.of("tls", "encryption of connections", TLS_MODE, CA_FILE);
    static final Section POSTGRES = Section.of(
            "postgres",
            "a PostgreSQL table",
            TABLE,
            USER,
            PASSWORD,
            ON_CONFLICT,
            UNKNOWN_FIELDS,
            RAW_COLUMN,
            SourceKeys.ALLOW_PLAINTEXT,
            TLS);
    static final Section BLACKHOLE = Section.of("blackhole", "accepts everything and keeps nothing");

    static final Setting<List<ShardsType.Shard>> SHARDS = Setting.of(
                    "shards", new ShardsType(), "slices of the data, each with its replicas' endpoints")
            .leftOut("one shard, s0, with blackhole; required with every other kind");

    static final Setting<Integer> MAX_ROWS = Setting.of(
                    "max_rows", CountType.between(1, 10_000_000), "rows at which a batch is sealed")
            .byDefault("500000");
    static final Setting<Long> MAX_BYTES = Setting.of(
                    "max_bytes", SizeType.between("1KiB", "1GiB"), "bytes at which a batch is sealed")
            .byDefault("64MiB");
    static final Setting<Duration> LINGER = Setting.of(
                    "linger",
                    DurationType.between("1ms", "10m"),
                    "longest an open batch waits, from the poll of its first row")
            .byDefault("2s");
    static final Setting<Integer> MAX_CUTS = Setting.of(
                    "max_cuts",
                    CountType.between(1, 10_000),
                    "inserts per second and shard with effectively_once; above it the linger is stretched")
            .byDefault("4");
    static final Section BATCH = Section.of("batch", "rows written together", MAX_ROWS, MAX_BYTES, LINGER, MAX_CUTS);

    static final Setting<Long> TARGET_BYTES = Setting.of(
                    "target_bytes", SizeType.between("1KiB", "16MiB"), "bytes at which a chunk is handed over")
            .byDefault("128KiB");
    static final Setting<Duration> CHUNK_LINGER = Setting.of(
                    "linger", DurationType.between("1ms", "10s"), "longest a chunk waits to be handed over")
            .byDefault("20ms");
    static final Section CHUNK = Section.of("chunk", "encoded rows of one partition", TARGET_BYTES, CHUNK_LINGER);

    static final Setting<Boolean> ORDERING = Setting.of(
                    "ordering",
                    new ChoiceType<Boolean>(
                            List.of(new Choice.Built<>("none", false), new Choice.Built<>("key", true))),
                    "which order rows keep on their way into a shard: none, or that of each key")
            .byDefault("none");
    static final Setting<Integer> LANES = Setting.of(
                    "lanes",
                    CountType.between(1, 64),
                    "ordered streams of a shard that its keys are spread over, each with one write at a time")
            .byDefault("4")
            .when(new Applies.WithWord(ORDERING, "key"));

    static final Setting<Integer> MAX_PER_SHARD = Setting.of(
                    "max_per_shard", CountType.between(1, 64), "batches of a shard on their way at once")
            .byDefault("2");
    static final Setting<Integer> MAX_TOTAL = Setting.of(
                    "max_total",
                    CountType.between(1, 65_536).orUnlimited(),
                    "writes that all shards of the sink have at once, all together")
            .byDefault("unlimited");
    static final Section INFLIGHT = Section.of("inflight", "batches on their way", MAX_PER_SHARD, MAX_TOTAL);

    static final Setting<Duration> WRITE_TIMEOUT = Setting.of(
                    "timeout", DurationType.between("100ms", "1h"), "longest one attempt may take")
            .byDefault("30s");
    static final Section WRITE = Section.of("write", "one attempt", WRITE_TIMEOUT);

    static final Setting<Duration> RETRY_INITIAL = Setting.of(
                    "initial", DurationType.between("1ms", "1m"), "wait after the first failure")
            .byDefault("100ms");
    static final Setting<Duration> RETRY_MAX = Setting.of("max", DurationType.between("1ms", "10m"), "longest wait")
            .byDefault("10s");
    static final Setting<Double> MULTIPLIER = Setting.of(
                    "multiplier", new DecimalType(1, 10), "by which each wait grows")
            .byDefault("2.0");
    static final Setting<Double> JITTER = Setting.of(
                    "jitter", new DecimalType(0, 1), "part of a wait that is left to chance")
            .byDefault("0.2");
    static final Setting<Integer> MAX_ATTEMPTS = Setting.of(
                    "max_attempts",
                    CountType.between(1, 1_000_000).orUnlimited(),
                    "attempts before a batch's ranges fail")
            .byDefault("unlimited");
    static final Section RETRY =
            Section.of("retry", "waits between attempts", RETRY_INITIAL, RETRY_MAX, MULTIPLIER, JITTER, MAX_ATTEMPTS);

    static final Setting<Duration> PIN_FOR = Setting.of(
                    "pin_for",
                    DurationType.between("0s", "168h"),
                    "how long a batch waits for the one replica that may have stored it")
            .byDefault("10m");
    static final Setting<AmbiguousConfig.Then> THEN = Setting.of(
                    "then",
                    ChoiceType.of(AmbiguousConfig.Then.class),
                    "after that it waits on, or goes to any replica and counts as possible duplicates")
            .byDefault("wait");
    static final Section AMBIGUOUS =
            Section.of("ambiguous", "unknown outcomes, where replicas share no deduplication log", PIN_FOR, THEN);

    static final NamedSections SINKS = new NamedSections(
            "sinks",
            "where rows go",
            Section.of(
                            "sink",
                            "one place rows go to",
                            TOPICS,
                            ADVISORY,
                            POSTGRES,
                            BLACKHOLE,
                            ClickHouseKeys.CLICKHOUSE,
                            HttpKeys.HTTP,
                            SHARDS,
                            BATCH,
                            CHUNK,
                            ORDERING,
                            LANES,
                            INFLIGHT,
                            WRITE,
                            RETRY,
                            BreakerKeys.BREAKER,
                            AMBIGUOUS)
                    .withOneOf(POSTGRES, ClickHouseKeys.CLICKHOUSE, HttpKeys.HTTP, BLACKHOLE));

    private SinkKeys() {}

    /// Also of one whose `advisory` has a problem of its own.
    static boolean advisory(Values sink) {
        return Boolean.TRUE.equals(sink.orNull(ADVISORY));
    }

    /// How a connection is encrypted, before the file of authorities is looked at.
    enum TlsMode {
        OFF,
        VERIFY_FULL;

        static final ChoiceType<TlsMode> TYPE = new ChoiceType<>(
                List.of(new Choice.Built<>("off", OFF), new Choice.Built<>("verify-full", VERIFY_FULL)));
    }
}
