package dev.millrace.clickhouse;

import dev.millrace.json.JsonNumber;
import dev.millrace.json.Reasons;
import dev.millrace.sinkpool.RowBuffer;
import org.jspecify.annotations.Nullable;

/// A whole number of up to 256 bits, put as RowBinary. Nothing is allocated for one.
///
/// Thread ownership: the source thread.
final class WideInteger {
    private static final int LONG_DIGITS = 18;
    private static final int MOST_DIGITS = 78;
    private static final long LOW_HALF = 0xFFFF_FFFFL;

    private final byte[] digits = new byte[MOST_DIGITS];
    /// The lowest first; one more than 256 bits have, for what is too large.
    private final int[] limbs = new int[9];

    private final byte[] room = new byte[32];

    /// Puts a number times ten to the power of `scale`, which is whole, in eight bytes or more. Returns
    /// why it does not fit, or null.
    @Nullable
    String put(JsonNumber number, int scale, int bytes, boolean signed, RowBuffer row) {
        var length = number.zero() ? 0 : number.high() + scale;
        var negative = number.negative() && !number.zero();
        if (length > MOST_DIGITS || (negative && !signed)) return Reasons.OUT_OF_RANGE;
        if (length <= LONG_DIGITS) {
            LittleEndian.put(number.unscaled(scale), bytes, row);
            return null;
        }
        read(number, (int) length);
        if (!fits(Byte.SIZE * bytes, signed, negative)) return Reasons.OUT_OF_RANGE;
        var carry = negative ? 1L : 0L;
        for (var i = 0; i < bytes / Integer.BYTES; i++) {
            var limb = ((negative ? ~limbs[i] : limbs[i]) & LOW_HALF) + carry;
            carry = limb >>> Integer.SIZE;
            for (var b = 0; b < Integer.BYTES; b++) room[Integer.BYTES * i + b] = (byte) (limb >>> (Byte.SIZE * b));
        }
        row.put(room, 0, bytes);
        return null;
    }

    private void read(JsonNumber number, int length) {
        for (var i = 0; i < limbs.length; i++) limbs[i] = 0;
        var given = number.digits(digits);
        for (var i = 0; i < length; i++) push(i < given ? digits[i] : 0);
    }

    private void push(int digit) {
        var carry = (long) digit;
        for (var i = 0; i < limbs.length; i++) {
            carry += 10 * (limbs[i] & LOW_HALF);
            limbs[i] = (int) carry;
            carry >>>= Integer.SIZE;
        }
    }

    private boolean fits(int bits, boolean signed, boolean negative) {
        var length = 0;
        var ones = 0;
        for (var i = 0; i < limbs.length; i++) {
            if (limbs[i] != 0) length = Integer.SIZE * (i + 1) - Integer.numberOfLeadingZeros(limbs[i]);
            ones += Integer.bitCount(limbs[i]);
        }
        // The least signed number is one further than the most.
        return length <= (signed ? bits - 1 : bits) || (signed && negative && length == bits && ones == 1);
    }
}
