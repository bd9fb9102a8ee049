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
