package dev.millrace.testkit;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.RowRef;
import org.jspecify.annotations.Nullable;

/// Rows as the fake sink writes them, and how it reads them again. A row is a function of (seed, life of
/// the partition, offset), so one that was altered, or never was, is seen.
///
/// Thread ownership: the run.
final class FakeRows implements RowEncoder {
    static final int HEAD = 20;

    private static final Encoded POLICY = new Encoded.Skipped("policy");
    private static final Encoded BAD = new Encoded.Poison("bad", "at byte 1");

    private final FakeLog log;
    private final @Nullable SkipOracle skips;
    private final int layout;
    private byte[] scratch = new byte[Scenario.LONGEST_ROW];

    /// For a reader.
    FakeRows(FakeLog log) {
        this(log, null, 0);
    }

    FakeRows(FakeLog log, @Nullable SkipOracle skips, int layout) {
        this.log = log;
        this.skips = skips;
        this.layout = layout;
    }

    @Override
    public int layout() {
        return layout;
    }

    @Override
    public Encoded encode(RecordView view, RowBuffer row) {
        if (!(view instanceof FakeRecords records) || skips == null)
            throw new IllegalArgumentException("not a record of the fake log");
        var life = records.holder();
        var record = records.record();
        var length = fill(life, record);
        if (life.poison[record]) {
            row.put(scratch, 0, HEAD);
            skips.poison(records.as(), life, record);
            return BAD;
        }
        if (log.skips(life.index, life.offsets[record])) {
            row.put(scratch, 0, HEAD);
            skips.policy(records.as(), life, record);
            return POLICY;
        }
        if (life.large[record]) skips.reached(Sometimes.RECORD_LARGER_THAN_BUDGET);
        row.put(scratch[0]);
        row.put(scratch, 1, length - 1);
        return Encoded.Written.WRITTEN;
    }

    private int fill(FakePartition life, int record) {
        var length = log.lengthOf(life, record);
        if (scratch.length < length) scratch = new byte[length];
        var offset = life.offsets[record];
        var value = log.value(life.index, offset);
        for (var i = 0; i < 4; i++) scratch[i] = (byte) (life.index >>> (24 - 8 * i));
        for (var i = 0; i < 8; i++) scratch[4 + i] = (byte) (offset >>> (56 - 8 * i));
        for (var i = 0; i < 8; i++) scratch[12 + i] = (byte) (value >>> (56 - 8 * i));
        for (var i = HEAD; i < length; i++) scratch[i] = (byte) (value >>> (i & 31));
        return length;
    }

    /// Where a row came from: the life of its partition, by index, and the offset in it.
    interface Visitor {
        void row(int p, long offset);
    }

    /// Reads the rows of a batch as a sink gets them, in order, and returns a hash over all bytes. Throws a
    /// violation for a row that was altered or never was (O4), or that is out of order (SEAL-6).
    long read(BatchRows rows, Visitor visitor) {
        var hash = 7L;
        var count = 0;
        EncodedChunk last = null;
        var lastOffset = -1L;
        for (var slice : rows.slices()) {
            var chunk = slice.chunk();
            if (last != null && last.layout() != chunk.layout())
                throw new Violation("CH-8", chunk + " of layout " + chunk.layout() + " is beside " + last.layout());
            if (last == null
                    || chunk.epoch() != last.epoch()
                    || !chunk.partition().equals(last.partition())) {
                var order = last == null ? 1 : chunk.partition().compareTo(last.partition());
                if (order < 0 || (order == 0 && last != null && chunk.epoch() < last.epoch()))
                    throw new Violation(
                            "SEAL-6", chunk + " of epoch " + chunk.epoch() + " comes too late in its batch");
                lastOffset = -1;
            }
            last = chunk;
            var slot = log.life(chunk.partition()).slot;
            for (var i = slice.fromRow(); i < slice.toRow(); i++) {
                var offset = chunk.offset(i);
                if (offset <= lastOffset)
                    throw new Violation("SEAL-6", chunk.partition() + "@" + offset + " comes after " + lastOffset);
                lastOffset = offset;
                var life = check(slot, offset, chunk.array(), chunk.start(i), chunk.end(i));
                hash = Mix.of(hash, log.value(life.index, offset));
                visitor.row(life.index, offset);
                count++;
            }
        }
        if (count != rows.rows()) throw new Violation("O4", count + " rows in a batch of " + rows.rows());
        return hash;
    }

    private FakePartition check(int slot, long offset, byte[] array, int from, int to) {
        var p = to - from < HEAD ? -1 : intAt(array, from);
        if (!log.exists(p, offset)) throw new Violation("O4", "no record at " + p + "@" + offset);
        var life = log.life(p);
        var record = life.at(offset);
        if (life.slot != slot || life.holder(record) != life)
            throw new Violation("O4", "a row of life " + p + " of another partition, at " + offset);
        var value = log.value(p, offset);
        var length = log.lengthOf(life, record);
        var same = to - from == length;
        for (var i = 0; same && i < 8; i++)
            same = array[from + 4 + i] == (byte) (offset >>> (56 - 8 * i))
                    && array[from + 12 + i] == (byte) (value >>> (56 - 8 * i));
        for (var i = HEAD; same && i < length; i++) same = array[from + i] == (byte) (value >>> (i & 31));
        if (!same) throw new Violation("O4", "altered row of partition " + p + "@" + offset);
        return life;
    }

    /// The life of the row's partition, by index.
    static int lifeOf(RowRef row) {
        return row.encoded().getInt();
    }

    private static int intAt(byte[] array, int from) {
        return array[from] << 24
                | (array[from + 1] & 0xff) << 16
                | (array[from + 2] & 0xff) << 8
                | (array[from + 3] & 0xff);
    }
}
