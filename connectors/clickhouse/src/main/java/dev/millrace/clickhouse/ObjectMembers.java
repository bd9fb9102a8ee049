package dev.millrace.clickhouse;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Looks for names among the members of a JSON object, its outermost ones alone, without a tree.
///
/// The grammar was checked before: of what breaks it, nothing is told but that it is no object.
///
/// Thread ownership: one caller.
final class ObjectMembers {
    private static final class Name {
        final String text;
        final byte[] bytes;

        Name(String text) {
            this.text = text;
            this.bytes = text.getBytes(StandardCharsets.UTF_8);
        }
    }

    private final List<Name> names;
    private byte[] bytes = {};
    private int end;
    private int inside;
    private boolean empty;
    private @Nullable String found;

    ObjectMembers(Collection<String> names) {
        this.names = names.stream().map(Name::new).toList();
    }

    /// Looks through `source[from, from + length)`. Returns whether it is an object; the other
    /// methods tell of it then.
    boolean look(byte[] source, int from, int length) {
        bytes = source;
        end = from + Math.max(0, length);
        found = null;
        var open = next(from);
        if (open == end || bytes[open] != '{') return false;
        inside = open + 1;
        var first = next(inside);
        empty = first < end && bytes[first] == '}';
        return members(first);
    }

    /// The index behind its opening brace.
    int inside() {
        return inside;
    }

    boolean empty() {
        return empty;
    }

    /// The first of the names that it has a member of; null for none.
    @Nullable
    String found() {
        return found;
    }

    private boolean members(int from) {
        var depth = 1;
        var named = true;
        for (var at = from; at < end; at++) {
            switch (bytes[at]) {
                case '"' -> {
                    var close = closing(at + 1);
                    if (close >= end) return false;
                    if (named && found == null) found = match(at + 1, close);
                    named = false;
                    at = close;
                }
                case '{', '[' -> {
                    depth++;
                    named = false;
                }
                case '}', ']' -> {
                    if (--depth == 0) return true;
                }
                case ',' -> named = depth == 1;
                default -> {
                    // White space, a colon, a number or a word.
                }
            }
        }
        return false;
    }

    /// The index of the quote that ends the string whose text begins at `from`, or `end`.
    private int closing(int from) {
        var at = from;
        while (at < end && bytes[at] != '"') at += bytes[at] == '\\' ? 2 : 1;
        return Math.min(at, end);
    }

    /// The index of the first byte at or after `from` that is no white space, or `end`.
    private int next(int from) {
        var at = from;
        while (at < end && (bytes[at] == ' ' || bytes[at] == '\n' || bytes[at] == '\r' || bytes[at] == '\t')) at++;
        return at;
    }

    private @Nullable String match(int from, int to) {
        for (var at = from; at < to; at++) if (bytes[at] == '\\') return matchUnescaped(from, to);
        for (var name : names) if (Arrays.equals(bytes, from, to, name.bytes, 0, name.bytes.length)) return name.text;
        return null;
    }

    /// Names are ASCII, and an ASCII letter's only escape of another letter is that by its number.
    private @Nullable String matchUnescaped(int from, int to) {
        var text = new StringBuilder(to - from);
        for (var at = from; at < to; at++) {
            if (bytes[at] != '\\') text.append((char) (bytes[at] & 0xff));
            else if (at + 5 < to && bytes[at + 1] == 'u') {
                var unit = 0;
                for (var digit = at + 2; digit < at + 6; digit++) unit = 16 * unit + Character.digit(bytes[digit], 16);
                text.append((char) unit);
                at += 5;
            } else text.append(bytes[++at] == '/' ? '/' : '\\');
        }
        for (var name : names) if (name.text.contentEquals(text)) return name.text;
        return null;
    }
}
