package dev.millrace.kafka;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// Records that a producer refuses to send by default.
final class LargeRecords {
    private LargeRecords() {}

    static void produce(String topic, int bytes) throws Exception {
        var settings = new HashMap<String, Object>();
        settings.put("bootstrap.servers", SharedBroker.bootstrap());
        settings.put("max.request.size", bytes + (1 << 20));
        settings.put("buffer.memory", 4L * bytes);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            var value = "{\"a\":\"" + "x".repeat(bytes) + "\"}";
            var record = new ProducerRecord<byte[], byte[]>(topic, value.getBytes(StandardCharsets.UTF_8));
            if (producer.send(record).get().offset() < 0) throw new IllegalStateException("not stored");
        }
    }
}
