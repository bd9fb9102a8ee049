package dev.millrace.lab;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// The topics of one broker as a test sees them: made, filled, counted and read back, each call waiting until
/// it is done.
///
/// Every call ends within a minute or throws [LabException].
///
/// Thread ownership: any thread.
public final class Topics implements AutoCloseable {
    private static final int TRANSACTION_MILLIS = 10_000;
    private static final long LOOK_NANOS = 5_000_000L;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final String bootstrapServers;
    private final Admin admin;

    public Topics(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
    }

    /// Makes a topic, and returns when every partition has a leader.
    public void create(String topic, int partitions) {
        create(topic, partitions, Map.of());
    }

    /// With topic settings, such as `cleanup.policy`.
    public void create(String topic, int partitions, Map<String, String> settings) {
        var asked = new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(settings);
        done("make topic " + topic, admin.createTopics(List.of(asked)).all());
        awaitKnown(topic);
        endOffsets(topic);
    }

    // The controller answers before the broker has heard of the topic, which shows on a busy machine.
    private void awaitKnown(String topic) {
        long began = System.nanoTime();
        while (true) {
            try {
                done(
                        "describe topic " + topic,
                        admin.describeTopics(List.of(topic)).allTopicNames());
                return;
            } catch (LabException failure) {
                if (!(failure.getCause() instanceof UnknownTopicOrPartitionException)
                        || System.nanoTime() - began > LIMIT.toNanos()) throw failure;
                LockSupport.parkNanos(20_000_000);
            }
        }
    }

    public void delete(String topic) {
        done("delete topic " + topic, admin.deleteTopics(List.of(topic)).all());
    }

    /// Records numbered from `first`: key `key-17`, value `{"id":17,"text":"…"}` with 0 to 99 letters. The same
    /// arguments, the same bytes.
    public static List<ProducerRecord<byte[], byte[]>> records(String topic, long seed, int first, int count) {
        return IntStream.range(first, first + count)
                .mapToObj(id -> new ProducerRecord<>(topic, bytes("key-" + id), bytes(json(seed, id))))
                .toList();
    }

