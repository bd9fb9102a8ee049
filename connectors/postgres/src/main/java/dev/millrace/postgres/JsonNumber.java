package dev.millrace.postgres;

import dev.millrace.sinkpool.RowBuffer;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// One JSON number: where its digits stand, and whether a column keeps its value. Judged by its value and not by
/// its spelling: `1.0` and `1e2` have no fraction.
///
/// Invariant: no work grows with the exponent, only with the number's length, which has a bound.
///
/// Thread ownership: the source thread.
final class JsonNumber {
    private static final int LONGEST = 1000;
    private static final long MOST_EXPONENT = 1_000_000_000;
    private static final int LONG_DIGITS = 19;

    /// What `numeric` without a precision keeps.
    private static final int MOST_BEFORE_POINT = 131_072;

    private static final int MOST_BEHIND_POINT = 16_383;

    /// Any decimal of that many digits comes back from its nearest binary number, in this range of powers of ten.
    private static final int SAFE_DOUBLE_DIGITS = 15;

    private static final int SAFE_DOUBLE_POWER = 290;
    private static final int MOST_DOUBLE_POWER = 309;
    private static final int LEAST_DOUBLE_POWER = -323;
    private static final int SAFE_REAL_DIGITS = 6;
    private static final int SAFE_REAL_POWER = 30;
    private static final int MOST_REAL_POWER = 39;
    private static final int LEAST_REAL_POWER = -45;

    private byte[] source = {};
    private int from;
    private int to;
    private boolean negative;
    private boolean plain;
    private boolean exponential;
    private boolean zero;
    private int significant;

    /// How many digits stand before the point when it is written without an exponent; 0 or less for a fraction.
    private long high;

    /// The power of ten of its last digit that is not zero, and of its last digit.
    private long low;

    private long spelledLow;

    /// Reads the number at `at`. It stands before a comma, a bracket or white space: what holds it is closed.
    private @Nullable String read(byte[] bytes, int at) {
        source = bytes;
        from = at;
        to = end(bytes, at);
        if (to - from > LONGEST) return Reasons.NUMBER_TOO_LONG;
        negative = bytes[at] == '-';
        var digits = 0;
        var point = -1;
        var first = -1;
        var last = -1;
        var next = negative ? at + 1 : at;
        for (; next < to && bytes[next] != 'e' && bytes[next] != 'E'; next++) {
            if (bytes[next] == '.') {
                point = digits;
                continue;
            }
            if (bytes[next] != '0') {
                if (first < 0) first = digits;
                last = digits;
            }
            digits++;
        }
        exponential = next < to;
        plain = point < 0 && !exponential;
        var exponent = exponential ? exponent(next + 1) : 0;
        var before = point < 0 ? digits : point;
        zero = first < 0;
        significant = zero ? 0 : last - first + 1;
        high = zero ? 0 : before - first + exponent;
        low = zero ? 0 : before - 1 - last + exponent;
        spelledLow = before - digits + exponent;
        return null;
    }

    private long exponent(int at) {
        var minus = source[at] == '-';
        var power = 0L;
        for (var next = minus || source[at] == '+' ? at + 1 : at; next < to; next++)
            power = Math.min(MOST_EXPONENT, 10 * power + (source[next] - '0'));
        return minus ? -power : power;
    }

    /// One past the number at `at`.
    static int end(byte[] bytes, int at) {
        var end = at;
        while ((bytes[end] >= '0' && bytes[end] <= '9')
                || bytes[end] == '-'
                || bytes[end] == '+'
                || bytes[end] == '.'
                || bytes[end] == 'e'
                || bytes[end] == 'E') end++;
        return end;
    }

