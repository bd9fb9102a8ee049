package dev.millrace.clickhouse;

import dev.millrace.sinkpool.RecordView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A record made by hand. Its key and its value stand in the middle of other bytes, as in a fetch.
final class ARecord implements RecordView {
    private static final class Header {
        final String name;
        final byte @Nullable [] value;

        Header(String name, byte @Nullable [] value) {
            this.name = name;
            this.value = value;
        }
    }

    private static final int AROUND = 5;

    private final byte[] value;
    private final int valueLength;
    private String topic = "orders";
    private int partition;
    private long offset;
    private long timestampMillis = 1_700_000_000_123L;
    private byte[] key = within(new byte[0]);
    private int keyLength = -1;
    private final List<Header> headers = new ArrayList<>();

    private ARecord(byte[] value) {
        this.value = within(value);
        valueLength = value.length;
    }

    static ARecord of(String value) {
        return new ARecord(value.getBytes(StandardCharsets.UTF_8));
    }

    ARecord at(String ofTopic, int ofPartition, long atOffset) {
        topic = ofTopic;
        partition = ofPartition;
        offset = atOffset;
        return this;
    }

    ARecord timestamp(long millis) {
        timestampMillis = millis;
        return this;
    }

    ARecord key(byte[] bytes) {
        key = within(bytes);
        keyLength = bytes.length;
        return this;
    }

    ARecord header(String name, byte @Nullable [] bytes) {
        headers.add(new Header(name, bytes));
        return this;
    }

    private static byte[] within(byte[] bytes) {
        var around = new byte[bytes.length + 2 * AROUND];
        Arrays.fill(around, (byte) '"');
        System.arraycopy(bytes, 0, around, AROUND, bytes.length);
        return around;
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public int partition() {
        return partition;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public long timestampMillis() {
        return timestampMillis;
    }

    @Override
    public byte[] keyArray() {
        return key;
    }

    @Override
    public int keyFrom() {
        return AROUND;
    }

    @Override
    public int keyLength() {
        return keyLength;
    }

    @Override
    public byte[] valueArray() {
        return value;
    }

    @Override
    public int valueFrom() {
        return AROUND;
    }

    @Override
    public int valueLength() {
        return valueLength;
    }

    @Override
    public int headerCount() {
        return headers.size();
    }

    @Override
    public String headerName(int index) {
        return headers.get(index).name;
    }

    @Override
    public byte @Nullable [] headerValue(int index) {
        return headers.get(index).value;
    }
}
