package dev.millrace.bench;

import dev.millrace.lab.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// A topic of JSON orders for the table of [ClickHousePrice]: seven members of six types, about 150 bytes.
record OrderTopic(String name, int records, long valueBytes) {
    private static final int PARTITIONS = 4;
    private static final long FIRST_MILLIS = 1_764_374_400_000L;
    private static final String[] KINDS = {"book", "music", "tool", "toy"};

    /// Makes it and fills it, and returns when the broker has all of it.
    static OrderTopic fill(String bootstrapServers, String name, int records) {
        try (var topics = new Topics(bootstrapServers)) {
            topics.create(name, PARTITIONS);
        }
        var failure = new AtomicReference<@Nullable Exception>();
        var settings = Map.<String, Object>of("bootstrap.servers", bootstrapServers, "linger.ms", 5);
        var bytes = 0L;
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (var id = 0; id < records; id++) {
                var value = order(id).getBytes(StandardCharsets.UTF_8);
                bytes += value.length;
                var _ = producer.send(new ProducerRecord<>(name, id % PARTITIONS, null, value), (_, refused) -> {
                    if (refused != null) failure.compareAndSet(null, refused);
                });
            }
        }
        var refused = failure.get();
        if (refused != null) throw new BenchFailure("could not fill topic " + name + ": " + refused);
        return new OrderTopic(name, records, bytes);
    }

    private static String order(int id) {
        return "{\"id\":" + id + ",\"customer\":" + id * 7919L % 100_003 + ",\"kind\":\"" + KINDS[id % KINDS.length]
                + "\",\"text\":\"a row of a few words, number " + id + "\",\"amount\":" + id % 1000 + "."
                + (id % 90 + 10) + ",\"score\":" + id % 1000 / 8.0 + ",\"at\":\""
                + Instant.ofEpochMilli(FIRST_MILLIS + id) + "\"}";
    }
}
