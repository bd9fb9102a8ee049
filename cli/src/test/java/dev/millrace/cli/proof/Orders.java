package dev.millrace.cli.proof;

import dev.millrace.lab.Topics;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/// The topic of one test: what was produced to it, and where each record lies.
///
/// Invariant: ids count from 0; an id is here once the broker has acknowledged its record, and a record is never
/// sent twice.
///
/// Thread ownership: any thread.
final class Orders {
    private static final long SEED = 2_611;

    private final String topic;
    private final Topics topics;
    private final AtomicInteger next = new AtomicInteger();
    private final Map<Integer, TopicPartition> partitions = new ConcurrentHashMap<>();
    private final Map<Integer, Long> offsets = new ConcurrentHashMap<>();

    Orders(String topic, int partitions, Topics topics) {
        this.topic = topic;
        this.topics = topics;
        topics.create(topic, partitions);
    }

    String topic() {
        return topic;
    }

    /// Returns when all are acknowledged.
    void produce(int count) {
        var records = take(count);
        var sent = topics.produce(records.rows());
        for (var i = 0; i < count; i++) acknowledged(records.first() + i, sent.get(i));
    }

    /// The next so many records, to be sent by the caller, who tells [#acknowledged] of each.
    Taken take(int count) {
        var first = next.getAndAdd(count);
        return new Taken(first, Topics.records(topic, SEED, first, count));
    }

    record Taken(int first, List<ProducerRecord<byte[], byte[]>> rows) {}

    void acknowledged(int id, RecordMetadata where) {
        partitions.put(id, new TopicPartition(where.topic(), where.partition()));
        offsets.put(id, where.offset());
    }

    /// Of all that was acknowledged.
    Set<Integer> ids() {
        return Set.copyOf(offsets.keySet());
    }

    /// Those that a commit of these offsets says are durable.
    Set<Integer> idsBelow(Map<TopicPartition, Long> committed) {
        var below = new HashSet<Integer>();
        offsets.forEach((id, offset) -> {
            if (offset < committed.getOrDefault(partitions.get(id), 0L)) below.add(id);
        });
        return below;
    }

    /// The value as it was sent.
    String value(int id) {
        return new String(Topics.records(topic, SEED, id, 1).getFirst().value(), StandardCharsets.UTF_8);
    }

    Map<TopicPartition, Long> ends() {
        return topics.endOffsets(topic);
    }
}
