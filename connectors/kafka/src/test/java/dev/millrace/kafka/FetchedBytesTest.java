package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("SRC-5")
final class FetchedBytesTest {
    @Test
    void aValueIsTheSliceOfTheFetchItCameIn() {
        var fetch = new byte[100];
        var slice = ByteBuffer.wrap(fetch, 10, 50).slice().position(3).limit(7);
        assertThat(new FetchedBytes().deserialize("orders", new RecordHeaders(), slice))
                .isSameAs(slice);
        assertThat(new FetchedBytes().deserialize("orders", new RecordHeaders(), (ByteBuffer) null))
                .isNull();
        var view = new KafkaRecords(List.of(record(null, slice), record(slice, null)));
        var first = view.at(0);
        assertThat(first.valueArray()).isSameAs(fetch);
        assertThat(first.valueFrom()).isEqualTo(13);
        assertThat(first.valueLength()).isEqualTo(4);
        assertThat(first.keyLength()).isEqualTo(-1);
        assertThat(view.at(1).valueLength()).isEqualTo(-1);
        assertThat(view.leaderEpoch(0)).isEqualTo(-1);
    }

    @SuppressWarnings("NullAway") // A record's key and value may be null; Kafka's class does not say so.
    private static ConsumerRecord<ByteBuffer, ByteBuffer> record(
            @org.jspecify.annotations.Nullable ByteBuffer key, @org.jspecify.annotations.Nullable ByteBuffer value) {
        return new ConsumerRecord<>(
                "orders", 0, 5, 0, TimestampType.CREATE_TIME, 0, 0, key, value, new RecordHeaders(), Optional.empty());
    }
}
