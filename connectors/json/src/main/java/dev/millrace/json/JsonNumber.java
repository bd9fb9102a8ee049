package dev.millrace.json;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// One JSON number: where its digits stand, and whether a column keeps its value. Judged by its value and
/// not by its spelling: `1.0` and `1e2` have no fraction.
///
/// Read one, with any of the methods that say why it is refused; then ask what it is.
///
/// Invariant: no work grows with the exponent, only with the number's length, which has a bound.
///
/// Thread ownership: the source thread.
public final class JsonNumber {
    private static final int LONGEST = 1000;
    private static final long MOST_EXPONENT = 1_000_000_000;
    private static final int LONG_DIGITS = 19;

    /// Any number of so many digits is a `long`.
    private static final int MOST_SMALL_DIGITS = 18;

    /// Any decimal of that many digits comes back from its nearest binary number, in this range of
    /// powers of ten.
    private static final int SAFE_DOUBLE_DIGITS = 15;

    private static final int SAFE_DOUBLE_POWER = 290;
    /// Powers of ten, and numbers of so many digits, that are exact.
    private static final int EXACT_DOUBLE_POWER = 22;

    private static final int EXACT_REAL_POWER = 10;
    private static final int EXACT_REAL_DIGITS = 7;
    private static final double[] POWERS = powers();
    private static final long[] TENS = tens();
    private static final int MOST_DOUBLE_POWER = 309;
    private static final int LEAST_DOUBLE_POWER = -323;
    private static final int SAFE_REAL_DIGITS = 6;
    private static final int SAFE_REAL_POWER = 30;
    private static final int MOST_REAL_POWER = 39;
    private static final int LEAST_REAL_POWER = -45;

    private static double[] powers() {
        var powers = new double[EXACT_DOUBLE_POWER + 1];
        powers[0] = 1;
        for (var i = 1; i < powers.length; i++) powers[i] = 10 * powers[i - 1];
        return powers;
    }

    private static long[] tens() {
        var tens = new long[MOST_SMALL_DIGITS + 1];
        tens[0] = 1;
        for (var i = 1; i < tens.length; i++) tens[i] = 10 * tens[i - 1];
        return tens;
    }

    private byte[] source = {};
    private int from;
    private int to;
    private boolean negative;
    private boolean plain;
    private boolean exponential;
    private boolean zero;
    private int significant;

    /// How many digits stand before the point when it is written without an exponent; 0 or less
    /// for a fraction.
    private long high;

    /// The power of ten of its last digit that is not zero, and of its last digit.
    private long low;

    private long spelledLow;

    /// All its digits as one number, where they are `small`.
    private long all;

    private boolean small;

    /// Where its first digit that is not zero stands.
    private int firstDigit;

    /// What [#integer], [#digitsOnly] or [#fixed] read.
    private long value;

