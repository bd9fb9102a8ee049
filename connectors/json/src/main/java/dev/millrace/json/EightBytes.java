package dev.millrace.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Tells which of eight bytes of a text, in one number with the first one lowest, are of a kind: the high
/// bit of each that is. A byte behind the first that is may be told to be too, so only the first is to be asked for.
final class EightBytes {
    static final int COUNT = Long.BYTES;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;
    private static final long QUOTES = ONES * '"';
    private static final long BACKSLASHES = ONES * '\\';
    private static final long SPACES = ONES * ' ';
    private static final long NOUGHTS = ONES * '0';

    /// Added to a digit's value, any but ten or more leaves the high bit alone.
    private static final long UP_FROM_NINE = ONES * (0x80 - 10);

    private EightBytes() {}

    static long at(byte[] bytes, int from) {
        return (long) LONGS.get(bytes, from);
    }

    /// The first of those that are; there is one.
    static int first(long which) {
        return Long.numberOfTrailingZeros(which) / Byte.SIZE;
    }

    // A byte that became zero borrows from the one above.
    static long endsOrEscapes(long word) {
        var quote = word ^ QUOTES;
        var backslash = word ^ BACKSLASHES;
        return (((quote - ONES) & ~quote) | ((backslash - ONES) & ~backslash)) & HIGHS;
    }

    static long controlsOrNotAscii(long word) {
        return ((word - SPACES) | word) & HIGHS;
    }

    static long notDigits(long word) {
        var values = word ^ NOUGHTS;
        return ((values + UP_FROM_NINE) | values) & HIGHS;
    }
}
