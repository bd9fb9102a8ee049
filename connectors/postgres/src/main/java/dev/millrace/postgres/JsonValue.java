package dev.millrace.postgres;

import dev.millrace.json.IsoTime;
import dev.millrace.json.JsonString;
import dev.millrace.json.JsonText;
import dev.millrace.json.Reasons;
import dev.millrace.sinkpool.RowBuffer;
import org.jspecify.annotations.Nullable;

/// Puts one JSON value into one column, as COPY text, or says why the column would not keep it as
/// it is (FMT-3).
///
/// Each `put` returns null or a word of [Reasons]; what was put until then is the caller's to take back.
/// The value stands in a document whose grammar, encoding and depth have been checked.
///
/// Thread ownership: the source thread.
final class JsonValue {
    private static final int LONGEST_TIME = 80;
    private static final int UUID_LENGTH = 36;

    private final Encoding encoding;
    private final CopyNumber number = new CopyNumber();
    private final IsoTime time = new IsoTime();
    private final byte[] text = new byte[LONGEST_TIME];

    JsonValue(Encoding encoding) {
        this.encoding = encoding;
    }

    /// The value that begins at `at`, which is not null.
    @Nullable
    String put(byte[] source, int at, Fit fit, RowBuffer row) {
        return fit.array() ? putArray(source, at, fit, row) : putOne(source, at, fit, false, row);
    }

    /// One dimension: an array in it is no element, unless elements are JSON.
    private @Nullable String putArray(byte[] source, int at, Fit fit, RowBuffer row) {
        if (fit.kind() == Fit.Kind.NONE) return Reasons.UNSUPPORTED_TYPE;
        if (source[at] != '[') return Reasons.WRONG_TYPE;
        row.put((byte) '{');
        var next = JsonText.afterBlank(source, at + 1);
        while (source[next] != ']') {
            if (source[next] == 'n') {
                row.putAscii("NULL");
            } else {
                var reason = putOne(source, next, fit, true, row);
                if (reason != null) return reason;
            }
            next = JsonText.afterBlank(source, JsonText.end(source, next));
            if (source[next] == ',') {
                row.put((byte) ',');
                next = JsonText.afterBlank(source, next + 1);
            }
        }
        row.put((byte) '}');
        return null;
    }

    private @Nullable String putOne(byte[] source, int at, Fit fit, boolean element, RowBuffer row) {
        if (fit.kind() == Fit.Kind.NONE) return Reasons.UNSUPPORTED_TYPE;
        if (fit.json()) return putJson(source, at, fit.kind() == Fit.Kind.JSONB, element, row);
        return switch (source[at]) {
            case '"' -> putString(source, at, fit, element, row);
            case '{', '[' -> Reasons.WRONG_TYPE;
            case 't' -> putBoolean("true", fit, row);
            case 'f' -> putBoolean("false", fit, row);
            default -> putNumber(source, at, fit, row);
        };
    }

    private @Nullable String putJson(byte[] source, int at, boolean binary, boolean element, RowBuffer row) {
        var end = JsonText.end(source, at);
        var reason = binary ? CopyString.refusedByJsonb(source, at, end) : null;
        if (reason != null) return reason;
        if (encoding == Encoding.LATIN1 && CopyString.beyondLatin1(source, at, end, binary))
            return Reasons.NOT_IN_ENCODING;
        if (element) CopyText.putElement(source, at, end, row);
        else CopyText.putText(source, at, end, row);
        return null;
    }

    private static @Nullable String putBoolean(String word, Fit fit, RowBuffer row) {
        if (fit.kind() != Fit.Kind.BOOLEAN) return Reasons.WRONG_TYPE;
        row.putAscii(word);
        return null;
    }

    private @Nullable String putNumber(byte[] source, int at, Fit fit, RowBuffer row) {
        return switch (fit.kind()) {
            case SMALLINT -> number.putInteger(source, at, Short.MIN_VALUE, Short.MAX_VALUE, row);
            case INTEGER -> number.putInteger(source, at, Integer.MIN_VALUE, Integer.MAX_VALUE, row);
            case BIGINT -> number.putInteger(source, at, Long.MIN_VALUE, Long.MAX_VALUE, row);
            case NUMERIC -> number.putNumeric(source, at, fit.limit(), fit.scale(), row);
            case REAL -> number.putReal(source, at, row);
            case DOUBLE -> number.putDouble(source, at, row);
            default -> Reasons.WRONG_TYPE;
        };
    }

