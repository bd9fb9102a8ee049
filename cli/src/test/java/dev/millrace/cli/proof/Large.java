package dev.millrace.cli.proof;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// Records that a producer refuses to send by default, and text that no compression makes small.
final class Large {
    private static final int LARGEST = 4_000_000;

    private Large() {}

    /// Small letters, by chance.
    static String noise(long seed, int length) {
        return new Random(seed)
                .ints(length, 'a', 'z' + 1)
                .mapToObj(letter -> Character.toString((char) letter))
                .collect(Collectors.joining());
    }

    /// In their order, as few requests as they fit in.
    static void produce(String bootstrapServers, List<ProducerRecord<byte[], byte[]>> records) throws Exception {
        var settings = Map.<String, Object>of(
                "bootstrap.servers",
                bootstrapServers,
                "max.request.size",
                LARGEST,
                "buffer.memory",
                10L * LARGEST,
                "linger.ms",
                100);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            var sent = records.stream().map(producer::send).toList();
            for (var one : sent) one.get(30, TimeUnit.SECONDS);
        }
    }
}