    /// Reads the number at `at`. It stands before a comma, a bracket or white space: what holds it
    /// is closed.
    public @Nullable String read(byte[] bytes, int at) {
        source = bytes;
        from = at;
        negative = bytes[at] == '-';
        var spelled = 0L;
        var digits = 0;
        var point = -1;
        var first = -1;
        var last = -1;
        var next = negative ? at + 1 : at;
        for (; (bytes[next] >= '0' && bytes[next] <= '9') || bytes[next] == '.'; next++) {
            if (bytes[next] == '.') {
                point = digits;
                continue;
            }
            if (bytes[next] != '0') {
                if (first < 0) {
                    first = digits;
                    firstDigit = next;
                }
                last = digits;
            }
            spelled = 10 * spelled + (bytes[next] - '0');
            digits++;
        }
        exponential = bytes[next] == 'e' || bytes[next] == 'E';
        to = exponential ? end(bytes, next) : next;
        if (to - from > LONGEST) return Reasons.NUMBER_TOO_LONG;
        plain = point < 0 && !exponential;
        small = digits <= MOST_SMALL_DIGITS;
        all = spelled;
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
    public static int end(byte[] bytes, int at) {
        var end = at;
        while ((bytes[end] >= '0' && bytes[end] <= '9')
                || bytes[end] == '-'
                || bytes[end] == '+'
                || bytes[end] == '.'
                || bytes[end] == 'e'
                || bytes[end] == 'E') end++;
        return end;
    }

    /// Reads a whole number between the bounds. Returns why it is none, or null. Only its value may be
    /// asked for, and how it is spelled.
    public @Nullable String integer(byte[] bytes, int at, long least, long most) {
        if (digitsOnly(bytes, at)) return value < least || value > most ? Reasons.OUT_OF_RANGE : null;
        var reason = read(bytes, at);
        if (reason != null) return reason;
        if (low < 0) return Reasons.FRACTION;
        if (high > LONG_DIGITS) return Reasons.OUT_OF_RANGE;
        if (small && high <= MOST_SMALL_DIGITS) {
            value = unscaled(0);
            return value < least || value > most ? Reasons.OUT_OF_RANGE : null;
        }
        // Towards the negative, which reaches one further.
        var negated = 0L;
        var next = firstDigit;
        for (var digits = 0; digits < significant; next++) {
            if (source[next] == '.') continue;
            if (tooFar(negated, source[next] - '0')) return Reasons.OUT_OF_RANGE;
            negated = 10 * negated - (source[next] - '0');
            digits++;
        }
        for (var zeros = low; zeros > 0; zeros--) {
            if (tooFar(negated, 0)) return Reasons.OUT_OF_RANGE;
            negated = 10 * negated;
        }
        if (!negative && negated == Long.MIN_VALUE) return Reasons.OUT_OF_RANGE;
        value = negative ? negated : -negated;
        return value < least || value > most ? Reasons.OUT_OF_RANGE : null;
    }

    /// Reads what most whole numbers are: digits, and few enough for any of them to be a `long`. Returns whether it is
    /// such a one; only its value may be asked for then, and how it is spelled.
    public boolean digitsOnly(byte[] bytes, int at) {
        var minus = bytes[at] == '-';
        var first = minus ? at + 1 : at;
        var next = first;
        var sum = 0L;
        for (; bytes[next] >= '0' && bytes[next] <= '9'; next++) sum = 10 * sum + (bytes[next] - '0');
        if (next - first > MOST_SMALL_DIGITS || bytes[next] == '.' || bytes[next] == 'e' || bytes[next] == 'E')
            return false;
        value = minus ? -sum : sum;
        source = bytes;
        from = at;
        to = next;
        plain = true;
        return true;
    }

    /// What [#integer], [#digitsOnly] or [#fixed] read.
    public long value() {
        return value;
    }

    private static boolean tooFar(long value, int digit) {
        return value < Long.MIN_VALUE / 10 || (value == Long.MIN_VALUE / 10 && digit > 8);
    }

    /// Reads a number of at most `precision` digits, which are 18 at most, `scale` of them behind the point. Returns
    /// why it is none, or null. Only its value may be asked for: the number times ten to the power of `scale`.
    public @Nullable String fixed(byte[] bytes, int at, int precision, int scale) {
        if (shortFixed(bytes, at, scale)) return Math.abs(value) < TENS[precision] ? null : Reasons.OUT_OF_RANGE;
        var reason = decimal(bytes, at, precision, scale);
        if (reason == null) value = unscaled(scale);
        return reason;
    }

    /// Reads what most decimals are: few digits, no more behind the point than are kept, and no exponent. Returns
    /// whether it is such a one.
    private boolean shortFixed(byte[] bytes, int at, int scale) {
        var minus = bytes[at] == '-';
        var first = minus ? at + 1 : at;
        var next = first;
        var sum = 0L;
        for (; bytes[next] >= '0' && bytes[next] <= '9'; next++) sum = 10 * sum + (bytes[next] - '0');
        var digits = next - first;
        var zeros = scale;
        if (bytes[next] == '.') {
            var point = next++;
            for (; bytes[next] >= '0' && bytes[next] <= '9'; next++) sum = 10 * sum + (bytes[next] - '0');
            digits = next - first - 1;
            zeros = scale - (next - point - 1);
        }
        if (zeros < 0 || digits + zeros > MOST_SMALL_DIGITS || bytes[next] == 'e' || bytes[next] == 'E') return false;
        value = (minus ? -sum : sum) * TENS[zeros];
        return true;
    }

    /// Reads a number of at most `precision` digits, `scale` of them behind the point. Returns why
    /// it is none, or null.
    public @Nullable String decimal(byte[] bytes, int at, int precision, int scale) {
        var reason = read(bytes, at);
        if (reason != null || zero) return reason;
        if (high > precision - scale) return Reasons.OUT_OF_RANGE;
        return low < -scale ? Reasons.TOO_PRECISE : null;
    }

    /// Reads a number whose nearest `double`, written with as many digits, is the number. Returns why it
    /// is none, or null.
    public @Nullable String binary64(byte[] bytes, int at) {
        var reason = read(bytes, at);
        if (reason != null) return reason;
        if (zero || (significant <= SAFE_DOUBLE_DIGITS && Math.abs(high) <= SAFE_DOUBLE_POWER)) return null;
        if (high > MOST_DOUBLE_POWER || high < LEAST_DOUBLE_POWER) return Reasons.OUT_OF_RANGE;
        var text = text();
        return notKept(Double.parseDouble(text), text);
    }

    /// The same for `float`.
    public @Nullable String binary32(byte[] bytes, int at) {
        var reason = read(bytes, at);
        if (reason != null) return reason;
        if (zero || (significant <= SAFE_REAL_DIGITS && Math.abs(high) <= SAFE_REAL_POWER)) return null;
        if (high > MOST_REAL_POWER || high < LEAST_REAL_POWER) return Reasons.OUT_OF_RANGE;
        var text = text();
        return notKept(Float.parseFloat(text), text);
    }

    /// The nearest `double`.
    public double nearest64() {
        // A product or quotient of two numbers that are exact is rounded once.
        if (significant <= SAFE_DOUBLE_DIGITS && Math.abs(low) <= EXACT_DOUBLE_POWER) {
            var digits = (double) magnitude();
            var whole = low < 0 ? digits / POWERS[(int) -low] : digits * POWERS[(int) low];
            return negative ? -whole : whole;
        }
        return Double.parseDouble(text());
    }

    /// The nearest `float`.
    public float nearest32() {
        if (significant <= EXACT_REAL_DIGITS && Math.abs(low) <= EXACT_REAL_POWER) {
            var digits = (float) magnitude();
            var power = (float) POWERS[(int) Math.abs(low)];
            var whole = low < 0 ? digits / power : digits * power;
            return negative ? -whole : whole;
        }
        return Float.parseFloat(text());
    }

    /// Its significant digits as one number. There are at most 18.
    private long magnitude() {
        if (small) return zero ? 0 : timesTen(all, spelledLow - low);
        var digits = 0L;
        var next = firstDigit;
        for (var seen = 0; seen < significant; next++) {
            if (source[next] == '.') continue;
            digits = 10 * digits + (source[next] - '0');
            seen++;
        }
        return digits;
    }

    /// The number times ten to the power of `scale`, which is whole and has at most 18 digits.
    public long unscaled(int scale) {
        if (zero) return 0;
        var digits = small ? timesTen(all, spelledLow + scale) : timesTen(magnitude(), low + scale);
        return negative ? -digits : digits;
    }

    /// A number times ten to a power, of which whole digits are left.
    private static long timesTen(long number, long power) {
        var left = number;
        for (var i = power; i > 0; i--) left *= 10;
        for (var i = power; i < 0; i++) left /= 10;
        return left;
    }

    /// Copies its significant digits, each from 0 to 9, and returns how many. There is room.
    public int digits(byte[] room) {
        var next = firstDigit;
        for (var seen = 0; seen < significant; next++)
            if (source[next] != '.') room[seen++] = (byte) (source[next] - '0');
        return significant;
    }

    private @Nullable String notKept(double nearest, String text) {
        if (nearest == 0 || Double.isInfinite(nearest)) return Reasons.OUT_OF_RANGE;
        // Half to even, as those who write the shortest digits of a binary number do.
        var back = new BigDecimal(nearest).round(new MathContext(significant, RoundingMode.HALF_EVEN));
        return back.compareTo(new BigDecimal(text)) == 0 ? null : Reasons.TOO_PRECISE;
    }

    private String text() {
        return new String(source, from, to - from, StandardCharsets.US_ASCII);
    }

    public boolean negative() {
        return negative;
    }

    /// It has neither a point nor an exponent.
    public boolean plain() {
        return plain;
    }

    public boolean exponential() {
        return exponential;
    }

    public boolean zero() {
        return zero;
    }

    /// How many digits stand before the point when it is written without an exponent; 0 or less
    /// for a fraction.
    public long high() {
        return high;
    }

    /// The power of ten of its last digit that is not zero.
    public long low() {
        return low;
    }

    /// The power of ten of its last digit, as it is spelled.
    public long spelledLow() {
        return spelledLow;
    }

    /// Where its spelling begins, and how many bytes it has.
    public int from() {
        return from;
    }

    public int length() {
        return to - from;
    }
}
