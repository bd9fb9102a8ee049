package dev.millrace.sinkpool;

/// A record without a key, whose value is the row.
final class FakeRecord implements RecordView {
    /// Takes the value for the row.
    static final RowEncoder AS_IS = (record, row) -> {
        row.put(record.valueArray(), record.valueFrom(), record.valueLength());
        return RowEncoder.Encoded.WRITTEN;
    };

    private final String topic;
    private final int partition;
    private final long offset;
    private final byte[] value;

    FakeRecord(String topic, int partition, long offset, byte[] value) {
        this.topic = topic;
        this.partition = partition;
        this.offset = offset;
        this.value = value;
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
        return 0;
    }

    @Override
    public byte[] keyArray() {
        return value;
    }

    @Override
    public int keyFrom() {
        return 0;
    }

    @Override
    public int keyLength() {
        return -1;
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
