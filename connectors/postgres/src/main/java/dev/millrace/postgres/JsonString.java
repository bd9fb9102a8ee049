package dev.millrace.postgres;

import dev.millrace.sinkpool.RowBuffer;
import org.jspecify.annotations.Nullable;

/// A JSON string in a value whose grammar and encoding have been checked: from quote to quote, as its bytes
/// stand.
///
/// JSON and COPY spell backslash, newline, return, tab, backspace and form feed alike, so these pass as they
/// are.
final class JsonString {
    static final String NUL = "nul_character";
    static final String LONE_SURROGATE = "lone_surrogate";

    private JsonString() {}

    /// One past the closing quote.
    static int end(byte[] source, int openingQuote) {
        var at = openingQuote + 1;
        while (source[at] != '"') at += source[at] == '\\' ? 2 : 1;
        return at + 1;
    }

    /// Puts the characters it stands for. Returns why PostgreSQL can't have them, or null.
    static @Nullable String put(byte[] source, int openingQuote, RowBuffer row) {
        var run = openingQuote + 1;
        var at = run;
        while (source[at] != '"') {
            if (source[at] != '\\') {
                at++;
                continue;
            }
            switch (source[at + 1]) {
                case '"', '/' -> {
                    row.put(source, run, at - run);
                    run = at + 1;
                    at += 2;
                }
                case 'u' -> {
                    row.put(source, run, at - run);
                    var character = character(source, at);
                    if (character == 0) return NUL;
                    if (character < 0) return LONE_SURROGATE;
                    CopyText.putCharacter(character, row);
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
                if (character == 0) return NUL;
                if (character < 0) return LONE_SURROGATE;
                at += length(character);
            }
        }
        return null;
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
