package dev.millrace.kafka;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Finds newlines and carriage returns in bytes, eight at a time.
final class LineBreaks {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;

    private LineBreaks() {}

    /// The index of the first at or after `from`, or `to`.
    static int next(byte[] bytes, int from, int to) {
        var i = from;
        while (to - i >= 8) {
            var word = (long) LONGS.get(bytes, i);
            var newline = word ^ (ONES * '\n');
            var carriage = word ^ (ONES * '\r');
            if (((((newline - ONES) & ~newline) | ((carriage - ONES) & ~carriage)) & HIGHS) != 0) break;
            i += 8;
        }
        while (i < to && bytes[i] != '\n' && bytes[i] != '\r') i++;
        return i;
    }
}
