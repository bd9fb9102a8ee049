package dev.millrace.postgres;

import dev.millrace.json.JsonNumber;
import dev.millrace.json.Reasons;
import dev.millrace.sinkpool.RowBuffer;
import org.jspecify.annotations.Nullable;

/// A JSON number as COPY text: as it is spelled, wherever the server reads that spelling.
///
/// Each `put` returns null or a word of [Reasons].
///
/// Thread ownership: the source thread.
final class CopyNumber {
    /// What `numeric` without a precision keeps.
    private static final int MOST_BEFORE_POINT = 131_072;

    private static final int MOST_BEHIND_POINT = 16_383;

    private final JsonNumber number = new JsonNumber();

    /// A whole number between the bounds.
    @Nullable
    String putInteger(byte[] source, int at, long least, long most, RowBuffer row) {
        var reason = number.integer(source, at, least, most);
        if (reason != null) return reason;
        if (number.plain()) spelled(source, row);
        else row.putAscii(Long.toString(number.value()));
        return null;
    }

    /// A number of at most `precision` digits, `scale` of them behind the point; 0 for any precision.
    @Nullable
    String putNumeric(byte[] source, int at, int precision, int scale, RowBuffer row) {
        var reason = precision == 0 ? unbounded(source, at) : number.decimal(source, at, precision, scale);
        if (reason != null) return reason;
        // The server reads no zero with a large exponent.
        if (number.zero() && number.exponential()) row.put((byte) '0');
        else spelled(source, row);
        return null;
    }

    private @Nullable String unbounded(byte[] source, int at) {
        var reason = number.read(source, at);
        if (reason != null || number.zero()) return reason;
        if (number.high() > MOST_BEFORE_POINT) return Reasons.OUT_OF_RANGE;
        return number.spelledLow() < -MOST_BEHIND_POINT ? Reasons.TOO_PRECISE : null;
    }

    /// A number whose nearest `double precision`, written with as many digits, is the number.
    @Nullable
    String putDouble(byte[] source, int at, RowBuffer row) {
        return put(number.binary64(source, at), source, row);
    }

    /// The same for `real`.
    @Nullable
    String putReal(byte[] source, int at, RowBuffer row) {
        return put(number.binary32(source, at), source, row);
    }

    private @Nullable String put(@Nullable String reason, byte[] source, RowBuffer row) {
        if (reason == null) spelled(source, row);
        return reason;
    }

    private void spelled(byte[] source, RowBuffer row) {
        row.put(source, number.from(), number.length());
    }
}
