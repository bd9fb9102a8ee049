package dev.millrace.clickhouse;

import dev.millrace.sinkpool.RowBuffer;

/// Whole numbers as RowBinary has them: of a fixed width, the lowest byte first; lengths in seven
/// bits a byte.
final class LittleEndian {
    private LittleEndian() {}

    /// The lowest `bytes` of a number; more than eight repeat its sign.
    static void put(long value, int bytes, RowBuffer row) {
        row.putLittleEndian(value, Math.min(bytes, Long.BYTES));
        for (var at = Long.BYTES; at < bytes; at += Long.BYTES)
            row.putLittleEndian(value >> (Long.SIZE - 1), Long.BYTES);
    }

    /// How many bytes or elements follow.
    static void putLength(int length, RowBuffer row) {
        var rest = length;
        while (rest >= 0x80) {
            row.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        row.put((byte) rest);
    }
}
