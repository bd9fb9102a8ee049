package dev.millrace.kafka;

import dev.millrace.sinkpool.MemberPlaces;
import dev.millrace.sinkpool.RecordView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Records made by hand.
final class TestRecords implements PolledRecords, RecordView {
    private static final class One {
        final long offset;
        final byte @Nullable [] key;
        final byte @Nullable [] value;
        final int leaderEpoch;

        One(long offset, byte @Nullable [] key, byte @Nullable [] value, int leaderEpoch) {
            this.offset = offset;
            this.key = key;
            this.value = value;
            this.leaderEpoch = leaderEpoch;
        }
    }

    private final String topic;
    private final int partition;
    private final List<One> all = new ArrayList<>();
    private int at;
    private @Nullable MemberPlaces members;

    TestRecords(String topic, int partition) {
        this.topic = topic;
        this.partition = partition;
    }

    static TestRecords of(String topic, int partition, long first, int count) {
        var records = new TestRecords(topic, partition);
        for (var i = 0; i < count; i++) records.add(first + i, "key-" + (first + i), "{\"n\":" + (first + i) + "}");
        return records;
    }

    TestRecords add(long offset, @Nullable String key, @Nullable String value) {
        return add(offset, key, value, 0);
    }

    TestRecords add(long offset, @Nullable String key, @Nullable String value, int leaderEpoch) {
        all.add(new One(offset, bytes(key), bytes(value), leaderEpoch));
        return this;
    }

    TestRecords add(long offset, byte[] value) {
        all.add(new One(offset, null, value, 0));
        return this;
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public int size() {
        return all.size();
    }

    @Override
    public long offset(int index) {
        return all.get(index).offset;
    }

    @Override
    public int leaderEpoch(int index) {
        return all.get(index).leaderEpoch;
    }

    @Override
    public RecordView at(int index) {
        at = index;
        members = null;
        return this;
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
    public String topic() {
        return topic;
    }

    @Override
    public int partition() {
        return partition;
    }

    @Override
    public long offset() {
        return all.get(at).offset;
    }

    @Override
    public long timestampMillis() {
        return 0;
    }

    @Override
    public byte[] keyArray() {
        var key = all.get(at).key;
        return key == null ? new byte[0] : key;
    }

    @Override
    public int keyFrom() {
        return 0;
    }

    @Override
    public int keyLength() {
        var key = all.get(at).key;
        return key == null ? -1 : key.length;
    }

    @Override
    public byte[] valueArray() {
        var value = all.get(at).value;
        return value == null ? new byte[0] : value;
    }

    @Override
    public int valueFrom() {
        return 0;
    }

    @Override
    public int valueLength() {
        var value = all.get(at).value;
        return value == null ? -1 : value.length;
    }
}
