package dev.millrace.clickhouse;

import dev.millrace.json.JsonNumber;
import dev.millrace.json.Reasons;
import dev.millrace.sinkpool.RowBuffer;
import org.jspecify.annotations.Nullable;

/// Cells that JSON numbers go into: judged by their value, never rounded, never wrapped.
final class NumberCells {
    private NumberCells() {}

    /// A whole number of one to eight bytes, between bounds that a `long` has.
    static final class Narrow implements Cell {
        private final JsonNumber number = new JsonNumber();
        private final int bytes;
        private final long least;
        private final long most;

        Narrow(int bytes, boolean signed) {
            this.bytes = bytes;
            var bits = Byte.SIZE * bytes;
            least = signed ? -1L << (bits - 1) : 0;
            most = signed ? ~least : (1L << bits) - 1;
        }

        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (!Cell.digitOrSign(source[at])) return Cell.wrong(source[at]);
            var reason = number.integer(source, at, least, most);
            if (reason == null) LittleEndian.put(number.value(), bytes, row);
            return reason;
        }
    }

    /// A whole number of eight to 32 bytes.
    static final class Wide implements Cell {
        private final JsonNumber number = new JsonNumber();
        private final WideInteger whole = new WideInteger();
        private final int bytes;
        private final boolean signed;

        Wide(int bytes, boolean signed) {
            this.bytes = bytes;
            this.signed = signed;
        }

        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (!Cell.digitOrSign(source[at])) return Cell.wrong(source[at]);
            if (number.digitsOnly(source, at)) {
                if (!signed && number.value() < 0) return Reasons.OUT_OF_RANGE;
                LittleEndian.put(number.value(), bytes, row);
                return null;
            }
            var reason = number.read(source, at);
            if (reason != null) return reason;
            return number.low() < 0 ? Reasons.FRACTION : whole.put(number, 0, bytes, signed, row);
        }
    }

    /// A decimal, whose number of bytes follows from its precision.
    static final class Exact implements Cell {
        private static final int INT_DIGITS = 9;
        private static final int LONG_DIGITS = 18;
        private static final int INT128_DIGITS = 38;

        private final JsonNumber number = new JsonNumber();
        private final WideInteger whole = new WideInteger();
        private final int precision;
        private final int scale;
        private final int bytes;

        Exact(int precision, int scale) {
            this.precision = precision;
            this.scale = scale;
            bytes = precision <= INT_DIGITS ? 4 : precision <= LONG_DIGITS ? 8 : precision <= INT128_DIGITS ? 16 : 32;
        }

        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (!Cell.digitOrSign(source[at])) return Cell.wrong(source[at]);
            if (precision > LONG_DIGITS) {
                var reason = number.decimal(source, at, precision, scale);
                return reason != null ? reason : whole.put(number, scale, bytes, true, row);
            }
            var reason = number.fixed(source, at, precision, scale);
            if (reason == null) LittleEndian.put(number.value(), bytes, row);
            return reason;
        }
    }

    /// A binary number that gives the decimal one back, digit for digit.
    static final class Binary implements Cell {
        private final JsonNumber number = new JsonNumber();
        private final boolean wide;

        Binary(boolean wide) {
            this.wide = wide;
        }

        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (!Cell.digitOrSign(source[at])) return Cell.wrong(source[at]);
            var reason = wide ? number.binary64(source, at) : number.binary32(source, at);
            if (reason != null) return reason;
            if (wide) LittleEndian.put(Double.doubleToRawLongBits(number.nearest64()), Double.BYTES, row);
            else LittleEndian.put(Float.floatToRawIntBits(number.nearest32()), Float.BYTES, row);
            return null;
        }
    }

    /// A whole number in a JSON string: digits, with a minus before them or none, as a key of an
    /// object has to be. Each number has one spelling, so that keys that differ stay different.
    static final class Quoted implements Cell {
        private final Cell number;

        Quoted(Cell number) {
            this.number = number;
        }

        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (source[at] != '"') return Cell.wrong(source[at]);
            var first = source[at + 1] == '-' ? at + 2 : at + 1;
            var next = first;
            while (source[next] >= '0' && source[next] <= '9') next++;
            var zero = source[first] == '0';
            var whole = next > first && source[next] == '"' && (!zero || (next == first + 1 && first == at + 1));
            return whole ? number.put(source, at + 1, row) : Reasons.BAD_FORMAT;
        }
    }

    /// A number, or the same in a string, since hardly any JSON library keeps so wide a number.
    static final class Either implements Cell {
        private final Cell number;
        private final Cell quoted;

        Either(Cell number) {
            this.number = number;
            quoted = new Quoted(number);
        }

        @Override
        public @Nullable String put(byte[] source, int at, RowBuffer row) {
            return (source[at] == '"' ? quoted : number).put(source, at, row);
        }
    }
}
