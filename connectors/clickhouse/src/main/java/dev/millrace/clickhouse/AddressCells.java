package dev.millrace.clickhouse;

import dev.millrace.json.JsonString;
import dev.millrace.json.Reasons;
import dev.millrace.sinkpool.RowBuffer;
import org.jspecify.annotations.Nullable;

/// Cells for what has a spelling of its own: UUIDs and addresses, in JSON strings.
final class AddressCells {
    private static final int LONGEST = 45;

    private AddressCells() {}

    /// Reads bytes of a spelling.
    abstract static class Spelled implements Cell {
        final byte[] text = new byte[LONGEST];
        final byte[] value;
        int length;

        Spelled(int bytes) {
            value = new byte[bytes];
        }

        @Override
        public final @Nullable String put(byte[] source, int at, RowBuffer row) {
            if (source[at] != '"') return Cell.wrong(source[at]);
            length = JsonString.ascii(source, at, text);
            if (length < 0 || !read()) return Reasons.BAD_FORMAT;
            row.put(value, 0, value.length);
            return null;
        }

        /// Whether the text is a value, which is read then.
        abstract boolean read();

        /// Four numbers from 0 to 255 with points between, without leading zeros, up to the end. The
        /// bytes go to `to`, in their order.
        final boolean dotted(int from, int to) {
            var at = from;
            for (var part = 0; part < 4; part++) {
                if (part > 0 && (at >= length || text[at++] != '.')) return false;
                var first = at;
                var number = 0;
                while (at < length && at - first < 3 && text[at] >= '0' && text[at] <= '9')
                    number = 10 * number + (text[at++] - '0');
                if (at == first || number > 255 || (text[first] == '0' && at - first > 1)) return false;
                value[to + part] = (byte) number;
            }
            return at == length;
        }
    }

    /// Two numbers of eight bytes, the upper one first, each with its lowest byte first.
    static final class Uuid extends Spelled {
        private static final int LENGTH = 36;

        Uuid() {
            super(16);
        }

        @Override
        boolean read() {
            if (length != LENGTH) return false;
            var nibbles = 0;
            for (var i = 0; i < LENGTH; i++) {
                if (i == 8 || i == 13 || i == 18 || i == 23) {
                    if (text[i] != '-') return false;
                    continue;
                }
                var digit = hex(text[i]);
                if (digit < 0) return false;
                // Of each half the bytes turn round.
                var place = (nibbles / 2) ^ 7;
                value[place] = (byte) (nibbles % 2 == 0 ? digit << 4 : value[place] | digit);
                nibbles++;
            }
            return true;
        }
    }

    /// A number of four bytes.
    static final class Ipv4 extends Spelled {
        Ipv4() {
            super(4);
        }

        @Override
        boolean read() {
            if (!dotted(0, 0)) return false;
            for (var i = 0; i < 2; i++) {
                var first = value[i];
                value[i] = value[3 - i];
                value[3 - i] = first;
            }
            return true;
        }
    }

    /// Sixteen bytes as they are spelled, with one gap of zeros or none, and the last four as IPv4 or
    /// not. Without a scope.
    static final class Ipv6 extends Spelled {
        private static final int BYTES = 16;

        Ipv6() {
            super(BYTES);
        }

        @Override
        boolean read() {
            var filled = 0;
            var gap = -1;
            var at = 0;
            if (ahead(0, ':')) {
                if (!ahead(1, ':')) return false;
                gap = 0;
                at = 2;
            }
            while (at < length) {
                if (filled == BYTES) return false;
                var end = groupEnd(at);
                if (ahead(end, '.')) {
                    if (filled > BYTES - 4 || !dotted(at, filled)) return false;
                    filled += 4;
                    at = length;
                    break;
                }
                if (end == at || end - at > 4) return false;
                var group = group(at, end);
                value[filled++] = (byte) (group >> Byte.SIZE);
                value[filled++] = (byte) group;
                at = end;
                if (at == length) break;
                if (text[at++] != ':') return false;
                if (ahead(at, ':')) {
                    if (gap >= 0) return false;
                    gap = filled;
                    at++;
                } else if (at == length) {
                    return false;
                }
            }
            return gap < 0 ? filled == BYTES : open(gap, filled);
        }

        private boolean ahead(int at, char c) {
            return at < length && text[at] == c;
        }

        private int groupEnd(int from) {
            var end = from;
            while (end < length && hex(text[end]) >= 0) end++;
            return end;
        }

        private int group(int from, int to) {
            var group = 0;
            for (var at = from; at < to; at++) group = (group << 4) | hex(text[at]);
            return group;
        }

        /// Moves what follows the gap to the end. A gap stands for something.
        private boolean open(int gap, int filled) {
            if (filled == BYTES) return false;
            var behind = filled - gap;
            System.arraycopy(value, gap, value, BYTES - behind, behind);
            for (var i = gap; i < BYTES - behind; i++) value[i] = 0;
            return true;
        }
    }

    private static int hex(byte b) {
        if (b >= '0' && b <= '9') return b - '0';
        if (b >= 'a' && b <= 'f') return b - 'a' + 10;
        return b >= 'A' && b <= 'F' ? b - 'A' + 10 : -1;
    }
}
