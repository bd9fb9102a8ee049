package dev.millrace.json;

import dev.millrace.sinkpool.MemberPlaces;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Tells whether bytes are one JSON object (RFC 8259), and where its members lie: one pass, no tree, no recursion.
///
/// Held to: the grammar, well-formed UTF-8, paired surrogates in escapes, at most [#DEPTH] objects and arrays inside
/// one another, one object and nothing but white space around it. Not looked at: names that repeat, the size of
/// numbers. Time is linear in the length, whatever the bytes.
///
/// Thread ownership: the source thread.
public final class JsonCheck {
    /// Why a value is not one JSON object. The words are stable: they are the reasons that rows are counted under.
    public enum Fault {
        EMPTY,
        NOT_AN_OBJECT,
        TRUNCATED,
        TRAILING,
        TOO_DEEP,
        BAD_UTF8,
        LONE_SURROGATE,
        NOT_A_NUMBER,
        BAD_NUMBER,
        BAD_ESCAPE,
        CONTROL_CHARACTER,
        SYNTAX;

        private final String reason = name().toLowerCase(Locale.ROOT);

        public String reason() {
            return reason;
        }
    }

    /// Objects and arrays inside one another, the outermost counted.
    public static final int DEPTH = 64;

    private byte[] bytes = new byte[0];
    private int at;
    private int end;
    private int nameAt;
    private int nameEnd;
    private boolean escaped;
    private boolean lineBreaks;
    private final MemberPlaces members = new MemberPlaces();
    private final UsualNames usual = new UsualNames();

    /// Where the last value broke, as an index of its array.
    public int at() {
        return at;
    }

    /// The members of the last value, if it is an object.
    public MemberPlaces members() {
        return members;
    }

    /// Null if `source[from, from + length)` is one object; else why not, and [#at] says where.
    public @Nullable Fault object(byte[] source, int from, int length) {
        bytes = source;
        at = from;
        end = from + length;
        lineBreaks = false;
        members.clear();
        if (length == 0) return Fault.EMPTY;
        var fault = document();
        if (lineBreaks) members.onSeveralLines();
        bytes = NOTHING;
        return fault;
    }

    private static final byte[] NOTHING = new byte[0];

    // One level is one bit of `objects`: 1 for an object, 0 for an array; bit 0 is the innermost.
    private @Nullable Fault document() {
        var b = skipSpace();
        if (at >= end) return Fault.EMPTY;
        if (b != '{') return b < 0 ? strayByte() : otherThanObject(b);
        at++;
        long objects = 1;
        var depth = 1;
        var first = true;
        while (depth > 0) {
            var inObject = (objects & 1) == 1;
            b = skipSpace();
            if (b == (inObject ? '}' : ']')) {
                // Only right after the opening: after a comma something has to come.
                if (!first) return Fault.SYNTAX;
                at++;
            } else {
                if (inObject) {
                    var fault = depth == 1 ? memberName(b) : name(b);
                    if (fault != null) return fault;
                    b = skipSpace();
                    if (depth == 1) members.add(nameAt, nameEnd, at, usual.number(members.count()));
                }
                if (b == '{' || b == '[') {
                    if (depth == DEPTH) return Fault.TOO_DEEP;
                    depth++;
                    objects = objects << 1 | (b == '{' ? 1 : 0);
                    first = true;
                    at++;
                    continue;
                }
                escaped = false;
                var fault = scalar(b);
                if (fault != null) return fault;
                if (depth == 1 && !escaped) members.ended(at);
                b = skipSpace();
                if (b == ',') {
                    at++;
                    first = false;
                    continue;
                }
                if (b != ((objects & 1) == 1 ? '}' : ']')) return broken(b);
                at++;
            }
            // A level ended; so may those around it.
            depth--;
            objects >>>= 1;
            while (depth > 0) {
                b = skipSpace();
                if (b == ',') {
                    at++;
                    first = false;
                    break;
                }
                if (b != ((objects & 1) == 1 ? '}' : ']')) return broken(b);
                at++;
                depth--;
                objects >>>= 1;
            }
        }
        skipSpace();
        return at < end ? Fault.TRAILING : null;
    }

