package dev.millrace.kafka;

import dev.millrace.sinkpool.MemberPlaces;
import dev.millrace.sinkpool.RecordView;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/// Kafka's records of one poll of one partition, seen without a copy. The buffers are slices of the fetch
/// response: only array, offset and remaining are looked at, never the capacity.
///
/// Thread ownership: the source thread.
final class KafkaRecords implements PolledRecords, RecordView {
    private static final byte[] NOTHING = new byte[0];

    private final List<ConsumerRecord<ByteBuffer, ByteBuffer>> records;
    private ConsumerRecord<ByteBuffer, ByteBuffer> record;

    /// The record's, once somebody has asked for them: a header costs nothing before.
    private Header @Nullable [] headers;

    private @Nullable MemberPlaces members;

    /// `records` is not empty.
    KafkaRecords(List<ConsumerRecord<ByteBuffer, ByteBuffer>> records) {
        this.records = records;
        this.record = records.getFirst();
    }

    @Override
    public int size() {
        return records.size();
    }

    @Override
    public long offset(int index) {
        return records.get(index).offset();
    }

    @Override
    public int leaderEpoch(int index) {
        var epoch = records.get(index).leaderEpoch();
        return epoch.isPresent() ? epoch.get() : -1;
    }

    @Override
    public RecordView at(int index) {
        record = records.get(index);
        headers = null;
        members = null;
        return this;
    }

    @Override
    public String topic() {
        return record.topic();
    }

    @Override
    public int partition() {
        return record.partition();
    }

    @Override
    public long offset() {
        return record.offset();
    }

    @Override
    public long timestampMillis() {
        return record.timestamp();
    }

    @Override
    public byte[] keyArray() {
        return array(record.key());
    }

    @Override
    public int keyFrom() {
        return from(record.key());
    }

    @Override
    public int keyLength() {
        return length(record.key());
    }

    @Override
    public byte[] valueArray() {
        return array(record.value());
    }

    @Override
    public int valueFrom() {
        return from(record.value());
    }

    @Override
    public int valueLength() {
        return length(record.value());
    }

    @Override
    public void checked(@Nullable MemberPlaces found) {
        members = found;
    }

    @Override
    public @Nullable MemberPlaces members() {
        return members;
    }

    @Override
    public int headerCount() {
        return headers().length;
    }

    @Override
    public String headerName(int index) {
        return headers()[index].key();
    }

    @Override
    public byte @Nullable [] headerValue(int index) {
        return headers()[index].value();
    }

    private Header[] headers() {
        var asked = headers;
        if (asked == null) headers = asked = record.headers().toArray();
        return asked;
    }

    @SuppressWarnings("ByteBufferBackingArray") // Its offset is in `from`.
    private static byte[] array(@Nullable ByteBuffer buffer) {
        return buffer == null ? NOTHING : buffer.array();
    }

    private static int from(@Nullable ByteBuffer buffer) {
        return buffer == null ? 0 : buffer.arrayOffset() + buffer.position();
    }

    private static int length(@Nullable ByteBuffer buffer) {
        return buffer == null ? -1 : buffer.remaining();
    }
}
