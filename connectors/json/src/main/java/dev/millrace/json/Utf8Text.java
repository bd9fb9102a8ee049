package dev.millrace.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Bytes as text: UTF-8 in its one strict spelling, without NUL.
public final class Utf8Text {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long HIGH = 0x8080808080808080L;
    private static final long LOW = 0x0101010101010101L;

    private Utf8Text() {}

    /// The first byte that is NUL or begins what is not UTF-8 (overlong, a surrogate, above U+10FFFF, cut
    /// off); −1 if all is well.
    public static int firstBad(byte[] bytes, int from, int length) {
        var at = from;
        var end = from + length;
        while (at < end) {
            if (end - at >= Long.BYTES) {
                var word = (long) LONG.get(bytes, at);
                // No byte with its high bit, and none that borrows when 1 is taken: all from 1 to 127.
                if (((word | (word - LOW)) & HIGH) == 0) {
                    at += Long.BYTES;
                    continue;
                }
            }
            var step = step(bytes, at, end);
            if (step == 0) return at;
            at += step;
        }
        return -1;
    }

    /// Whether well-formed UTF-8 has a character above U+00FF.
    public static boolean beyondLatin1(byte[] bytes, int from, int length) {
        for (var at = from; at < from + length; at++) if ((bytes[at] & 0xFF) > 0xC3) return true;
        return false;
    }

    /// The length of the character at `at`, 0 if there is none.
    private static int step(byte[] bytes, int at, int end) {
        var lead = bytes[at];
        if (lead > 0) return 1;
        if (lead == 0 || lead < (byte) 0xC2) return 0;
        if (lead < (byte) 0xE0) return tail(bytes, at + 1, end) ? 2 : 0;
        if (lead < (byte) 0xF0) {
            if (!tail(bytes, at + 1, end) || !tail(bytes, at + 2, end)) return 0;
            if (lead == (byte) 0xE0 && bytes[at + 1] < (byte) 0xA0) return 0;
            return lead == (byte) 0xED && bytes[at + 1] >= (byte) 0xA0 ? 0 : 3;
        }
        if (lead > (byte) 0xF4) return 0;
        if (!tail(bytes, at + 1, end) || !tail(bytes, at + 2, end) || !tail(bytes, at + 3, end)) return 0;
        if (lead == (byte) 0xF0 && bytes[at + 1] < (byte) 0x90) return 0;
        return lead == (byte) 0xF4 && bytes[at + 1] >= (byte) 0x90 ? 0 : 4;
    }

    private static boolean tail(byte[] bytes, int at, int end) {
        return at < end && (bytes[at] & 0xC0) == 0x80;
    }
}
