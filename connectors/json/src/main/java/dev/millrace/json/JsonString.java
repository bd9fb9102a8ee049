package dev.millrace.json;

import java.nio.charset.StandardCharsets;

/// A JSON string in a document whose grammar and encoding have been checked: from quote to quote,
/// as its bytes stand.
public final class JsonString {
    /// Half of a character, which no encoding has.
    public static final int LONE_SURROGATE = -1;

    private JsonString() {}

    /// One past the closing quote.
    public static int end(byte[] source, int openingQuote) {
        var at = plain(source, openingQuote + 1);
        while (source[at] != '"') at = plain(source, at + 2);
        return at + 1;
    }

    /// The first quote or backslash at or after `from`, eight bytes at a time: there is one.
    public static int plain(byte[] source, int from) {
        var at = from;
        for (; source.length - at >= EightBytes.COUNT; at += EightBytes.COUNT) {
            var hits = EightBytes.endsOrEscapes(EightBytes.at(source, at));
            if (hits != 0) return at + EightBytes.first(hits);
        }
        while (source[at] != '"' && source[at] != '\\') at++;
        return at;
    }

    /// The characters that it stands for.
    public static String text(byte[] source, int openingQuote) {
        var from = openingQuote + 1;
        var to = plain(source, from);
        if (source[to] == '"') return new String(source, from, to - from, StandardCharsets.UTF_8);
        var room = new byte[end(source, openingQuote) - from];
        return new String(room, 0, utf8(source, openingQuote, room), StandardCharsets.UTF_8);
    }

    /// Puts the characters that it stands for into `room`, if they are ASCII. Returns how many, −1 where
    /// they are not or are too many.
    public static int ascii(byte[] source, int openingQuote, byte[] room) {
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

    /// Puts the characters that it stands for into `room`, as UTF-8. Returns how many bytes they are, −1
    /// where they do not fit or one is half a character.
    public static int utf8(byte[] source, int openingQuote, byte[] room) {
        var filled = 0;
        var at = openingQuote + 1;
        while (source[at] != '"') {
            if (source[at] != '\\') {
                if (filled == room.length) return -1;
                room[filled++] = source[at++];
            } else if (source[at + 1] != 'u') {
                if (filled == room.length) return -1;
                room[filled++] = escaped(source[at + 1]);
                at += 2;
            } else {
                var character = character(source, at);
                if (character == LONE_SURROGATE) return -1;
                filled = encode(character, room, filled);
                if (filled < 0) return -1;
                at += length(character);
            }
        }
        return filled;
    }

    /// Puts a character into `room` at `at`, as UTF-8. Returns where it ends, −1 where it does not fit.
    public static int encode(int character, byte[] room, int at) {
        var bytes = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
        if (room.length - at < bytes) return -1;
        if (bytes == 1) {
            room[at] = (byte) character;
        } else {
            // As many leading ones as bytes, and six bits in each byte behind.
            room[at] = (byte) (-1 << (Byte.SIZE - bytes) | (character >> (6 * (bytes - 1))));
            for (var i = 1; i < bytes; i++)
                room[at + i] = (byte) (0x80 | ((character >> (6 * (bytes - 1 - i))) & 0x3F));
        }
        return at + bytes;
    }

    /// What the letter behind a backslash stands for, unless that is a `u`.
    public static byte escaped(byte letter) {
        return switch (letter) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> letter;
        };
    }

    /// How many characters it stands for, or how many bytes of UTF-8.
    public static int length(byte[] source, int openingQuote, boolean bytes) {
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

    /// The character that the escape at `at`, a backslash and a `u`, spells, with its other half where it
    /// has one; [#LONE_SURROGATE] for half of one.
    public static int character(byte[] source, int at) {
        var unit = (char) unit(source, at + 2);
        if (!Character.isSurrogate(unit)) return unit;
        if (Character.isLowSurrogate(unit) || source[at + 6] != '\\' || source[at + 7] != 'u') return LONE_SURROGATE;
        var low = (char) unit(source, at + 8);
        return Character.isLowSurrogate(low) ? Character.toCodePoint(unit, low) : LONE_SURROGATE;
    }

    /// How many bytes the escape of such a character takes.
    public static int length(int character) {
        return character < 0x10000 ? 6 : 12;
    }

    /// The four digits at `at` of such an escape.
    public static int unit(byte[] source, int at) {
        var unit = 0;
        for (var i = 0; i < 4; i++) unit = (unit << 4) | Character.digit(source[at + i], 16);
        return unit;
    }
}
