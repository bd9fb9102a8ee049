package dev.millrace.kafka;

import dev.millrace.config.KafkaClientDefaults;
import dev.millrace.config.KafkaClientKeys;
import dev.millrace.config.KafkaSourceConfig;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// Makes the Kafka clients of one source: what of their settings is ours, and what a user may change.
///
/// Thread ownership: immutable.
public final class KafkaClients {
    private final KafkaSourceSettings settings;
    private final long maxPollIntervalNanos;

    public KafkaClients(KafkaSourceSettings settings) {
        this.settings = settings;
        var refused = refused(settings.properties());
        refused.putAll(badValues(settings.properties()));
        if (!refused.isEmpty()) throw new IllegalArgumentException("source.kafka.properties: " + refused);
        var millis = ConsumerConfig.configDef().parse(whole(settings)).get(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG);
        maxPollIntervalNanos = TimeUnit.MILLISECONDS.toNanos(((Number) Objects.requireNonNull(millis)).longValue());
    }

    // The client's own words hold the value, which may be a secret.
    private static SortedMap<String, String> badValues(Map<String, String> properties) {
        var bad = new TreeMap<String, String>();
        for (var value : ConsumerConfig.configDef().validate(new HashMap<>(properties))) {
            if (!value.errorMessages().isEmpty() && properties.containsKey(value.name()))
                bad.put(value.name(), "not a value that the Kafka consumer takes");
        }
        return bad;
    }

