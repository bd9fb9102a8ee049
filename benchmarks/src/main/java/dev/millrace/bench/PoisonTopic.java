package dev.millrace.bench;

import dev.millrace.lab.Topics;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// A topic of JSON rows for the table of [PoisonPrice], of which the last of each `every` is of one kind of poison.
record PoisonTopic(String name, Kind kind, int records, int poison) {
    /// Which row is poison, and what of it the server refuses.
    enum Kind {
        NONE("no poison"),
        /// The server names the row.
        CHECK("a CHECK: named"),
        /// The server names none: it looks when all rows are in.
        FOREIGN_KEY("a foreign key: not named");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    static final int KINDS = 10;
    private static final int PARTITIONS = 4;
    private static final int NO_KIND = 77;

    int healthy() {
        return records - poison;
    }

    /// Makes it and fills it, and returns when the broker has all of it.
    static PoisonTopic fill(String bootstrapServers, Kind kind, int records, int every) {
        var name = "price-" + kind.name().toLowerCase(Locale.ROOT);
        try (var topics = new Topics(bootstrapServers)) {
            topics.create(name, PARTITIONS);
        }
        var failure = new AtomicReference<@Nullable Exception>();
        var settings = Map.<String, Object>of("bootstrap.servers", bootstrapServers, "linger.ms", 5);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (var id = 0; id < records; id++) {
                var bad = id % every == every - 1;
                var amount = bad && kind == Kind.CHECK ? -1 : id % 1000;
                var one = bad && kind == Kind.FOREIGN_KEY ? NO_KIND : id % KINDS;
                var value = "{\"id\":" + id + ",\"text\":\"a row of a few words, number " + id + "\",\"amount\":"
                        + amount + ",\"kind\":" + one + "}";
                var record = new ProducerRecord<byte[], byte[]>(
                        name, id % PARTITIONS, null, value.getBytes(StandardCharsets.UTF_8));
                var _ = producer.send(record, (_, refused) -> {
                    if (refused != null) failure.compareAndSet(null, refused);
                });
            }
        }
        var refused = failure.get();
        if (refused != null) throw new BenchFailure("could not fill topic " + name + ": " + refused);
        return new PoisonTopic(name, kind, records, kind == Kind.NONE ? 0 : records / every);
    }
}
