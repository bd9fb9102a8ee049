package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.sinkpool.MemberPlaces;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class KafkaRecordsTest {
    private static ConsumerRecord<ByteBuffer, ByteBuffer> record(long offset, Headers headers) {
        return new ConsumerRecord<>(
                "orders", 0, offset, 0, TimestampType.CREATE_TIME, 0, 0, null, null, headers, Optional.empty());
    }

    @Test
    @Tag("SRC-5")
    @DisplayName("SRC-5: headers are those of the record at hand, in order, duplicates and nulls included")
    void headersAreTheRecordsOwn() {
        var headers =
                new RecordHeaders().add("a", new byte[] {1}).add("b", null).add("a", new byte[0]);
        var records = new KafkaRecords(List.of(record(0, headers), record(1, new RecordHeaders())));
        var first = records.at(0);
        assertThat(first.headerCount()).isEqualTo(3);
        assertThat(first.headerName(0)).isEqualTo("a");
        assertThat(first.headerValue(0)).containsExactly(1);
        assertThat(first.headerName(1)).isEqualTo("b");
        assertThat(first.headerValue(1)).isNull();
        assertThat(first.headerName(2)).isEqualTo("a");
        assertThat(first.headerValue(2)).isEmpty();
        assertThat(records.at(1).headerCount()).isZero();
        assertThat(records.at(0).headerCount()).isEqualTo(3);
    }

    @Test
    @DisplayName("FMT-2: what the check of a record found is told of that record alone")
    void membersAreTheRecordsOwn() {
        var records = new KafkaRecords(List.of(record(0, new RecordHeaders()), record(1, new RecordHeaders())));
        var members = new MemberPlaces();
        var view = records.at(0);
        assertThat(view.members()).isNull();
        records.checked(members);
        assertThat(view.members()).isSameAs(members);
        assertThat(records.at(1).members()).isNull();
    }
}