    /// A whole number between the bounds.
    @Nullable
    String putInteger(byte[] bytes, int at, long least, long most, RowBuffer row) {
        var reason = read(bytes, at);
        if (reason != null) return reason;
        if (low < 0) return Reasons.FRACTION;
        if (high > LONG_DIGITS) return Reasons.OUT_OF_RANGE;
        // Towards the negative, which reaches one further.
        var value = 0L;
        var digits = 0L;
        for (var next = negative ? from + 1 : from; next < to && digits < high; next++) {
            if (source[next] == '.') continue;
            if (source[next] == 'e' || source[next] == 'E') break;
            if (value == 0 && source[next] == '0') continue;
            if (tooFar(value, source[next] - '0')) return Reasons.OUT_OF_RANGE;
            value = 10 * value - (source[next] - '0');
            digits++;
        }
        for (; digits < high; digits++) {
            if (tooFar(value, 0)) return Reasons.OUT_OF_RANGE;
            value = 10 * value;
        }
        if (!negative) {
            if (value == Long.MIN_VALUE) return Reasons.OUT_OF_RANGE;
            value = -value;
        }
        if (value < least || value > most) return Reasons.OUT_OF_RANGE;
        if (plain) spelled(row);
        else row.putAscii(Long.toString(value));
        return null;
    }

    private static boolean tooFar(long value, int digit) {
        return value < Long.MIN_VALUE / 10 || (value == Long.MIN_VALUE / 10 && digit > 8);
    }

    /// A number of at most `precision` digits, `scale` of them behind the point; 0 for any precision.
    @Nullable
    String putNumeric(byte[] bytes, int at, int precision, int scale, RowBuffer row) {
        var reason = read(bytes, at);
        if (reason != null) return reason;
        if (zero) {
            // The server reads no zero with a large exponent.
            if (exponential) row.put((byte) '0');
            else spelled(row);
            return null;
        }
        if (precision == 0) {
            if (high > MOST_BEFORE_POINT) return Reasons.OUT_OF_RANGE;
            if (spelledLow < -MOST_BEHIND_POINT) return Reasons.TOO_PRECISE;
        } else {
            if (high > precision - scale) return Reasons.OUT_OF_RANGE;
            if (low < -scale) return Reasons.TOO_PRECISE;
        }
        spelled(row);
        return null;
    }

    /// A number whose nearest `double precision`, written with as many digits, is the number.
    @Nullable
    String putDouble(byte[] bytes, int at, RowBuffer row) {
        var reason = read(bytes, at);
        if (reason != null) return reason;
        if (!zero && (significant > SAFE_DOUBLE_DIGITS || Math.abs(high) > SAFE_DOUBLE_POWER)) {
            if (high > MOST_DOUBLE_POWER || high < LEAST_DOUBLE_POWER) return Reasons.OUT_OF_RANGE;
            var text = text();
            reason = notKept(Double.parseDouble(text), text);
        }
        if (reason == null) spelled(row);
        return reason;
    }

    /// The same for `real`.
    @Nullable
    String putReal(byte[] bytes, int at, RowBuffer row) {
        var reason = read(bytes, at);
        if (reason != null) return reason;
        if (!zero && (significant > SAFE_REAL_DIGITS || Math.abs(high) > SAFE_REAL_POWER)) {
            if (high > MOST_REAL_POWER || high < LEAST_REAL_POWER) return Reasons.OUT_OF_RANGE;
            var text = text();
            reason = notKept(Float.parseFloat(text), text);
        }
        if (reason == null) spelled(row);
        return reason;
    }

    private @Nullable String notKept(double nearest, String text) {
        if (nearest == 0 || Double.isInfinite(nearest)) return Reasons.OUT_OF_RANGE;
        var back = new BigDecimal(nearest).round(new MathContext(significant));
        return back.compareTo(new BigDecimal(text)) == 0 ? null : Reasons.TOO_PRECISE;
    }

    private String text() {
        return new String(source, from, to - from, StandardCharsets.US_ASCII);
    }

    private void spelled(RowBuffer row) {
        row.put(source, from, to - from);
    }
}
