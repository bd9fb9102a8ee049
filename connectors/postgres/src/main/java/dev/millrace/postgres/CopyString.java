package dev.millrace.postgres;

import dev.millrace.json.JsonString;
import dev.millrace.json.Reasons;
import dev.millrace.sinkpool.RowBuffer;
import org.jspecify.annotations.Nullable;

/// A JSON string as COPY text, from a document whose grammar and encoding have been checked.
///
/// JSON and COPY spell backslash, newline, return, tab, backspace and form feed alike, so these pass as
/// they are.
final class CopyString {
    private CopyString() {}

    /// Puts the characters it stands for. `element`: in the quotes of an array's element, where quote and
    /// backslash are escaped once more. Returns why PostgreSQL can't have them, or null.
    static @Nullable String put(byte[] source, int openingQuote, boolean element, RowBuffer row) {
        var run = openingQuote + 1;
        var at = JsonString.plain(source, run);
        for (; source[at] != '"'; at = JsonString.plain(source, at)) {
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
                    var character = JsonString.character(source, at);
                    if (character == 0) return Reasons.NUL;
                    if (character < 0) return Reasons.LONE_SURROGATE;
                    CopyText.putCharacter(character, element, row);
                    at += JsonString.length(character);
                    run = at;
                }
                default -> at += 2;
            }
        }
        row.put(source, run, at - run);
        return null;
    }

    /// Why `jsonb` can't hold this JSON text, or null: it has its strings' characters, and not
    /// their spelling.
    static @Nullable String refusedByJsonb(byte[] source, int from, int to) {
        var at = from;
        while (at < to) {
            if (source[at] != '\\') {
                at++;
            } else if (source[at + 1] != 'u') {
                at += 2;
            } else {
                var character = JsonString.character(source, at);
                if (character == 0) return Reasons.NUL;
                if (character < 0) return Reasons.LONE_SURROGATE;
                at += JsonString.length(character);
            }
        }
        return null;
    }

    /// Whether the JSON text has a character above U+00FF. `escapes`: also one that is spelled as
    /// an escape.
    static boolean beyondLatin1(byte[] source, int from, int to, boolean escapes) {
        var at = from;
        while (at < to) {
            if ((source[at] & 0xFF) > 0xC3) return true;
            var escape = source[at] == '\\';
            if (escape && escapes && source[at + 1] == 'u' && JsonString.unit(source, at + 2) > 0xFF) return true;
            at += escape ? 2 : 1;
        }
        return false;
    }
}
