package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.sinkpool.NanoClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Which record it was that did not fit.
@Tag("SRC-14")
final class OversizedTest {
    private static final long RECORDS = 20;
    private static final TopicId TOPIC = new TopicId("orders");

    /// Two partitions of so many records, of which one at most does not fit.
    private static final class Log extends MockConsumer<ByteBuffer, ByteBuffer> {
        private final String bomb;

        Log(String bomb) {
            super("none");
            this.bomb = bomb;
            setMaxPollRecords(1);
        }

        @Override
        public synchronized ConsumerRecords<ByteBuffer, ByteBuffer> poll(Duration timeout) {
            var at = assignment().iterator().next();
            var position = position(at);
            if (bomb.equals(at + "@" + position)) throw new OutOfMemoryError("Java heap space");
            if (position < RECORDS)
                addRecord(new ConsumerRecord<>(at.topic(), at.partition(), position, ByteBuffer.allocate(0), null));
            return super.poll(timeout);
        }
    }

    private static SortedMap<SourcePartition, Long> next(long first, long second) {
        var next = new TreeMap<SourcePartition, Long>();
        for (var of : Map.of(0, first, 1, second).entrySet())
            next.put(new SourcePartition("orders", TOPIC, of.getKey()), of.getValue());
        return next;
    }

    private static String found(String bomb, long first, long second) {
        var log = new Log(bomb);
        var found = new Oversized(() -> log, NanoClock.SYSTEM).among(next(first, second));
        assertThat(log.closed()).isTrue();
        return String.valueOf(found);
    }

    @Test
    void itIsFoundBehindOthersInAnyPartition() {
        assertThat(found("orders-0@7", 7, 3)).isEqualTo("orders-0@7");
        assertThat(found("orders-0@12", 7, 3)).isEqualTo("orders-0@12");
        assertThat(found("orders-1@19", 7, 3)).isEqualTo("orders-1@19");
    }

    @Test
    void whereEachFitsItWasTheirSum() {
        assertThat(found("orders-1@2", 7, 3)).isEqualTo("null");
    }

    @Test
    void aBrokerThatDoesNotAnswerNamesNone() {
        var oversized = new Oversized(
                () -> {
                    throw new KafkaException("no broker");
                },
                NanoClock.SYSTEM);
        assertThat(oversized.among(next(0, 0))).isNull();
    }
}
