package dev.millrace.clickhouse;

import dev.millrace.json.IsoTime;
import dev.millrace.json.JsonString;
import dev.millrace.json.Reasons;
import dev.millrace.sinkpool.RowBuffer;
import org.jspecify.annotations.Nullable;

/// An ISO 8601 date, or date and time, in a JSON string. A number is refused: it does not say whether it
/// counts seconds, or what else.
///
/// A time without a zone would be read as one of the column's zone. So it goes only where that is UTC,
/// and means the same to everybody.
///
/// Thread ownership: the source thread.
final class TimeCell implements Cell {
    /// 1900-01-01 and 2299-12-31, between which every server keeps what it is given.
    private static final long LEAST_DAY = -25_567;

    private static final long MOST_DAY = 120_529;
    private static final long MOST_SHORT_DAY = 0xFFFF;
    private static final long SECONDS_PER_DAY = 86_400;
    private static final long MOST_SHORT_SECOND = 0xFFFF_FFFFL;
    private static final int NANOSECONDS = 9;

    /// Of nanoseconds a `long` has fewer seconds.
    private static final long MOST_NANO_SECOND = Long.MAX_VALUE / 1_000_000_000 - 1;

    private static final int LONGEST = 80;
    private static final int DAY = -1;

    private final IsoTime time = new IsoTime();
    private final byte[] text = new byte[LONGEST];
    private final int width;
    private final int digits;
    private final long least;
    private final long most;
    private final long power;
    private final boolean zoneless;

    private TimeCell(int width, int digits, long least, long most, boolean zoneless) {
        this.width = width;
        this.digits = digits;
        this.least = least;
        this.most = most;
        this.zoneless = zoneless;
        var tens = 1L;
        for (var i = 0; i < digits; i++) tens *= 10;
        power = tens;
    }

    static TimeCell date() {
        return new TimeCell(Short.BYTES, DAY, 0, MOST_SHORT_DAY, true);
    }

    static TimeCell date32() {
        return new TimeCell(Integer.BYTES, DAY, LEAST_DAY, MOST_DAY, true);
    }

    /// `zoneless`: the column's zone is UTC.
    static TimeCell dateTime(boolean zoneless) {
        return new TimeCell(Integer.BYTES, 0, 0, MOST_SHORT_SECOND, zoneless);
    }

    /// With so many digits of a second.
    static TimeCell dateTime64(int digits, boolean zoneless) {
        var most = digits == NANOSECONDS ? MOST_NANO_SECOND : (MOST_DAY + 1) * SECONDS_PER_DAY - 1;
        return new TimeCell(Long.BYTES, digits, LEAST_DAY * SECONDS_PER_DAY, most, zoneless);
    }

    @Override
    public @Nullable String put(byte[] source, int at, RowBuffer row) {
        if (source[at] != '"') return Cell.wrong(source[at]);
        var end = JsonString.plain(source, at + 1);
        if (source[end] == '"') return putText(source, at + 1, end - at - 1, row);
        var length = JsonString.ascii(source, at, text);
        return length < 0 ? Reasons.BAD_FORMAT : putText(text, 0, length, row);
    }

    @Override
    public @Nullable String put(byte[] source, int at, int end, RowBuffer row) {
        return end == 0 || source[at] != '"' ? put(source, at, row) : putText(source, at + 1, end - at - 2, row);
    }

    private @Nullable String putText(byte[] bytes, int from, int length, RowBuffer row) {
        if (length > LONGEST) return Reasons.BAD_FORMAT;
        return digits == DAY ? putDay(bytes, from, length, row) : putMoment(bytes, from, length, row);
    }

    private @Nullable String putDay(byte[] bytes, int from, int length, RowBuffer row) {
        var reason = time.refused(IsoTime.Form.DATE, bytes, from, length, 0);
        if (reason != null) return reason;
        var day = time.epochDay();
        if (day < least || day > most) return Reasons.OUT_OF_RANGE;
        LittleEndian.put(day, width, row);
        return null;
    }

    private @Nullable String putMoment(byte[] bytes, int from, int length, RowBuffer row) {
        var reason = time.refused(IsoTime.Form.TIMESTAMPTZ, bytes, from, length, digits);
        if (reason != null) return reason;
        if (!time.zoned() && !zoneless) return Reasons.NO_ZONE;
        var second = time.epochSecond();
        if (second < least || second > most) return Reasons.OUT_OF_RANGE;
        LittleEndian.put(second * power + time.fraction(), width, row);
        return null;
    }
}
