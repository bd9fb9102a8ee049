package dev.millrace.bench;

import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder;
import java.nio.charset.StandardCharsets;

/// A record whose value is the text that it is given.
///
/// Thread ownership: one caller.
final class TextRow implements RecordView {
    /// The value is the row.
    static final RowEncoder AS_IT_IS = (record, row) -> {
        row.put(record.valueArray(), record.valueFrom(), record.valueLength());
        return RowEncoder.Encoded.WRITTEN;
    };

    private static final byte[] NO_KEY = {};

    private final String topic;
    private final byte[] key;
    private byte[] value = {};
    private long offset;

    TextRow(String topic) {
        this.topic = topic;
        this.key = NO_KEY;
    }

    TextRow(String topic, String key) {
        this.topic = topic;
        this.key = key.getBytes(StandardCharsets.UTF_8);
    }

    /// The next one.
    TextRow of(long at, String line) {
        offset = at;
        value = line.getBytes(StandardCharsets.UTF_8);
        return this;
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public int partition() {
        return 0;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public long timestampMillis() {
        return 0;
    }

    @Override
    public byte[] keyArray() {
        return key;
    }

    @Override
    public int keyFrom() {
        return 0;
    }

    @Override
    public int keyLength() {
        return key.length == 0 ? -1 : key.length;
    }

    @Override
    public byte[] valueArray() {
        return value;
    }

    @Override
    public int valueFrom() {
        return 0;
    }

    @Override
    public int valueLength() {
        return value.length;
    }
}
