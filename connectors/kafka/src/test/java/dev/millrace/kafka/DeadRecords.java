package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.lab.Topics;
import dev.millrace.sinkpool.DeadLetters.Letter;
import dev.millrace.sinkpool.Failure;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/// A source topic and its dead-letter topic, filled as the product fills them.
final class DeadRecords {
    static final String SINK = "warehouse";

    private final Topics topics = SharedBroker.topics();
    final String source;
    final String dead;

    DeadRecords(int partitions, int records) {
        source = SharedBroker.fresh("orders");
        dead = source + ".dead";
        topics.create(source, partitions);
        topics.create(dead, 2);
        if (records > 0) topics.produce(source, 1, records);
    }

    List<ConsumerRecord<byte[], byte[]>> originals() {
        return topics.readAll(source);
    }

    List<ConsumerRecord<byte[], byte[]>> letters() {
        return topics.readAll(dead);
    }

    void setAside(ConsumerRecord<byte[], byte[]> original) {
        setAside(original, SINK, "22P02");
    }

    void setAside(ConsumerRecord<byte[], byte[]> original, String sink, String code) {
        topics.produce(List.of(letter(original, original, sink, code)));
    }

    void setAsideAll(List<ConsumerRecord<byte[], byte[]>> originals) {
        topics.produce(originals.stream()
                .map(original -> letter(original, original, SINK, "22P02"))
                .toList());
    }

    /// As when retention took it before it could be read again.
    void setAsideAsEncoded(ConsumerRecord<byte[], byte[]> original) {
        topics.produce(List.of(letter(original, null, SINK, "22P02")));
    }

    void produce(ProducerRecord<byte[], byte[]> record) {
        topics.produce(List.of(record));
    }

    private ProducerRecord<byte[], byte[]> letter(
            ConsumerRecord<byte[], byte[]> of,
            @Nullable ConsumerRecord<byte[], byte[]> original,
            String sink,
            String code) {
        var letter = new Letter(
                new SourcePartition(of.topic(), new TopicId("aaaaaaaaaaaaaaaaaaaaaa"), of.partition()),
                of.offset(),
                sink,
                "s" + of.partition(),
                "token-1",
                ByteBuffer.wrap(bytes("encoded")),
                new Failure(code, "invalid input syntax", false),
                2);
        return DeadLetterRecord.of(dead, "shop", letter, original, false);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        var header = record.headers().lastHeader(name);
        return header == null ? "none" : new String(header.value(), StandardCharsets.UTF_8);
    }
}