    private static Map<String, Object> whole(KafkaSourceSettings settings) {
        var all = new HashMap<String, Object>(settings.properties());
        all.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers());
        all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, FetchedBytes.class);
        all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, FetchedBytes.class);
        return all;
    }

    /// Which of these client properties a user may not set, each with the reason (CFG-9).
    public static SortedMap<String, String> refused(Map<String, String> properties) {
        var refused = new TreeMap<String, String>();
        for (var key : properties.keySet()) {
            var reason = KafkaClientKeys.refusal(key);
            if (reason == null) reason = KafkaClientKeys.refusedValue(key, properties.getOrDefault(key, ""));
            if (reason != null) refused.put(key, reason);
        }
        return refused;
    }

    /// The settings of group member `member`, defaults of ours included. All members of this process may own
    /// `partitions`.
    public Map<String, Object> consumerProperties(int member, long partitions) {
        var all = new HashMap<String, Object>(KafkaClientDefaults.givingWay());
        var each = Math.ceilDiv(partitions, settings.consumers());
        all.put(
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                Long.toString(KafkaClientDefaults.partitionFetchBytes(settings.properties(), each)));
        all.put("client.id", settings.groupId() + "-" + member);
        all.put(
                "metadata.max.age.ms",
                TimeUnit.NANOSECONDS.toMillis(settings.watch().metadataMaxAgeNanos()));
        all.putAll(settings.properties());
        // One static member is one thread.
        all.computeIfPresent("group.instance.id", (_, id) -> settings.consumers() == 1 ? id : id + "-" + member);
        all.put("bootstrap.servers", settings.bootstrapServers());
        all.put("group.id", settings.groupId());
        if (!settings.skips().isEmpty()) all.put("max.poll.records", "1");
        all.putAll(KafkaClientDefaults.owned(
                switch (settings.groupProtocol()) {
                    case CLASSIC -> KafkaSourceConfig.GroupProtocol.CLASSIC;
                    case CONSUMER -> KafkaSourceConfig.GroupProtocol.CONSUMER;
                }));
        return all;
    }

    /// A consumer whose keys and values are slices of the fetch response.
    public Consumer<ByteBuffer, ByteBuffer> consumer(int member, long partitions) {
        return new KafkaConsumer<>(consumerProperties(member, partitions), new FetchedBytes(), new FetchedBytes());
    }

    /// A consumer in no group that unpacks one record at a time, as a member would.
    Consumer<ByteBuffer, ByteBuffer> alone() {
        var all = consumerProperties(0, 1);
        all.put("client.id", settings.groupId() + "-alone");
        all.remove("group.id");
        all.remove("group.instance.id");
        all.put("max.poll.records", "1");
        all.put("fetch.max.wait.ms", "100");
        return new KafkaConsumer<>(all, new FetchedBytes(), new FetchedBytes());
    }

    /// A consumer in no group, for records that are read again one by one.
    Consumer<byte[], byte[]> originals() {
        return new KafkaConsumer<>(originalsProperties(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    Map<String, Object> originalsProperties() {
        var all = new HashMap<String, Object>();
        known(ConsumerConfig.configNames(), all);
        all.put("bootstrap.servers", settings.bootstrapServers());
        all.put("client.id", settings.groupId() + "-originals");
        all.remove("group.instance.id");
        all.put("enable.auto.commit", false);
        all.put("auto.offset.reset", "none");
        // It was read once as committed.
        all.put("isolation.level", "read_uncommitted");
        all.put("allow.auto.create.topics", false);
        // A record is asked for, not a stream; one that is larger comes all the same.
        all.put("max.partition.fetch.bytes", 64 << 10);
        all.put("fetch.max.bytes", 1 << 20);
        all.put("fetch.min.bytes", 1);
        all.put("fetch.max.wait.ms", 100);
        all.put("max.poll.records", 500);
        all.put("default.api.timeout.ms", 5_000);
        all.put("request.timeout.ms", 4_000);
        all.put("metric.reporters", "");
        all.put("enable.metrics.push", false);
        return all;
    }

    /// What it has sent is not lost: acknowledged by all replicas in sync, and not repeated by its own retries.
    Producer<byte[], byte[]> deadLetterProducer() {
        return new KafkaProducer<>(deadLetterProperties(), new ByteArraySerializer(), new ByteArraySerializer());
    }

    Map<String, Object> deadLetterProperties() {
        var all = new HashMap<String, Object>();
        known(ProducerConfig.configNames(), all);
        all.put("bootstrap.servers", settings.bootstrapServers());
        all.put("client.id", settings.groupId() + "-dead-letters");
        all.put("acks", "all");
        all.put("enable.idempotence", true);
        all.put("linger.ms", 5);
        all.put("max.block.ms", 5_000);
        // It is sent again for ever, and until then told as failed.
        all.put("request.timeout.ms", 5_000);
        all.put("delivery.timeout.ms", 10_000);
        // A record that was compressed in its own topic fits no other as it is; and the JDK always has this one.
        all.put("compression.type", "gzip");
        // The topic's own bound decides. LetterThread keeps what is sent at once far below this.
        all.put("max.request.size", 256 << 20);
        all.put("buffer.memory", 256L << 20);
        all.put("metric.reporters", "");
        all.put("enable.metrics.push", false);
        return all;
    }

    private void known(Set<String> names, Map<String, Object> into) {
        settings.properties().forEach((key, value) -> {
            if (names.contains(key)) into.put(key, value);
        });
    }

    /// A consumer in no group, for a dead-letter topic from its beginning to its end.
    Consumer<byte[], byte[]> deadLetterConsumer() {
        var all = new HashMap<String, Object>();
        known(ConsumerConfig.configNames(), all);
        all.put("bootstrap.servers", settings.bootstrapServers());
        all.put("client.id", settings.groupId() + "-dead-letter-reader");
        all.remove("group.instance.id");
        all.put("enable.auto.commit", false);
        // What retention takes while it is read is gone: the rest is read.
        all.put("auto.offset.reset", "earliest");
        all.put("isolation.level", "read_committed");
        all.put("allow.auto.create.topics", false);
        all.put("fetch.min.bytes", 1);
        all.put("fetch.max.wait.ms", 100);
        all.put("metric.reporters", "");
        all.put("enable.metrics.push", false);
        return new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    public Admin admin() {
        var all = new HashMap<String, Object>();
        known(AdminClientConfig.configNames(), all);
        all.put("bootstrap.servers", settings.bootstrapServers());
        all.put("client.id", settings.groupId() + "-admin");
        all.putIfAbsent("default.api.timeout.ms", 10_000);
        all.putIfAbsent("request.timeout.ms", 5_000);
        all.put("metric.reporters", "");
        all.put("enable.metrics.push", false);
        return Admin.create(all);
    }

    /// What the clients refuse only together, or when they are made.
    static StartRefused refused(KafkaException wrong) {
        var cause = wrong.getCause();
        return new StartRefused(2, "source.kafka.properties: " + (cause == null ? wrong : cause).getMessage());
    }

    /// The topics that are read.
    KafkaSourceSettings.Subscription topics() {
        return settings.topics();
    }

    String bootstrapServers() {
        return settings.bootstrapServers();
    }

    long startupTimeoutNanos() {
        return settings.startupTimeoutNanos();
    }

    /// How long a poll loop may not turn before Kafka takes its partitions away.
    long maxPollIntervalNanos() {
        return maxPollIntervalNanos;
    }

    /// How often topics are looked at. Who wants the client to look at its topics more often wants to know as
    /// soon that one of them was replaced: up to then the replacement is read on from the old position. At most
    /// once a second.
    KafkaSourceSettings.Watch watch() {
        var often = settings.watch();
        var age = settings.properties().get("metadata.max.age.ms");
        if (age == null) return often;
        var asked = TimeUnit.MILLISECONDS.toNanos(Math.max(1_000, Long.parseLong(age)));
        return new KafkaSourceSettings.Watch(
                Math.min(often.identityNanos(), asked),
                often.lagNanos(),
                often.metadataMaxAgeNanos(),
                often.hangingNanos());
    }
}
