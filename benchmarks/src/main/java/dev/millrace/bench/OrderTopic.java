package dev.millrace.bench;

import dev.millrace.lab.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// A topic of JSON orders for the tables of [ClickHousePrice] and [OrdersIntoPostgres]: seven
/// members of six types, about 150 bytes. The partitions take turns.
record OrderTopic(String name, int partitions, int records, long valueBytes) {
    private static final long FIRST_MILLIS = 1_764_374_400_000L;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final String[] KINDS = {"book", "music", "tool", "toy"};

    /// Makes it and fills it, and returns when the broker has all of it.
    static OrderTopic fill(String bootstrapServers, String name, int partitions, int records) {
        try (var topics = new Topics(bootstrapServers)) {
            topics.create(name, partitions);
        }
        var bytes = 0L;
        try (var sending = new Sending(bootstrapServers, name, partitions)) {
            for (var id = 0; id < records; id++) bytes += sending.send(id, Instant.ofEpochMilli(FIRST_MILLIS + id));
        }
        return new OrderTopic(name, partitions, records, bytes);
    }

    /// Adds orders `from` to `to`, without `to`, so many in each second, each of the moment in
    /// which it is sent. Returns when the broker has all of them.
    void add(String bootstrapServers, int from, int to, int ratePerSecond) {
        try (var sending = new Sending(bootstrapServers, name, partitions)) {
            var began = System.nanoTime();
            for (var id = from; id < to; id++) {
                var due = began + (id - from) * NANOS_PER_SECOND / ratePerSecond;
                for (var left = due - System.nanoTime(); left > 0; left = due - System.nanoTime())
                    LockSupport.parkNanos(left);
                // No finer than the column: what it would round is poison.
                sending.send(id, Instant.now().truncatedTo(ChronoUnit.MICROS));
            }
        }
    }

    private static String order(int id, Instant at) {
        return "{\"id\":" + id + ",\"customer\":" + id * 7919L % 100_003 + ",\"kind\":\"" + KINDS[id % KINDS.length]
                + "\",\"text\":\"a row of a few words, number " + id + "\",\"amount\":" + id % 1000 + "."
                + (id % 90 + 10) + ",\"score\":" + id % 1000 / 8.0 + ",\"at\":\"" + at + "\"}";
    }

    /// Orders on their way to one topic. Closing waits for the broker's word on all of them.
    private static final class Sending implements AutoCloseable {
        private final String topic;
        private final int partitions;
        private final KafkaProducer<byte[], byte[]> producer;
        private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

        Sending(String bootstrapServers, String topic, int partitions) {
            this.topic = topic;
            this.partitions = partitions;
            producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", bootstrapServers, "linger.ms", 5),
                    new ByteArraySerializer(),
                    new ByteArraySerializer());
        }

        /// Returns how many bytes its value has.
        int send(int id, Instant at) {
            var value = order(id, at).getBytes(StandardCharsets.UTF_8);
            var _ = producer.send(new ProducerRecord<>(topic, id % partitions, null, value), (_, refused) -> {
                if (refused != null) failure.compareAndSet(null, refused);
            });
            return value.length;
        }

        @Override
        public void close() {
            producer.close();
            var refused = failure.get();
            if (refused != null) throw new BenchFailure("could not fill topic " + topic + ": " + refused);
        }
    }
}
