package dev.millrace.bench;

import dev.millrace.lab.Topics;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// A topic of JSON orders, each value of exactly the shape's size, under 11-byte keys and without
/// headers. The partitions take turns, so every partition has keys of every shard.
///
/// A value has six members of six types: `id`, which is [#FIRST_ID] and the record's number; `user`;
/// `kind`; `price`; `at`; and `text`, words that fill it up. One that is to be poison lacks its last
/// brace, and has a blank in its place.
///
/// `sum` is of all bytes of the healthy values, each as an unsigned number; `compressed` is the
/// bytes the producer sent for each byte that it was given.
record FilledTopic(String name, Shape shape, long records, long poison, long sum, double compressed) {
    static final long FIRST_ID = 10_000_000L;

    /// With one letter of text.
    static final int LEAST_VALUE_BYTES = 100;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    long valueBytes() {
        return records * shape.valueBytes();
    }

    long healthy() {
        return records - poison;
    }

    /// Of all ids of healthy records; only of a topic without poison.
    long idSum() {
        return records * FIRST_ID + records * (records - 1) / 2;
    }

    /// Makes it and fills it, and returns when the broker has told that all of it is there.
    static FilledTopic fill(String bootstrapServers, Shape shape, long records) {
        try (var topics = new Topics(bootstrapServers)) {
            var name = shape.topic();
            topics.create(name, shape.partitions());
            var filled = send(bootstrapServers, name, shape, 0, n -> n < records);
            var held = topics.endOffsets(name).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            if (held != records)
                throw new BenchFailure("topic " + name + " holds " + held + " records, " + records + " were produced");
            return filled;
        }
    }

    /// Sends records to a topic that is there, so many in each second, or as fast as it goes for 0, as long as
    /// `more` holds for the number of those that were sent. Returns when the broker has all of them.
    static FilledTopic send(String bootstrapServers, String name, Shape shape, int ratePerSecond, LongPredicate more) {
        var values = new Orders(shape);
        var failure = new AtomicReference<@Nullable Exception>();
        var compressed = 0.0;
        var sent = 0L;
        try (var producer = new KafkaProducer<>(
                settings(bootstrapServers, shape), new ByteArraySerializer(), new ByteArraySerializer())) {
            var began = System.nanoTime();
            for (var n = 0L; more.test(n) && failure.get() == null; n++) {
                sent = n + 1;
                if (ratePerSecond > 0) sleepUntil(began + n * NANOS_PER_SECOND / ratePerSecond);
                var record = new ProducerRecord<>(name, (int) (n % shape.partitions()), Orders.key(n), values.next(n));
                var _ = producer.send(record, (_, refused) -> {
                    if (refused != null) failure.compareAndSet(null, refused);
                });
            }
            producer.flush();
            compressed = compression(producer);
        }
        var refused = failure.get();
        if (refused != null) throw new BenchFailure("could not fill topic " + name + ": " + refused);
        return new FilledTopic(name, shape, sent, values.poison, values.sum, compressed);
    }

    private static void sleepUntil(long nanos) {
        for (var left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime())
            LockSupport.parkNanos(left);
    }

    private static Map<String, Object> settings(String bootstrapServers, Shape shape) {
        return Map.of(
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
                64L << 20,
                "compression.type",
                shape.codec().word());
    }

    private static double compression(KafkaProducer<byte[], byte[]> producer) {
        return producer.metrics().entrySet().stream()
                .filter(metric -> metric.getKey().name().equals("compression-rate-avg")
                        && metric.getKey().group().equals("producer-metrics"))
                .mapToDouble(metric -> ((Number) metric.getValue().metricValue()).doubleValue())
                .findFirst()
                .orElse(Double.NaN);
    }

    /// Makes values, and counts what it made.
    ///
    /// Thread ownership: the thread that fills.
    private static final class Orders {
        private static final String[] KINDS = {"book", "disc", "tool", "toys"};
        private static final String PATTERN = "{\"id\":00000000,\"user\":00000,\"kind\":\"kind\",\"price\":000.00,"
                + "\"at\":\"2026-11-29T00:00:00.000Z\",\"text\":\"";
        private static final int ID = PATTERN.indexOf("00000000");
        private static final int USER = PATTERN.indexOf("\"user\":") + 7;
        private static final int KIND = PATTERN.indexOf("\"kind\":\"") + 8;
        private static final int PRICE = PATTERN.indexOf("\"price\":") + 8;
        private static final int TIME = PATTERN.indexOf("T00:") + 1;
        private static final int POOL = 1 << 20;
        private static final int STEP = 4099;
        private static final int VOCABULARY = 3000;
        private static final int MILLIS_OF_A_DAY = 86_400_000;

        private final byte[] template;
        private final int textBytes;
        private final int every;
        private final byte[] pool = pool();
        private long poison;
        private long sum;

        Orders(Shape shape) {
            template = new byte[shape.valueBytes()];
            var pattern = PATTERN.getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(pattern, 0, template, 0, pattern.length);
            textBytes = shape.valueBytes() - pattern.length - 2;
            template[template.length - 2] = '"';
            template[template.length - 1] = '}';
            every = shape.poisonEvery();
        }

        byte[] next(long n) {
            var value = template.clone();
            put(value, ID, 8, FIRST_ID + n);
            put(value, USER, 5, 10_000 + n * 7919 % 90_000);
            var kind = KINDS[(int) (n % KINDS.length)];
            for (var i = 0; i < kind.length(); i++) value[KIND + i] = (byte) kind.charAt(i);
            put(value, PRICE, 3, 100 + n % 900);
            put(value, PRICE + 4, 2, n % 100);
            putTime(value, (int) (n % MILLIS_OF_A_DAY));
            System.arraycopy(
                    pool, (int) (n * STEP % (POOL - textBytes)), value, value.length - 2 - textBytes, textBytes);
            if (every > 0 && n % every == every - 1) {
                value[value.length - 1] = ' ';
                poison++;
            } else {
                for (var b : value) sum += b & 0xff;
            }
            return value;
        }

        private static void putTime(byte[] value, int millis) {
            put(value, TIME, 2, millis / 3_600_000);
            put(value, TIME + 3, 2, millis / 60_000 % 60);
            put(value, TIME + 6, 2, millis / 1000 % 60);
            put(value, TIME + 9, 3, millis % 1000);
        }

        private static void put(byte[] bytes, int at, int digits, long number) {
            var rest = number;
            for (var i = at + digits - 1; i >= at; i--, rest /= 10) bytes[i] = (byte) ('0' + rest % 10);
        }

        /// Words of a small vocabulary, so that text compresses about as logs and orders do.
        private static byte[] pool() {
            var random = new Random(1);
            var words = new byte[VOCABULARY][];
            for (var i = 0; i < VOCABULARY; i++) {
                words[i] = new byte[2 + random.nextInt(9)];
                for (var k = 0; k < words[i].length; k++) words[i][k] = (byte) ('a' + random.nextInt(26));
            }
            var pool = new byte[POOL];
            for (var at = 0; at < POOL; ) {
                var word = words[random.nextInt(VOCABULARY)];
                var length = Math.min(word.length, POOL - at);
                System.arraycopy(word, 0, pool, at, length);
                at += length;
                if (at < POOL) pool[at++] = ' ';
            }
            return pool;
        }

        static byte[] key(long n) {
            var key = new byte[] {'k', 'e', 'y', '-', 0, 0, 0, 0, 0, 0, 0};
            put(key, 4, 7, n % 10_000_000);
            return key;
        }
    }
}
