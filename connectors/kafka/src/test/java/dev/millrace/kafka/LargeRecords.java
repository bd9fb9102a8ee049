package dev.millrace.kafka;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// Records that a producer refuses to send by default.
final class LargeRecords {
    private LargeRecords() {}

    static void produce(String topic, int bytes) throws Exception {
        var value = "{\"a\":\"" + "x".repeat(bytes) + "\"}";
        produce(List.of(new ProducerRecord<>(topic, value.getBytes(StandardCharsets.UTF_8))), bytes + (1 << 20));
    }

    /// In their order.
    static void produce(List<ProducerRecord<byte[], byte[]>> records, int largest) throws Exception {
        var settings = new HashMap<String, Object>();
        settings.put("bootstrap.servers", SharedBroker.bootstrap());
        settings.put("max.request.size", largest);
        settings.put("buffer.memory", 4L * largest);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (var record : records) {
                if (producer.send(record).get().offset() < 0) throw new IllegalStateException("not stored");
            }
        }
    }
}
