package dev.millrace.config;

import dev.millrace.config.FormatConfig.OnTombstone;
import dev.millrace.config.KafkaSourceConfig.GroupProtocol;
import dev.millrace.config.KafkaSourceConfig.OnLostOffset;
import dev.millrace.config.KafkaSourceConfig.OnNoOffset;
import dev.millrace.config.Key.Section;
import dev.millrace.config.Key.Setting;
import dev.millrace.config.Key.Unbuilt;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/// The keys of `source`, `format` and `route`.
final class SourceKeys {
    static final Setting<List<HostPort>> BOOTSTRAP_SERVERS = Setting.of(
                    "bootstrap_servers", WordType.brokers(), "brokers to begin with")
            .needed();
    static final Setting<Topics> TOPICS =
            Setting.of("topics", new TopicsType(), "what is read").needed();
    static final Setting<String> GROUP_ID = Setting.of("group_id", WordType.line("a group id"), "the consumer group")
            .needed();
    static final Setting<Integer> CONSUMERS = Setting.of(
                    "consumers", CountType.between(1, 64), "group members in this process, one thread each")
            .byDefault("1");
    static final Setting<OnNoOffset> ON_NO_OFFSET = Setting.of(
                    "on_no_offset", ChoiceType.of(OnNoOffset.class), "where a group that has no offset at all begins")
            .byDefault("fail");
    static final Setting<OnLostOffset> ON_LOST_OFFSET = Setting.of(
                    "on_lost_offset",
                    ChoiceType.of(OnLostOffset.class),
                    "what to do when retention or truncation took the committed offset")
            .byDefault("halt");
    static final Setting<List<SkippedOffsets>> SKIP = Setting.of(
                    "skip",
                    new ListType<>(
                            new WordType<>("a record's place", SkippedOffsets.RULE, SkippedOffsets::parse),
                            "[orders-3@200]"),
                    "records that are left unread for good: one that does not fit into memory;"
                            + " while any is named, polls take one record at a time")
            .leftOut("none");
    static final Setting<Duration> STARTUP_TIMEOUT = Setting.of(
                    "startup_timeout", DurationType.between("1s", "1h"), "longest wait for a broker at start")
            .byDefault("60s");
    static final Setting<Duration> DRAIN_TIMEOUT = Setting.of(
                    "drain_timeout",
                    DurationType.between("0s", "2m"),
                    "longest wait for what revoked partitions have in flight")
            .byDefault("5s");
    static final Section REBALANCE = Section.of("rebalance", "when partitions are taken away", DRAIN_TIMEOUT);
    static final Setting<GroupProtocol> GROUP_PROTOCOL = Setting.of(
                    "group_protocol",
                    ChoiceType.of(GroupProtocol.class),
                    "how the group agrees on who reads what: classic is cooperative, consumer is KIP-848")
            .byDefault("classic");
    static final Setting<KafkaLogin.Mechanism> MECHANISM = Setting.of(
                    "mechanism",
                    new ChoiceType<>(Arrays.stream(KafkaLogin.Mechanism.values())
                            .<ChoiceType.Choice<KafkaLogin.Mechanism>>map(
                                    one -> new ChoiceType.Choice.Built<>(one.word(), one))
                            .toList()),
                    "how the password is shown: PLAIN sends it, the others prove that it is known")
            .needed();
    static final Setting<String> LOGIN_USER =
            Setting.of("user", WordType.line("a user"), "who logs in").needed();
    static final Setting<Secret> LOGIN_PASSWORD =
            Setting.of("password", new SecretType(), "the user's password").needed();
    static final Section LOGIN = Section.of(
            "login",
            "a login to the brokers by user and password (SASL), encrypted unless properties say otherwise",
            MECHANISM,
            LOGIN_USER,
            LOGIN_PASSWORD);

    /// The same in every section that may send a secret.
    static final Setting<Boolean> ALLOW_PLAINTEXT = PlaintextChecks.ALLOW;
    static final Setting<KafkaProperties> PROPERTIES = Setting.of(
                    "properties", new KafkaPropertiesType(), "passed to kafka-clients, checked")
            .leftOut("none");
    static final Section KAFKA = Section.of(
            "kafka",
            "a Kafka cluster",
            BOOTSTRAP_SERVERS,
            TOPICS,
            GROUP_ID,
            CONSUMERS,
            ON_NO_OFFSET,
            ON_LOST_OFFSET,
            SKIP,
            STARTUP_TIMEOUT,
            REBALANCE,
            GROUP_PROTOCOL,
            LOGIN,
            ALLOW_PLAINTEXT,
            PROPERTIES);
    static final Section SOURCE = Section.of("source", "where records come from", KAFKA, IntakeKeys.HTTP)
            .needed()
            .withOneOf(KAFKA, IntakeKeys.HTTP);

    static final Setting<OnTombstone> JSON_TOMBSTONE = tombstone(new ChoiceType<OnTombstone>(List.of(
                    new ChoiceType.Choice.Built<>("skip", OnTombstone.SKIP),
                    new ChoiceType.Choice.Built<>("dead_letter", OnTombstone.DEAD_LETTER)))
            .misplaced("row", "needs format raw, as JSON has no empty row"));
    static final Setting<OnTombstone> RAW_TOMBSTONE = tombstone(ChoiceType.of(OnTombstone.class));
    static final Section JSON = Section.of("json", "a value is one JSON object", JSON_TOMBSTONE);
    static final Section RAW = Section.of("raw", "a value is its bytes", RAW_TOMBSTONE);
    static final Section FORMAT = Section.of(
                    "format",
                    "how a Kafka value becomes a row",
                    JSON,
                    RAW,
                    new Unbuilt("avro", Part.AVRO_AND_PROTOBUF, "use json or raw"),
                    new Unbuilt("protobuf", Part.AVRO_AND_PROTOBUF, "use json or raw"))
            .withFirstOf(JSON, RAW);

    static final Setting<RouteConfig.Key> ROUTE_KEY = Setting.of(
                    "key", ChoiceType.of(RouteConfig.Key.class).later("$…", Part.FIELD_ROUTES), "what is hashed")
            .byDefault("kafka_key");
    static final Setting<RouteConfig.Hash> ROUTE_HASH = Setting.of(
                    "hash", ChoiceType.of(RouteConfig.Hash.class), "the hash, as Kafka's own partitioner")
            .byDefault("murmur2");
    static final Section ROUTE = Section.of("route", "which shard a record belongs to", ROUTE_KEY, ROUTE_HASH);

    private SourceKeys() {}

    private static Setting<OnTombstone> tombstone(ChoiceType<OnTombstone> words) {
        return Setting.of("on_tombstone", words, "what a missing value becomes").byDefault("skip");
    }
}
