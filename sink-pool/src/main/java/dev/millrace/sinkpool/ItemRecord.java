package dev.millrace.sinkpool;

/// The item that is being encoded, as a [ChunkBuilder] sees it: a record whose encoder looks at the item alone.
///
/// Thread ownership: the front's thread.
final class ItemRecord<T> implements RecordView, RowEncoder {
    private static final byte[] NOTHING = {};

    private final ItemEncoder<T> encoder;
    private final Link.Item<T> item;
    private final long number;

    ItemRecord(ItemEncoder<T> encoder, Link.Item<T> item, long number) {
        this.encoder = encoder;
        this.item = item;
        this.number = number;
    }

    @Override
    public Encoded encode(RecordView record, RowBuffer row) {
        return encoder.encode(item.tenant, item.item, row);
    }

    @Override
    public int layout() {
        return encoder.layout(item.item);
    }

    @Override
    public String topic() {
        return item.tenant;
    }

    @Override
    public int partition() {
        return 0;
    }

    @Override
    public long offset() {
        return number;
    }

    @Override
    public long timestampMillis() {
        return -1;
    }

    @Override
    public byte[] keyArray() {
        return NOTHING;
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
        return NOTHING;
    }

    @Override
    public int valueFrom() {
        return 0;
    }

    @Override
    public int valueLength() {
        return -1;
    }
}