    private static String json(long seed, int id) {
        var random = new Random(seed * 1_000_003 + id);
        var text = new StringBuilder();
        for (int left = random.nextInt(100); left > 0; left--) text.append((char) ('a' + random.nextInt(26)));
        return "{\"id\":" + id + ",\"text\":\"" + text + "\"}";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// Sends `count` of [#records] from number 0, and returns when all are acknowledged.
    public void produce(String topic, long seed, int count) {
        produce(records(topic, seed, 0, count));
    }

    /// Sends these in their order, and returns what the broker said of each when all are acknowledged.
    public List<RecordMetadata> produce(List<ProducerRecord<byte[], byte[]>> records) {
        try (var producer = producer(Map.of())) {
            return sendAll(producer, records);
        }
    }

    /// Sends these in one transaction, and commits it.
    public List<RecordMetadata> produceCommitted(List<ProducerRecord<byte[], byte[]>> records) {
        try (var producer = transactionalProducer()) {
            var metadata = sendAll(producer, records);
            producer.commitTransaction();
            awaitMarkers(metadata);
            return metadata;
        }
    }

    /// Sends these in one transaction, and aborts it: offsets that hold no record for a reader of what is
    /// committed.
    public List<RecordMetadata> produceAborted(List<ProducerRecord<byte[], byte[]>> records) {
        try (var producer = transactionalProducer()) {
            var metadata = sendAll(producer, records);
            producer.abortTransaction();
            awaitMarkers(metadata);
            return metadata;
        }
    }

    /// What a broker that dies leaves of its transaction ends soon.
    private KafkaProducer<byte[], byte[]> transactionalProducer() {
        var producer = producer(
                Map.of("transactional.id", "lab-" + UUID.randomUUID(), "transaction.timeout.ms", TRANSACTION_MILLIS));
        producer.initTransactions();
        producer.beginTransaction();
        return producer;
    }

    /// A transaction ends with the answer to who ends it, and its markers are written after that: a broker that is
    /// killed in between may leave it hanging.
    private void awaitMarkers(List<RecordMetadata> metadata) {
        Map<TopicPartition, Long> last = new HashMap<>();
        for (var one : metadata) last.merge(new TopicPartition(one.topic(), one.partition()), one.offset(), Math::max);
        var began = System.nanoTime();
        while (!stable(last)) {
            if (System.nanoTime() - began > LIMIT.toNanos())
                throw new LabException("a transaction has no end in its partitions: " + last);
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private boolean stable(Map<TopicPartition, Long> last) {
        var asked = last.keySet().stream().collect(Collectors.toMap(each -> each, _ -> OffsetSpec.latest()));
        var ends = done(
                "ask what is stable",
                admin.listOffsets(asked, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                        .all());
        return last.entrySet().stream()
                .allMatch(one -> Objects.requireNonNull(ends.get(one.getKey())).offset() > one.getValue());
    }

    private KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        var settings = new HashMap<String, Object>(more);
        settings.put("bootstrap.servers", bootstrapServers);
        settings.put("linger.ms", 5);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static List<RecordMetadata> sendAll(
            KafkaProducer<byte[], byte[]> producer, List<ProducerRecord<byte[], byte[]>> records) {
        List<Future<RecordMetadata>> sent = records.stream().map(producer::send).toList();
        producer.flush();
        return sent.stream().map(one -> done("produce", one)).toList();
    }

    /// The offset after the last of each partition, markers of transactions included.
    public Map<TopicPartition, Long> endOffsets(String topic) {
        var described = done(
                "describe topic " + topic, admin.describeTopics(List.of(topic)).allTopicNames());
        var asked = described.values().stream()
                .flatMap(one -> one.partitions().stream())
                .collect(Collectors.toMap(p -> new TopicPartition(topic, p.partition()), _ -> OffsetSpec.latest()));
        return done("ask the ends of " + topic, admin.listOffsets(asked).all()).entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, e -> e.getValue().offset()));
    }

    /// What a group has committed, for the partitions of which it has committed anything.
    public Map<TopicPartition, Long> committed(String group) {
        var offsets = done(
                "ask what " + group + " committed",
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
        var committed = new HashMap<TopicPartition, Long>();
        offsets.forEach((partition, offset) -> {
            if (offset != null) committed.put(partition, offset.offset());
        });
        return committed;
    }

    /// Commits for a group that has no member, as an operator would who moves it.
    public void commit(String group, Map<TopicPartition, Long> offsets) {
        var asked = offsets.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, e -> new OffsetAndMetadata(e.getValue())));
        done(
                "commit for " + group,
                admin.alterConsumerGroupOffsets(group, asked).all());
    }

    /// All records of a topic up to its ends of now, without those of aborted or open transactions; within a
    /// partition in offset order.
    public List<ConsumerRecord<byte[], byte[]>> readAll(String topic) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "isolation.level",
                "read_committed",
                "enable.auto.commit",
                false);
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var partitions = endOffsets(topic).keySet();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions, LIMIT);
            return readTo(ends, consumer, topic);
        }
    }

    private static List<ConsumerRecord<byte[], byte[]>> readTo(
            Map<TopicPartition, Long> ends, KafkaConsumer<byte[], byte[]> consumer, String topic) {
        var all = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        long began = System.nanoTime();
        // A position, unlike a record's offset, moves over the markers of transactions and what compaction left out.
        while (!ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey(), LIMIT) >= end.getValue())) {
            if (System.nanoTime() - began > LIMIT.toNanos())
                throw new LabException("read " + all.size() + " records of " + topic + " and not the end " + ends);
            consumer.poll(Duration.ofMillis(100)).forEach(all::add);
        }
        return all;
    }

    private static <T> T done(String what, Future<T> future) {
        try {
            return future.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            throw new LabException("could not " + what, failure.getCause() == null ? failure : failure.getCause());
        } catch (TimeoutException failure) {
            throw new LabException("could not " + what + " in " + LIMIT.toSeconds() + " s", failure);
        } catch (InterruptedException failure) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted: could not " + what, failure);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(5));
    }
}
