package dev.millrace.kafka;

import dev.millrace.kafka.KafkaSourceSettings.GroupProtocol;
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
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// Makes the Kafka clients of one source: what of their settings is ours, and what a user may change.
///
/// Thread ownership: immutable.
public final class KafkaClients {
    /// What nobody else may set, with the reason.
    private static final Map<String, String> OWNED = Map.ofEntries(
            Map.entry("bootstrap.servers", "set source.kafka.bootstrap_servers"),
            Map.entry("group.id", "set source.kafka.group_id"),
            Map.entry("group.protocol", "set source.kafka.group_protocol"),
            Map.entry("group.remote.assignor", "the group protocol's assignor is the broker's choice"),
            Map.entry("partition.assignment.strategy", "partitions that are kept have to keep flowing in a rebalance"),
            Map.entry("enable.auto.commit", "offsets are committed only for rows that are durable in the sink"),
            Map.entry("auto.commit.interval.ms", "set checkpoint.interval"),
            Map.entry(
                    "auto.offset.reset", "a lost offset is never skipped in silence: set on_no_offset, on_lost_offset"),
            Map.entry("isolation.level", "rows of aborted transactions are never delivered"),
            Map.entry("allow.auto.create.topics", "a misspelt topic is an error, not a new topic"),
            Map.entry("key.deserializer", "set format"),
            Map.entry("value.deserializer", "set format"),
            Map.entry("interceptor.classes", "an interceptor could change or drop rows unseen"),
            Map.entry("config.providers", "values are interpolated by ${…} in the file"),
            Map.entry("metric.reporters", "see /metrics"),
            Map.entry("exclude.internal.topics", "internal topics are never read"));

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
            var reason = key.startsWith("config.providers") ? OWNED.get("config.providers") : OWNED.get(key);
            if (reason != null) refused.put(key, reason);
            else if (!ConsumerConfig.configNames().contains(key) && !key.startsWith("sasl.") && !key.startsWith("ssl."))
                refused.put(key, "no setting of the Kafka consumer");
        }
        return refused;
    }

    /// The settings of group member `member`, defaults of ours included.
    public Map<String, Object> consumerProperties(int member) {
        var all = new HashMap<String, Object>();
        all.put("max.poll.records", 5000);
        all.put("max.partition.fetch.bytes", 4 << 20);
        all.put("fetch.max.bytes", 16 << 20);
        all.put("receive.buffer.bytes", 1 << 20);
        all.put("fetch.min.bytes", 1);
        all.put("client.id", settings.groupId() + "-" + member);
        all.put(
                "metadata.max.age.ms",
                TimeUnit.NANOSECONDS.toMillis(settings.watch().metadataMaxAgeNanos()));
        all.put("enable.metrics.push", false);
        all.putAll(settings.properties());
        // One static member is one thread.
        all.computeIfPresent("group.instance.id", (_, id) -> settings.consumers() == 1 ? id : id + "-" + member);
        all.put("bootstrap.servers", settings.bootstrapServers());
        all.put("group.id", settings.groupId());
        all.put("enable.auto.commit", false);
        all.put("auto.offset.reset", "none");
        all.put("isolation.level", "read_committed");
        all.put("allow.auto.create.topics", false);
        all.put("metric.reporters", "");
        if (settings.groupProtocol() == GroupProtocol.CLASSIC) {
            all.put("group.protocol", "classic");
            all.put("partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
        } else {
            all.put("group.protocol", "consumer");
        }
        return all;
    }

    /// A consumer whose keys and values are slices of the fetch response.
    public Consumer<ByteBuffer, ByteBuffer> consumer(int member) {
        return new KafkaConsumer<>(consumerProperties(member), new FetchedBytes(), new FetchedBytes());
    }

    /// A consumer in no group, for records that are read again one by one.
    Consumer<byte[], byte[]> originals() {
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
        all.put("max.partition.fetch.bytes", 64 << 10);
        all.put("default.api.timeout.ms", 5_000);
        all.put("request.timeout.ms", 4_000);
        all.put("metric.reporters", "");
        all.put("enable.metrics.push", false);
        return new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /// What it has sent is not lost: acknowledged by all replicas in sync, and not repeated by its own retries.
    Producer<byte[], byte[]> deadLetterProducer() {
        var all = new HashMap<String, Object>();
        known(ProducerConfig.configNames(), all);
        all.put("bootstrap.servers", settings.bootstrapServers());
        all.put("client.id", settings.groupId() + "-dead-letters");
        all.put("acks", "all");
        all.put("enable.idempotence", true);
        all.put("linger.ms", 5);
        all.put("max.block.ms", 5_000);
        all.put("request.timeout.ms", 10_000);
        all.put("delivery.timeout.ms", 30_000);
        // The topic's own bound decides.
        all.put("max.request.size", 256 << 20);
        all.put("buffer.memory", 256L << 20);
        all.put("metric.reporters", "");
        all.put("enable.metrics.push", false);
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private void known(Set<String> names, Map<String, Object> into) {
        settings.properties().forEach((key, value) -> {
            if (names.contains(key)) into.put(key, value);
        });
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
                Math.min(often.identityNanos(), asked), often.lagNanos(), often.metadataMaxAgeNanos());
    }
}