    /// The name of a member of the outermost object.
    private @Nullable Fault memberName(int b) {
        var place = members.count();
        nameAt = at;
        var known = usual.length(place, bytes, at, end);
        if (known > 0) {
            at += known;
            nameEnd = at - 1;
            return null;
        }
        var fault = name(b);
        if (fault != null) return fault;
        if (at == nameEnd + 1) usual.learn(place, bytes, nameAt, at);
        else usual.forget(place);
        return null;
    }

    private @Nullable Fault name(int b) {
        if (b != '"') return broken(b);
        var fault = string();
        if (fault != null) return fault;
        nameEnd = at;
        b = skipSpace();
        if (b != ':') return broken(b);
        at++;
        return null;
    }

    private Fault otherThanObject(int b) {
        return switch (b) {
            case '[', '"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 't', 'f', 'n' -> Fault.NOT_AN_OBJECT;
            case 'N', 'I' -> Fault.NOT_A_NUMBER;
            default -> Fault.SYNTAX;
        };
    }

    private Fault broken(int b) {
        if (at >= end) return Fault.TRUNCATED;
        return b < 0 ? strayByte() : Fault.SYNTAX;
    }

    private Fault strayByte() {
        var where = at;
        var fault = multiByte();
        at = where;
        return fault != null ? fault : Fault.SYNTAX;
    }

    private @Nullable Fault scalar(int b) {
        return switch (b) {
            case '"' -> string();
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number(b);
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            case 'N', 'I' -> Fault.NOT_A_NUMBER;
            default -> broken(b);
        };
    }

    private @Nullable Fault word(String text) {
        for (var i = 0; i < text.length(); i++, at++) {
            if (at >= end) return Fault.TRUNCATED;
            if (bytes[at] != text.charAt(i)) return bytes[at] < 0 ? strayByte() : Fault.SYNTAX;
        }
        return null;
    }

    private @Nullable Fault number(int b) {
        if (b == '-') {
            b = next();
            if (b == 'I' || b == 'N') return Fault.NOT_A_NUMBER;
        }
        if (b == '0') {
            b = next();
            if (b >= '0' && b <= '9') return Fault.BAD_NUMBER;
        } else {
            var fault = digits(b);
            if (fault != null) return fault;
            b = peek();
        }
        if (b == '.') {
            var fault = digits(next());
            if (fault != null) return fault;
            b = peek();
        }
        if (b == 'e' || b == 'E') {
            b = next();
            if (b == '+' || b == '-') b = next();
            return digits(b);
        }
        return null;
    }

    /// At least one digit, `b` being the byte at hand.
    private @Nullable Fault digits(int b) {
        if (b < '0' || b > '9') {
            if (at >= end) return Fault.TRUNCATED;
            return b < 0 ? strayByte() : Fault.BAD_NUMBER;
        }
        at = afterDigits(at + 1);
        return null;
    }

    private int afterDigits(int from) {
        var i = from;
        for (; bytes.length - i >= EightBytes.COUNT && i < end; i += EightBytes.COUNT) {
            var others = EightBytes.notDigits(EightBytes.at(bytes, i));
            if (others != 0) return Math.min(i + EightBytes.first(others), end);
        }
        while (i < end && bytes[i] >= '0' && bytes[i] <= '9') i++;
        return Math.min(i, end);
    }

    private int next() {
        at++;
        return peek();
    }

    /// The byte at hand, negative at the end.
    private int peek() {
        return at < end ? bytes[at] : -1;
    }

    private int skipSpace() {
        var i = at;
        while (i < end) {
            var b = bytes[i];
            if (b > ' ' || (b != ' ' && b != '\n' && b != '\r' && b != '\t')) {
                at = i;
                return b;
            }
            lineBreaks |= b != ' ' && b != '\t';
            i++;
        }
        at = i;
        return -1;
    }

    /// From an opening quote to behind the closing one.
    private @Nullable Fault string() {
        var i = at + 1;
        while (true) {
            i = plain(i);
            if (i >= end) {
                at = end;
                return Fault.TRUNCATED;
            }
            var b = bytes[i];
            at = i;
            if (b == '"') {
                at = i + 1;
                return null;
            }
            escaped |= b == '\\';
            var fault = b == '\\' ? escape() : b < 0 ? multiByte() : Fault.CONTROL_CHARACTER;
            if (fault != null) return fault;
            i = at;
        }
    }

