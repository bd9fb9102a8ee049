package dev.millrace.clickhouse;

import dev.millrace.json.JsonString;
import dev.millrace.json.JsonText;
import dev.millrace.json.Reasons;
import dev.millrace.json.Words;
import dev.millrace.sinkpool.RowBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Cells that JSON strings go into, and `true` and `false`.
final class TextCells {
    /// The most bytes that a character has.
    private static final int CHARACTER = 4;

    private TextCells() {}

    /// The characters of a string, as UTF-8.
    static final class Text implements Cell {
        private final byte[] room = new byte[CHARACTER];

        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (source[at] != '"') return Cell.wrong(source[at]);
            var end = JsonString.plain(source, at + 1);
            if (source[end] == '"') return put(source, at, end + 1, row);
            LittleEndian.putLength(JsonString.length(source, at, true), row);
            return putCharacters(source, at, room, row);
        }

        @Override
        public @Nullable String put(byte[] source, int at, int end, RowBuffer row) {
            if (end == 0 || source[at] != '"') return put(source, at, row);
            var length = end - at - 2;
            LittleEndian.putLength(length, row);
            row.put(source, at + 1, length);
            return null;
        }
    }

    /// The same where their number of bytes is fixed: a shorter string would be padded.
    static final class Fixed implements Cell {
        private final byte[] room = new byte[CHARACTER];
        private final int bytes;

        Fixed(int bytes) {
            this.bytes = bytes;
        }

        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (source[at] != '"') return Cell.wrong(source[at]);
            var length = JsonString.length(source, at, true);
            if (length != bytes) return length > bytes ? Reasons.TOO_LONG : Reasons.TOO_SHORT;
            return putCharacters(source, at, room, row);
        }
    }

    private static @Nullable String putCharacters(byte[] source, int openingQuote, byte[] room, RowBuffer row) {
        var run = openingQuote + 1;
        while (true) {
            var at = JsonString.plain(source, run);
            row.put(source, run, at - run);
            if (source[at] == '"') return null;
            if (source[at + 1] == 'u') {
                var character = JsonString.character(source, at);
                if (character == JsonString.LONE_SURROGATE) return Reasons.LONE_SURROGATE;
                row.put(room, 0, JsonString.encode(character, room, 0));
                run = at + JsonString.length(character);
            } else {
                row.put(JsonString.escaped(source[at + 1]));
                run = at + 2;
            }
        }
    }

    /// A word of an enum, put as its number.
    static final class Word implements Cell {
        private final Words words;
        private final int[] numbers;
        private final int bytes;

        Word(Map<String, Integer> numbers, int bytes) {
            words = new Words(numbers.keySet());
            this.numbers = numbers.values().stream().mapToInt(Integer::intValue).toArray();
            this.bytes = bytes;
        }

        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (source[at] != '"') return Cell.wrong(source[at]);
            var place = words.place(source, at);
            if (place < 0) return Reasons.UNKNOWN_WORD;
            LittleEndian.put(numbers[place], bytes, row);
            return null;
        }
    }

    static final class Truth implements Cell {
        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (source[at] != 't' && source[at] != 'f') return Cell.wrong(source[at]);
            row.put((byte) (source[at] == 't' ? 1 : 0));
            return null;
        }
    }

    /// An object's text, which the server reads.
    static final class Json implements Cell {
        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (source[at] != '{') return Cell.wrong(source[at]);
            var length = JsonText.end(source, at) - at;
            LittleEndian.putLength(length, row);
            row.put(source, at, length);
            return null;
        }

        @Override
        public boolean holdsObjects() {
            return true;
        }
    }
}
