package dev.millrace.testkit;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.PolledRecords;
import dev.millrace.sinkpool.RecordView;
import java.nio.ByteBuffer;

/// The records that one fetch gave, as a view that moves over them.
///
/// Thread ownership: the run.
final class FakeRecords implements PolledRecords, RecordView {
    private static final byte[] GOOD = {'{', '}'};
    private static final byte[] BAD = {'{', ']'};

    /// The life of the partition, by index, in the value of a record that nobody can read.
    static int lifeOf(ByteBuffer bad) {
        return bad.getInt(bad.position() + BAD.length);
    }

    private final FakeLog log;
    private final SourcePartition as;
    private final FakePartition part;
    private final int first;
    private final int count;
    private final SkipOracle skips;
    private int at;

    FakeRecords(FakeLog log, SourcePartition as, FakePartition part, int first, int count, SkipOracle skips) {
        this.log = log;
        this.as = as;
        this.part = part;
        this.first = first;
        this.count = count;
        this.skips = skips;
    }

    @Override
    public int size() {
        return count;
    }

    @Override
    public long offset(int index) {
        return part.offsets[first + index];
    }

    @Override
    public int leaderEpoch(int index) {
        return part.leaderEpoch(first + index);
    }

    @Override
    public RecordView at(int index) {
        at = first + index;
        return this;
    }

    /// The life that holds the record.
    FakePartition holder() {
        return part.holder(at);
    }

    int record() {
        return at;
    }

    /// The partition as its reader calls it.
    SourcePartition as() {
        return as;
    }

    @Override
    public String topic() {
        return part.id.topic();
    }

    @Override
    public int partition() {
        return part.id.partition();
    }

    @Override
    public long offset() {
        return part.offsets[at];
    }

    @Override
    public long timestampMillis() {
        return 0;
    }

    @Override
    public byte[] keyArray() {
        return new byte[] {(byte) log.keyOf(holder().index, offset())};
    }

    @Override
    public int keyFrom() {
        return 0;
    }

    @Override
    public int keyLength() {
        return 1;
    }

    @Override
    public byte[] valueArray() {
        var life = holder();
        if (!life.poison[at]) return GOOD;
        return ByteBuffer.allocate(BAD.length + Integer.BYTES)
                .put(BAD)
                .putInt(life.index)
                .array();
    }

    @Override
    public int valueFrom() {
        return 0;
    }

    /// The source looks at it once, when there is room for the record: from then on it is done with.
    @Override
    public int valueLength() {
        var life = holder();
        if (life.tombstone[at]) {
            skips.tombstone(as, life, at);
            return -1;
        }
        if (life.poison[at] && skips.json()) skips.poison(as, life, at);
        return life.poison[at] ? BAD.length + Integer.BYTES : GOOD.length;
    }
}
