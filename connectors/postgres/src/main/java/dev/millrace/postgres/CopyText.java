package dev.millrace.postgres;

import dev.millrace.sinkpool.RowBuffer;
import java.nio.charset.StandardCharsets;

/// COPY's text format: values between tabs, a row on a line, `\N` for null, a backslash before what would
/// end either.
///
/// Bytes are put as they came, in runs; only the few that mean something to COPY, or to JSON, are looked at.
///
/// Thread ownership: the source thread.
final class CopyText {
    static final byte TAB = '\t';
    static final byte END = '\n';
    private static final byte[] NULL = {'\\', 'N'};
    /// One backslash that is there when COPY has read it.
    private static final byte[] ARRAY_ESCAPE = {'\\', '\\'};

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final int HEX_ROOM = 1024;

    private final byte[] hex = new byte[HEX_ROOM];

    static void putNull(RowBuffer row) {
        row.put(NULL, 0, NULL.length);
    }

    /// Text of the value, byte for byte after the server read it.
    static void putText(byte[] source, int from, int to, RowBuffer row) {
        var run = from;
        for (var at = from; at < to; at++) {
            var escaped = escape(source[at]);
            if (escaped == 0) continue;
            row.put(source, run, at - run);
            row.put((byte) '\\');
            row.put(escaped);
            run = at + 1;
        }
        row.put(source, run, to - run);
    }

    /// What stands behind the backslash for a byte that can't stand for itself; 0 for all others.
    private static byte escape(byte b) {
        return switch (b) {
            case '\\' -> '\\';
            case '\n' -> 'n';
            case '\r' -> 'r';
            case '\t' -> 't';
            default -> 0;
        };
    }

    /// Bytes for a `bytea` column.
    void putBytes(byte[] source, int from, int to, RowBuffer row) {
        row.putAscii("\\\\x");
        var filled = 0;
        for (var at = from; at < to; at++) {
            hex[filled++] = HEX[(source[at] >> 4) & 0xF];
            hex[filled++] = HEX[source[at] & 0xF];
            if (filled == HEX_ROOM) {
                row.put(hex, 0, filled);
                filled = 0;
            }
        }
        row.put(hex, 0, filled);
    }

    /// The JSON text of an element of an array, in its quotes.
    static void putElement(byte[] source, int from, int to, RowBuffer row) {
        row.put((byte) '"');
        for (var at = from; at < to; at++) {
            var b = source[at];
            if (b < 0) row.put(b);
            else putCharacter(b, true, row);
        }
        row.put((byte) '"');
    }

    /// One character that JSON spelled as an escape. `element`: in the quotes of an array's element.
    static void putCharacter(int codePoint, boolean element, RowBuffer row) {
        if (element && (codePoint == '"' || codePoint == '\\')) row.put(ARRAY_ESCAPE, 0, ARRAY_ESCAPE.length);
        if (codePoint < 0x80) {
            var escaped = escape((byte) codePoint);
            if (escaped != 0) row.put((byte) '\\');
            row.put(escaped != 0 ? escaped : (byte) codePoint);
        } else if (codePoint < 0x800) {
            row.put((byte) (0xC0 | (codePoint >> 6)));
            row.put(last(codePoint, 0));
        } else if (codePoint < 0x10000) {
            row.put((byte) (0xE0 | (codePoint >> 12)));
            row.put(last(codePoint, 6));
            row.put(last(codePoint, 0));
        } else {
            row.put((byte) (0xF0 | (codePoint >> 18)));
            row.put(last(codePoint, 12));
            row.put(last(codePoint, 6));
            row.put(last(codePoint, 0));
        }
    }

    private static byte last(int codePoint, int shift) {
        return (byte) (0x80 | ((codePoint >> shift) & 0x3F));
    }
}
