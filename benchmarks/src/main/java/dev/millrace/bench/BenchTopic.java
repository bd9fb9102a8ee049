package dev.millrace.bench;

import dev.millrace.lab.Topics;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// A topic of equal records: an 11-byte key, a value of `valueBytes` printable bytes, no headers, not compressed. The
/// partitions take turns, so every partition has keys of every shard.
///
/// @param sum of all value bytes, each as an unsigned number
record BenchTopic(String name, int valueBytes, long records, long sum) {
    static final int PARTITIONS = 4;
    private static final int POOL = 1 << 20;
    private static final int STEP = 4099;

    long allValueBytes() {
        return records * valueBytes;
    }

    /// Makes it and fills it, and returns when the broker has told that all of it is there.
    static BenchTopic fill(String bootstrapServers, String name, int valueBytes, long records) {
        try (var topics = new Topics(bootstrapServers)) {
            topics.create(name, PARTITIONS);
            var sum = produce(bootstrapServers, name, valueBytes, records);
            var held = topics.endOffsets(name).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            if (held != records)
                throw new BenchFailure("topic " + name + " holds " + held + " records, " + records + " were produced");
            return new BenchTopic(name, valueBytes, records, sum);
        }
    }

    private static long produce(String bootstrapServers, String name, int valueBytes, long records) {
        var pool = pool();
        var sum = 0L;
        var failure = new AtomicReference<@Nullable Exception>();
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "acks",
                "1",
                "enable.idempotence",
                false,
                "batch.size",
                128 << 10,
                "linger.ms",
                5,
                "buffer.memory",
                64L << 20);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (var n = 0L; n < records; n++) {
                var from = (int) (n * STEP % (POOL - valueBytes));
                var value = Arrays.copyOfRange(pool, from, from + valueBytes);
                for (var b : value) sum += b & 0xff;
                var partition = (int) (n % PARTITIONS);
                var _ = producer.send(new ProducerRecord<>(name, partition, key(n), value), (_, refused) -> {
                    if (refused != null) failure.compareAndSet(null, refused);
                });
            }
        }
        var refused = failure.get();
        if (refused != null) throw new BenchFailure("could not fill topic " + name + ": " + refused);
        return sum;
    }

    private static byte[] pool() {
        var random = new Random(1);
        var pool = new byte[POOL];
        for (var i = 0; i < POOL; i++) pool[i] = (byte) (' ' + random.nextInt(95));
        return pool;
    }

    private static byte[] key(long n) {
        return "key-%07d".formatted(n % 10_000_000).getBytes(StandardCharsets.US_ASCII);
    }
}
