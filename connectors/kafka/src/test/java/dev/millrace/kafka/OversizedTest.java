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
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Which record it was that did not fit.
@Tag("SRC-14")
final class OversizedTest {
    private static final long RECORDS = 20;
    private static final TopicId TOPIC = new TopicId("orders");

    /// Two partitions of so many records. From some offsets of one of them reading fails, and the first polls give
    /// nothing.
    private static final class Log extends MockConsumer<ByteBuffer, ByteBuffer> {
        private final int partition;
        private final long first;
        private final long last;
        private int slow;

        Log(int partition, long first, long last, int slow) {
            super("none");
            this.partition = partition;
            this.first = first;
            this.last = last;
            this.slow = slow;
            setMaxPollRecords(1);
            for (var n = 0; n < 2; n++) updateEndOffsets(Map.of(new TopicPartition("orders", n), RECORDS));
        }

        @Override
        public synchronized ConsumerRecords<ByteBuffer, ByteBuffer> poll(Duration timeout) {
            if (slow-- > 0) return ConsumerRecords.empty();
            var at = assignment().iterator().next();
            var position = position(at);
            if (at.partition() == partition && position >= first && position <= last)
                throw new OutOfMemoryError("Java heap space");
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

    private static String found(Log log, long first, long second) {
        var found = new Oversized(() -> log, NanoClock.SYSTEM).among(next(first, second));
        assertThat(log.closed()).isTrue();
        return String.valueOf(found);
    }

    private static String found(int partition, long at) {
        return found(new Log(partition, at, at, 0), 7, 3);
    }

    @Test
    void itIsFoundBehindOthersInAnyPartition() {
        assertThat(found(0, 7)).isEqualTo("orders-0@7");
        assertThat(found(0, 12)).isEqualTo("orders-0@12");
        assertThat(found(1, 19)).isEqualTo("orders-1@19");
    }

    @Test
    void whereEachFitsItWasTheirSum() {
        assertThat(found(1, 2)).isEqualTo("null");
    }

    @Test
    @DisplayName(
            "SRC-14: all offsets are named from which reading fails: of a marker before it, of its batch behind it")
    void allOffsetsAreNamedFromWhichReadingFails() {
        for (var last = 9; last < RECORDS; last++)
            assertThat(found(new Log(0, 8, last, 0), 7, 3)).isEqualTo("orders-0@8-" + last);
    }

    @Test
    void aPollThatGivesNothingYetIsNoEnd() {
        assertThat(found(new Log(0, 12, 12, 3), 7, 3)).isEqualTo("orders-0@12");
    }

    @Test
    void whereTheLastIsNotFoundInTimeTheFirstIsNamedAlone() {
        var looks = new AtomicLong();
        var log = new Log(0, 7, 7, 0);
        // The time is up once the first was found.
        var found = new Oversized(() -> log, () -> looks.getAndIncrement() < 3 ? 0 : 1L << 60).among(next(7, 20));
        assertThat(found).isEqualTo(new Oversized.Found(new RecordPlace("orders", 0, 7), null));
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
