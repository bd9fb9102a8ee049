package dev.millrace.json;

/// A JSON string in a document whose grammar and encoding have been checked: from quote to quote, as its bytes stand.
public final class JsonString {
    /// Half of a character, which no encoding has.
    public static final int LONE_SURROGATE = -1;

    private JsonString() {}

    /// One past the closing quote.
    public static int end(byte[] source, int openingQuote) {
        var at = openingQuote + 1;
        while (source[at] != '"') at += source[at] == '\\' ? 2 : 1;
        return at + 1;
    }

    /// Puts the characters that it stands for into `room`, if they are ASCII. Returns how many, −1 where they are not
    /// or are too many.
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

    /// The character that the escape at `at`, a backslash and a `u`, spells, with its other half where it has one;
    /// [#LONE_SURROGATE] for half of one.
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
