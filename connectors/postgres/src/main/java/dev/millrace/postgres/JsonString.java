package dev.millrace.postgres;

import dev.millrace.sinkpool.RowBuffer;
import org.jspecify.annotations.Nullable;

/// A JSON string in a value whose grammar and encoding have been checked: from quote to quote, as its bytes
/// stand.
///
/// JSON and COPY spell backslash, newline, return, tab, backspace and form feed alike, so these pass as they
/// are.
final class JsonString {
    private JsonString() {}

    /// One past the closing quote.
    static int end(byte[] source, int openingQuote) {
        var at = openingQuote + 1;
        while (source[at] != '"') at += source[at] == '\\' ? 2 : 1;
        return at + 1;
    }

    /// Puts the characters it stands for. `element`: in the quotes of an array's element, where quote and backslash are
    /// escaped once more. Returns why PostgreSQL can't have them, or null.
    static @Nullable String put(byte[] source, int openingQuote, boolean element, RowBuffer row) {
        var run = openingQuote + 1;
        var at = run;
        while (source[at] != '"') {
            if (source[at] != '\\') {
                at++;
                continue;
            }
            switch (source[at + 1]) {
                case '/' -> {
                    row.put(source, run, at - run);
                    run = at + 1;
                    at += 2;
                }
                case '"', '\\' -> {
                    row.put(source, run, at - run);
                    CopyText.putCharacter(source[at + 1], element, row);
                    at += 2;
                    run = at;
                }
                case 'u' -> {
                    row.put(source, run, at - run);
                    var character = character(source, at);
                    if (character == 0) return Reasons.NUL;
                    if (character < 0) return Reasons.LONE_SURROGATE;
                    CopyText.putCharacter(character, element, row);
                    at += length(character);
                    run = at;
                }
                default -> at += 2;
            }
        }
        row.put(source, run, at - run);
        return null;
    }

    /// Why `jsonb` can't hold this JSON text, or null: it has its strings' characters, and not their spelling.
    static @Nullable String refusedByJsonb(byte[] source, int from, int to) {
        var at = from;
        while (at < to) {
            if (source[at] != '\\') {
                at++;
            } else if (source[at + 1] != 'u') {
                at += 2;
            } else {
                var character = character(source, at);
                if (character == 0) return Reasons.NUL;
                if (character < 0) return Reasons.LONE_SURROGATE;
                at += length(character);
            }
        }
        return null;
    }

    /// Puts the characters that it stands for into `room`, if they are ASCII. Returns how many, −1 where they are not
    /// or
    /// are too many.
    static int ascii(byte[] source, int openingQuote, byte[] room) {
        var filled = 0;
        var at = openingQuote + 1;
        while (source[at] != '"') {
            if (filled == room.length || source[at] < 0) return -1;
            if (source[at] != '\\') {
                room[filled++] = source[at++];
            } else if (source[at + 1] == 'u') {
                var unit = unit(source, at + 2);
                if (unit <= 0 || unit > 0x7f) return -1;
                room[filled++] = (byte) unit;
                at += 6;
            } else if (source[at + 1] == '/') {
                room[filled++] = '/';
                at += 2;
            } else {
                return -1;
            }
        }
        return filled;
    }

    /// How many characters it stands for, or how many bytes of UTF-8.
    static int length(byte[] source, int openingQuote, boolean bytes) {
        var length = 0;
        var at = openingQuote + 1;
        while (source[at] != '"') {
            if (source[at] != '\\') {
                if (bytes || (source[at] & 0xC0) != 0x80) length++;
                at++;
            } else if (source[at + 1] == 'u') {
                var character = character(source, at);
                length += !bytes || character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
                at += length(character);
            } else {
                length++;
                at += 2;
            }
        }
        return length;
    }

    /// Whether the JSON text has a character above U+00FF. `escapes`: also one that is spelled as an escape.
    static boolean beyondLatin1(byte[] source, int from, int to, boolean escapes) {
        var at = from;
        while (at < to) {
            if ((source[at] & 0xFF) > 0xC3) return true;
            var escape = source[at] == '\\';
            if (escape && escapes && source[at + 1] == 'u' && unit(source, at + 2) > 0xFF) return true;
            at += escape ? 2 : 1;
        }
        return false;
    }

    /// How many bytes its escape takes.
    private static int length(int character) {
        return character < 0x10000 ? 6 : 12;
    }

    /// The character that the escape at `at` spells, with its other half where it has one; −1 for half of one.
    private static int character(byte[] source, int at) {
        var unit = (char) unit(source, at + 2);
        if (!Character.isSurrogate(unit)) return unit;
        if (Character.isLowSurrogate(unit) || source[at + 6] != '\\' || source[at + 7] != 'u') return -1;
        var low = (char) unit(source, at + 8);
        return Character.isLowSurrogate(low) ? Character.toCodePoint(unit, low) : -1;
    }

    private static int unit(byte[] source, int at) {
        var unit = 0;
        for (var i = 0; i < 4; i++) unit = (unit << 4) | Character.digit(source[at + i], 16);
        return unit;
    }
}
