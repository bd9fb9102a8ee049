package dev.millrace.sinkpool;

/// The least record there is.
final class OneByte implements RecordView {
    private static final byte[] NOTHING = {};

    @Override
    public String topic() {
        return "orders";
    }

    @Override
    public int partition() {
        return 0;
    }

    @Override
    public long offset() {
        return 0;
    }

    @Override
    public long timestampMillis() {
        return 0;
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