    /// The first index at or after `from` of a byte that is a quote, a backslash, a control or not ASCII: eight at a
    /// time, also past the end.
    private int plain(int from) {
        var i = from;
        for (; bytes.length - i >= EightBytes.COUNT && i < end; i += EightBytes.COUNT) {
            var word = EightBytes.at(bytes, i);
            var hits = EightBytes.endsOrEscapes(word) | EightBytes.controlsOrNotAscii(word);
            if (hits != 0) return Math.min(i + EightBytes.first(hits), end);
        }
        while (i < end) {
            var b = bytes[i];
            if (b < 0x20 || b == '"' || b == '\\') return i;
            i++;
        }
        return Math.min(i, end);
    }

    private @Nullable Fault escape() {
        if (at + 1 >= end) {
            at = end;
            return Fault.TRUNCATED;
        }
        return switch (bytes[at + 1]) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> {
                at += 2;
                yield null;
            }
            case 'u' -> unicode();
            default -> Fault.BAD_ESCAPE;
        };
    }

    private @Nullable Fault unicode() {
        var start = at;
        var high = hex(at + 2);
        if (high < 0) return hexFault(at + 2);
        if (high < 0xD800 || high > 0xDFFF) {
            at += 6;
            return null;
        }
        if (high > 0xDBFF) return Fault.LONE_SURROGATE;
        if (end - start < 8) {
            var rest = end - start - 6;
            if (rest == 1 && bytes[start + 6] != '\\') return Fault.LONE_SURROGATE;
            at = end;
            return Fault.TRUNCATED;
        }
        if (bytes[start + 6] != '\\' || bytes[start + 7] != 'u') return Fault.LONE_SURROGATE;
        var low = hex(start + 8);
        if (low < 0) return hexFault(start + 8);
        if (low < 0xDC00 || low > 0xDFFF) return Fault.LONE_SURROGATE;
        at = start + 12;
        return null;
    }

    private Fault hexFault(int from) {
        for (var i = from; i < from + 4; i++) {
            if (i >= end) {
                at = end;
                return Fault.TRUNCATED;
            }
            if (Character.digit(bytes[i], 16) < 0 || bytes[i] < 0) {
                at = i;
                return Fault.BAD_ESCAPE;
            }
        }
        return Fault.BAD_ESCAPE;
    }

    private int hex(int from) {
        if (end - from < 4) return -1;
        var value = 0;
        for (var i = from; i < from + 4; i++) {
            var b = bytes[i];
            var digit = b >= '0' && b <= '9'
                    ? b - '0'
                    : b >= 'a' && b <= 'f' ? b - 'a' + 10 : b >= 'A' && b <= 'F' ? b - 'A' + 10 : -1;
            if (digit < 0) return -1;
            value = value << 4 | digit;
        }
        return value;
    }

    /// One character of two to four bytes, as the Unicode standard's table of well-formed sequences has it.
    private @Nullable Fault multiByte() {
        var lead = bytes[at] & 0xff;
        int more;
        var low = 0x80;
        var high = 0xbf;
        if (lead >= 0xc2 && lead <= 0xdf) {
            more = 1;
        } else if (lead >= 0xe0 && lead <= 0xef) {
            more = 2;
            if (lead == 0xe0) low = 0xa0;
            // The bytes of a surrogate: told apart, since programs write them and nobody may read them.
            if (lead == 0xed && end - at > 1 && (bytes[at + 1] & 0xff) >= 0xa0 && (bytes[at + 1] & 0xff) <= 0xbf)
                return Fault.LONE_SURROGATE;
        } else if (lead >= 0xf0 && lead <= 0xf4) {
            more = 3;
            if (lead == 0xf0) low = 0x90;
            if (lead == 0xf4) high = 0x8f;
        } else {
            return Fault.BAD_UTF8;
        }
        for (var i = 1; i <= more; i++) {
            if (at + i >= end) return Fault.TRUNCATED;
            var b = bytes[at + i] & 0xff;
            if (b < low || b > high) return Fault.BAD_UTF8;
            low = 0x80;
            high = 0xbf;
        }
        at += more + 1;
        return null;
    }
}
