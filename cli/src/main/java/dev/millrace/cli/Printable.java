package dev.millrace.cli;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Other people's text and bytes as a terminal may show them: nothing in them moves the cursor, breaks a line or turns
/// the direction of text.
final class Printable {
    private static final int ASCII_FIRST = 0x20;
    private static final int ASCII_LAST = 0x7e;

    private Printable() {}

    static String text(String text) {
        var out = new StringBuilder(text.length());
        text.codePoints().forEach(letter -> {
            if (letter == '\\') out.append("\\\\");
            else if (letter == '\n') out.append("\\n");
            else if (letter == '\t') out.append("\\t");
            else if (letter == '\r') out.append("\\r");
            else if (shows(letter)) out.appendCodePoint(letter);
            else if (letter > 0xffff) out.append("\\U%08x".formatted(letter));
            else out.append("\\u%04x".formatted(letter));
        });
        return out.toString();
    }

    private static boolean shows(int letter) {
        return switch (Character.getType(letter)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /// As text where it is UTF-8, and else byte by byte; at most so many bytes, with the number of those left out.
    static String bytes(byte @Nullable [] bytes, int limit) {
        if (bytes == null) return "null";
        var shown = Math.min(bytes.length, limit);
        var end = shown == bytes.length ? shown : letterStart(bytes, shown);
        var rest = bytes.length - end;
        return utf8(bytes, end) + (rest == 0 ? "" : " … and " + rest + " bytes more (--raw writes them all)");
    }

    // So that no letter is cut in two.
    private static int letterStart(byte[] bytes, int at) {
        var start = at;
        while (start > 0 && at - start < 3 && (bytes[start] & 0xc0) == 0x80) start--;
        return (bytes[start] & 0xc0) == 0x80 ? at : start;
    }

    private static String utf8(byte[] bytes, int length) {
        try {
            return text(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, 0, length))
                    .toString());
        } catch (CharacterCodingException _) {
            var out = new StringBuilder();
            for (var i = 0; i < length; i++) {
                var b = bytes[i] & 0xff;
                if (b == '\\') out.append("\\\\");
                else if (b >= ASCII_FIRST && b <= ASCII_LAST) out.append((char) b);
                else out.append("\\x%02x".formatted(b));
            }
            return out.toString();
        }
    }
}
