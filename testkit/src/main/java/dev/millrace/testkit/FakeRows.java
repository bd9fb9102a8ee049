package dev.millrace.testkit;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// Rows as the fake sink writes them, and how it reads them again. A row is a function of (seed, partition, offset), so
/// one that was altered, or never was, is seen.
///
/// Thread ownership: the run.
final class FakeRows implements RowEncoder {
    private static final int HEAD = 20;

    private final FakeLog log;

    FakeRows(FakeLog log) {
        this.log = log;
    }

    @Override
    public Encoded encode(RecordView view, RowBuffer row) {
        if (!(view instanceof FakeRecord record)) throw new IllegalArgumentException("not a record of the fake log");
        var bytes = bytes(record.index(), record.offset());
        if (log.skips(record.index(), record.offset())) {
            row.put(bytes, 0, HEAD);
            log.skipped(record.index(), record.offset());
            return new Encoded.Skipped("policy");
        }
        row.put(bytes[0]);
        row.put(bytes, 1, bytes.length - 1);
        return Encoded.Written.WRITTEN;
    }

    private byte[] bytes(int p, long offset) {
        var value = log.value(p, offset);
        var length = HEAD + (int) Math.floorMod(value, (long) Scenario.LONGEST_ROW - HEAD);
        var out = ByteBuffer.allocate(length).putInt(p).putLong(offset).putLong(value);
        while (out.hasRemaining()) out.put((byte) (value >>> (out.position() & 31)));
        return out.array();
    }

    /// Where a row came from.
    interface Visitor {
        void row(int p, long offset);
    }

    /// Reads the rows of a batch as a sink gets them, in order, and returns a hash over all bytes. Throws a
    /// violation for a row that was altered or never was (O4), or that is out of order (SEAL-6).
    long read(BatchRows rows, Visitor visitor) {
        var hash = 7L;
        var count = 0;
        var lastPartition = -1;
        var lastEpoch = Long.MIN_VALUE;
        var lastOffset = -1L;
        for (var slice : rows.slices()) {
            var chunk = slice.chunk();
            var p = log.indexOf(chunk.partition());
            if (p != lastPartition || chunk.epoch() != lastEpoch) {
                if (p < lastPartition || (p == lastPartition && chunk.epoch() < lastEpoch))
                    throw new Violation(
                            "SEAL-6", chunk + " of epoch " + chunk.epoch() + " comes too late in its batch");
                lastOffset = -1;
            }
            lastPartition = p;
            lastEpoch = chunk.epoch();
            for (var i = slice.fromRow(); i < slice.toRow(); i++) {
                var offset = chunk.offset(i);
                if (offset <= lastOffset)
                    throw new Violation("SEAL-6", chunk.partition() + "@" + offset + " comes after " + lastOffset);
                lastOffset = offset;
                hash = Mix.of(hash, check(p, offset, chunk.array(), chunk.start(i), chunk.end(i)));
                visitor.row(p, offset);
                count++;
            }
        }
        if (count != rows.rows()) throw new Violation("O4", count + " rows in a batch of " + rows.rows());
        return hash;
    }

    private long check(int p, long offset, byte[] array, int from, int to) {
        if (!log.exists(p, offset)) throw new Violation("O4", "no record at " + p + "@" + offset);
        var want = bytes(p, offset);
        if (!Arrays.equals(want, 0, want.length, array, from, to))
            throw new Violation("O4", "altered row of partition " + p + "@" + offset);
        return log.value(p, offset);
    }
}