    private @Nullable String putString(byte[] source, int at, Fit fit, boolean element, RowBuffer row) {
        return switch (fit.kind()) {
            case TEXT, CHAR, NAME, OTHER -> putText(source, at, fit, element, row);
            case DATE, TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ, INTERVAL -> putTime(source, at, fit, element, row);
            case UUID -> putUuid(source, at, row);
            case BYTEA -> putBytes(source, at, element, row);
            default -> Reasons.WRONG_TYPE;
        };
    }

    private @Nullable String putText(byte[] source, int at, Fit fit, boolean element, RowBuffer row) {
        if (encoding == Encoding.LATIN1 && CopyString.beyondLatin1(source, at, JsonString.end(source, at), true))
            return Reasons.NOT_IN_ENCODING;
        if (element) row.put((byte) '"');
        var reason = CopyString.put(source, at, element, row);
        if (element) row.put((byte) '"');
        return reason != null ? reason : misfit(source, at, fit);
    }

    private @Nullable String misfit(byte[] source, int at, Fit fit) {
        if (fit.limit() == 0) return null;
        var bytes = encoding == Encoding.BYTES || fit.kind() == Fit.Kind.NAME;
        var length = JsonString.length(source, at, bytes);
        if (length > fit.limit()) return Reasons.TOO_LONG;
        return fit.kind() == Fit.Kind.CHAR && length < fit.limit() ? Reasons.TOO_SHORT : null;
    }

    private @Nullable String putTime(byte[] source, int at, Fit fit, boolean element, RowBuffer row) {
        var length = JsonString.ascii(source, at, text);
        if (length < 0) return Reasons.BAD_FORMAT;
        var reason = time.refused(form(fit.kind()), text, 0, length, fit.limit());
        if (reason != null) return reason;
        // An element may hold a blank.
        if (element) row.put((byte) '"');
        row.put(text, 0, length);
        if (element) row.put((byte) '"');
        return null;
    }

    private static IsoTime.Form form(Fit.Kind kind) {
        return switch (kind) {
            case DATE -> IsoTime.Form.DATE;
            case TIME -> IsoTime.Form.TIME;
            case TIMETZ -> IsoTime.Form.TIMETZ;
            case TIMESTAMP -> IsoTime.Form.TIMESTAMP;
            case TIMESTAMPTZ -> IsoTime.Form.TIMESTAMPTZ;
            case INTERVAL -> IsoTime.Form.INTERVAL;
            default -> throw new IllegalStateException(kind + " is no time");
        };
    }

    private @Nullable String putUuid(byte[] source, int at, RowBuffer row) {
        if (JsonString.ascii(source, at, text) != UUID_LENGTH) return Reasons.BAD_FORMAT;
        for (var i = 0; i < UUID_LENGTH; i++) {
            var dash = i == 8 || i == 13 || i == 18 || i == 23;
            if (dash ? text[i] != '-' : !hex(text[i])) return Reasons.BAD_FORMAT;
        }
        row.put(text, 0, UUID_LENGTH);
        return null;
    }

    /// JSON spells the backslash twice, and so does COPY.
    private static @Nullable String putBytes(byte[] source, int at, boolean element, RowBuffer row) {
        if (source[at + 1] != '\\' || source[at + 2] != '\\' || source[at + 3] != 'x') return Reasons.BAD_FORMAT;
        var end = at + 4;
        while (hex(source[end])) end++;
        if (source[end] != '"' || (end - at) % 2 != 0) return Reasons.BAD_FORMAT;
        if (element) row.putAscii("\"\\\\");
        row.put(source, at + 1, end - at - 1);
        if (element) row.put((byte) '"');
        return null;
    }

    private static boolean hex(byte b) {
        return (b >= '0' && b <= '9') || (b >= 'a' && b <= 'f') || (b >= 'A' && b <= 'F');
    }
}
