package dev.millrace.testkit;

import dev.millrace.sinkpool.RecordView;

/// One record of the fake log.
record FakeRecord(FakeLog log, int index, long offset) implements RecordView {
    private static final byte[] NONE = new byte[0];

    @Override
    public String topic() {
        return log.partitions().get(index).topic();
    }

    @Override
    public int partition() {
        return log.partitions().get(index).partition();
    }

    @Override
    public long timestampMillis() {
        return 0;
    }

    @Override
    public byte[] keyArray() {
        return NONE;
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
        return NONE;
    }

    @Override
    public int valueFrom() {
        return 0;
    }

    @Override
    public int valueLength() {
        return 0;
    }
}
