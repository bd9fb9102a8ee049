package dev.millrace.clickhouse;

import dev.millrace.json.IgnoredFields;
import dev.millrace.json.JsonFields;
import dev.millrace.json.JsonString;
import dev.millrace.json.JsonText;
import dev.millrace.json.Reasons;
import dev.millrace.json.Words;
import dev.millrace.sinkpool.RowBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Cells that hold other cells.
final class NestCells {
    private NestCells() {}

    /// A value, or null.
    static final class OrNull implements Cell {
        private final Cell value;

        OrNull(Cell value) {
            this.value = value;
        }

        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            return put(source, at, 0, row);
        }

        @Override
        public @Nullable String put(byte[] source, int at, int end, RowBuffer row) {
            var isNull = source[at] == 'n';
            row.put((byte) (isNull ? 1 : 0));
            return isNull ? null : value.put(source, at, end, row);
        }

        @Override
        public boolean takesNull() {
            return true;
        }

        @Override
        public boolean holdsObjects() {
            return value.holdsObjects();
        }
    }

    /// An array's elements.
    static final class Listed implements Cell {
        private final Cell element;

        Listed(Cell element) {
            this.element = element;
        }

        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (source[at] != '[') return Cell.wrong(source[at]);
            LittleEndian.putLength(count(source, at), row);
            var next = JsonText.afterBlank(source, at + 1);
            while (source[next] != ']') {
                var reason = element.put(source, next, row);
                if (reason != null) return reason;
                next = JsonText.next(source, JsonText.end(source, next));
            }
            return null;
        }

        @Override
        public boolean holdsObjects() {
            return element.holdsObjects();
        }
    }

    /// How many elements an array has, or members an object.
    private static int count(byte[] source, int at) {
        var closing = source[at] == '[' ? ']' : '}';
        var count = 0;
        var next = JsonText.afterBlank(source, at + 1);
        while (source[next] != closing) {
            if (closing == '}') next = JsonText.value(source, next);
            next = JsonText.next(source, JsonText.end(source, next));
            count++;
        }
        return count;
    }

    /// An object's members as keys and values. The keys differ: that was looked at.
    static final class Mapped implements Cell {
        private final Cell key;
        private final Cell value;

        Mapped(Cell key, Cell value) {
            this.key = key;
            this.value = value;
        }

        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (source[at] != '{') return Cell.wrong(source[at]);
            LittleEndian.putLength(count(source, at), row);
            var next = JsonText.afterBlank(source, at + 1);
            while (source[next] != '}') {
                var reason = key.put(source, next, row);
                if (reason != null) return reason;
                next = JsonText.value(source, next);
                reason = value.put(source, next, row);
                if (reason != null) return reason;
                next = JsonText.next(source, JsonText.end(source, next));
            }
            return null;
        }

        @Override
        public boolean holdsObjects() {
            return true;
        }
    }

    /// An array with one element for each of the tuple's.
    static final class InOrder implements Cell {
        private final Cell[] elements;

        InOrder(List<Cell> elements) {
            this.elements = elements.toArray(Cell[]::new);
        }

        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (source[at] != '[') return Cell.wrong(source[at]);
            var next = JsonText.afterBlank(source, at + 1);
            for (var element : elements) {
                if (source[next] == ']') return Reasons.TOO_SHORT;
                var reason = element.put(source, next, row);
                if (reason != null) return reason;
                next = JsonText.next(source, JsonText.end(source, next));
            }
            return source[next] == ']' ? null : Reasons.TOO_LONG;
        }

        @Override
        public boolean holdsObjects() {
            for (var element : elements) if (element.holdsObjects()) return true;
            return false;
        }
    }

    /// An object whose members have the names of the tuple's elements. The keys differ: that was looked at.
    static final class ByName implements Cell {
        private final Cell[] elements;
        private final Words names;
        private final int[] starts;
        private final JsonFields.Unknown unknown;
        private final IgnoredFields ignored;

        ByName(List<String> names, List<Cell> elements, JsonFields.Unknown unknown, IgnoredFields ignored) {
            this.elements = elements.toArray(Cell[]::new);
            this.names = new Words(names);
            this.unknown = unknown;
            this.ignored = ignored;
            starts = new int[this.elements.length];
        }

        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (source[at] != '{') return Cell.wrong(source[at]);
            var reason = locate(source, at);
            for (var i = 0; i < elements.length && reason == null; i++) {
                if (starts[i] >= 0) reason = elements[i].put(source, starts[i], row);
                else if (elements[i].takesNull()) row.put((byte) 1);
                else reason = Reasons.MISSING;
            }
            return reason;
        }

        private @Nullable String locate(byte[] source, int at) {
            for (var i = 0; i < starts.length; i++) starts[i] = -1;
            var next = JsonText.afterBlank(source, at + 1);
            while (source[next] != '}') {
                var place = names.place(source, next);
                if (place < 0) {
                    if (unknown == JsonFields.Unknown.REFUSE) return Reasons.UNKNOWN_FIELD;
                    ignored.count(name(source, next));
                }
                next = JsonText.value(source, next);
                if (place >= 0) starts[place] = next;
                next = JsonText.next(source, JsonText.end(source, next));
            }
            return null;
        }

        /// As it is spelled.
        private static String name(byte[] source, int openingQuote) {
            var length = JsonString.end(source, openingQuote) - openingQuote - 2;
            return new String(source, openingQuote + 1, length, StandardCharsets.UTF_8);
        }

        @Override
        public boolean holdsObjects() {
            return true;
        }
    }
}
