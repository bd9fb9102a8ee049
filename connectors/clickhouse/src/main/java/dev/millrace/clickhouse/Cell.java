package dev.millrace.clickhouse;

import dev.millrace.json.Reasons;
import dev.millrace.sinkpool.RowBuffer;
import org.jspecify.annotations.Nullable;

/// Puts one JSON value as the RowBinary of one type, or says why its column would not keep it as
/// it is (FMT-3).
///
/// Thread ownership: the source thread.
interface Cell {
    /// Puts the value that begins at `at`, in a document whose grammar, encoding and depth have been
    /// checked. Returns null, or a word of [Reasons]; what was put until then is the caller's to take
    /// back.
    @Nullable
    String put(byte[] source, int at, RowBuffer row);

    /// The same of a value whose end is known, if it is not 0: one past a string without an escape, a number or a word.
    default @Nullable String put(byte[] source, int at, int end, RowBuffer row) {
        return put(source, at, row);
    }

    /// `null` is a value of the type.
    default boolean takesNull() {
        return false;
    }

    /// A value of the type may have JSON objects in it.
    default boolean holdsObjects() {
        return false;
    }

    /// Why a value that begins so is none of this type.
    static String wrong(byte first) {
        return first == 'n' ? Reasons.NULL : Reasons.WRONG_TYPE;
    }

    static boolean digitOrSign(byte b) {
        return b == '-' || (b >= '0' && b <= '9');
    }
}
