package dev.millrace.clickhouse;

import dev.millrace.sinkpool.RowBuffer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Whole numbers as RowBinary has them: of a fixed width, the lowest byte first; lengths in seven
/// bits a byte.
///
/// Thread ownership: the source thread.
final class LittleEndian {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int WIDEST = 32;

    private final byte[] room = new byte[WIDEST];

    /// The lowest `bytes` of a number; more than eight repeat its sign.
    void put(long value, int bytes, RowBuffer row) {
        LONG.set(room, 0, value);
        for (var at = Long.BYTES; at < bytes; at += Long.BYTES) LONG.set(room, at, value >> (Long.SIZE - 1));
        row.put(room, 0, bytes);
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
