package dev.millrace.json;

import org.jspecify.annotations.Nullable;

/// Dates, times and durations in ISO 8601, in the spellings that have one meaning.
///
/// Refused is what a store would change without a word: a zone where none is kept, a time where there is
/// only a date, digits of a second that are rounded away, second 60, hour 24 of a day that has a date,
/// words like `now`. Years have four digits, from 0001 on. A fold or a gap of a zone cannot be said:
/// zones are offsets.
///
/// Thread ownership: the source thread.
public final class IsoTime {
    /// What is read.
    public enum Form {
        DATE,
        TIME,
        TIMETZ,
        TIMESTAMP,
        TIMESTAMPTZ,
        INTERVAL
    }

    private static final int MOST_OFFSET_HOURS = 15;
    private static final int SECONDS_PER_DAY = 86_400;
    private static final int SECONDS_PER_HOUR = 3600;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int[] DAYS = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    private static final DigitForm YEAR_MONTH = new DigitForm("0000-00-");
    private static final DigitForm DAY_TO_MINUTE = new DigitForm("00T00:00");
    private static final DigitForm TIME = new DigitForm("00:00:00");
    private static final int MOMENT = "0000-00-00T00:00:00".length();

    private byte[] text = {};
    private int to;
    private int at;
    private @Nullable String reason;
    private long day;
    private int second;
    private long fraction;
    private boolean zoned;
    private int offset;

    /// Reads `length` bytes from `from` on. Null if the column keeps them as they are, or why not. `digits` is
    /// how many digits of a second it keeps, at most 9.
    public @Nullable String refused(Form form, byte[] bytes, int from, int length, int digits) {
        text = bytes;
        to = from + length;
        at = from;
        reason = null;
        zoned = false;
        offset = 0;
        fraction = 0;
        switch (form) {
            case DATE -> date();
            case TIME -> {
                time(digits, true);
                noZone();
            }
            case TIMETZ -> {
                time(digits, true);
                zone();
            }
            case TIMESTAMP -> {
                moment(digits);
                noZone();
            }
            case TIMESTAMPTZ -> {
                moment(digits);
                zone();
            }
            case INTERVAL -> duration(digits);
        }
        if (reason == null && at != to) reason = Reasons.BAD_FORMAT;
        return reason;
    }

    private void moment(int digits) {
        if (usualMoment()) {
            if (eat('.')) fraction(digits);
            return;
        }
        date();
        if (!eat('T')) need(' ');
        time(digits, false);
    }

    /// Reads a date and a time to the second as most are spelled, eight characters at a time. Returns whether it is
    /// one.
    private boolean usualMoment() {
        if (to - at < MOMENT) return false;
        var date = YEAR_MONTH.digits(EightBytes.at(text, at));
        var middle = DAY_TO_MINUTE.digits(EightBytes.at(text, at + EightBytes.COUNT));
        var time = TIME.digits(EightBytes.at(text, at + MOMENT - EightBytes.COUNT));
        if ((date | middle | time) < 0) return false;
        var year = 100 * DigitForm.two(date, 0) + DigitForm.two(date, 2);
        var month = DigitForm.two(date, 5);
        var dayOfMonth = DigitForm.two(middle, 0);
        var hour = DigitForm.two(time, 0);
        var minute = DigitForm.two(time, 3);
        var seconds = DigitForm.two(time, 6);
        if (!isDay(year, month, dayOfMonth) || !isTime(hour, minute, seconds)) return false;
        day = sinceEpoch(year, month, dayOfMonth);
        second = SECONDS_PER_HOUR * hour + SECONDS_PER_MINUTE * minute + seconds;
        at += MOMENT;
        return true;
    }

    private static boolean isDay(int year, int month, int dayOfMonth) {
        return year >= 1 && month >= 1 && month <= DAYS.length && dayOfMonth >= 1 && dayOfMonth <= days(year, month);
    }

    private static boolean isTime(int hour, int minute, int seconds) {
        return hour <= 23 && minute <= 59 && seconds <= 59;
    }

    private void date() {
        var year = number(4);
        need('-');
        var month = number(2);
        need('-');
        var dayOfMonth = number(2);
        if (reason != null) return;
        if (isDay(year, month, dayOfMonth)) day = sinceEpoch(year, month, dayOfMonth);
        else reason = Reasons.OUT_OF_RANGE;
    }

    /// Days from 1970-01-01 on. Years are taken to begin in March, so that a leap day is their last.
    private static long sinceEpoch(int year, int month, int day) {
        var years = month > 2 ? year : year - 1;
        var months = month > 2 ? month - 3 : month + 9;
        var days = 365L * years + years / 4 - years / 100 + years / 400;
        return days + (153 * months + 2) / 5 + day - 1 - 719_468;
    }

    private static int days(int year, int month) {
        var leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        return month == 2 && leap ? 29 : DAYS[month - 1];
    }

    /// `endOfDay`: the column keeps 24:00 as such.
    private void time(int digits, boolean endOfDay) {
        var hour = number(2);
        need(':');
        var minute = number(2);
        var seconds = 0;
        var finer = false;
        if (eat(':')) {
            seconds = number(2);
            finer = eat('.') && fraction(digits);
        }
        if (reason != null) return;
        var last = endOfDay && hour == 24 && minute == 0 && seconds == 0 && !finer;
        if (!last && !isTime(hour, minute, seconds)) reason = Reasons.OUT_OF_RANGE;
        second = SECONDS_PER_HOUR * hour + SECONDS_PER_MINUTE * minute + seconds;
    }

    /// Whether it is more than zero.
    private boolean fraction(int digits) {
        var first = at;
        var next = first;
        var kept = 0;
        var value = 0L;
        for (; next < to && digit(text[next]); next++) {
            if (text[next] != '0') kept = next - first + 1;
            if (next - first < digits) value = 10 * value + (text[next] - '0');
        }
        for (var missing = digits - (next - first); missing > 0; missing--) value *= 10;
        at = next;
        fraction = value;
        if (at == first) fail(Reasons.BAD_FORMAT);
        if (kept > digits) fail(Reasons.TOO_PRECISE);
        return kept > 0;
    }

    private void noZone() {
        if (reason == null && at < to && (text[at] == 'Z' || text[at] == '+' || text[at] == '-'))
            reason = Reasons.HAS_ZONE;
    }

    /// `Z`, `+01`, `+0100`, `+01:00`, or none: that is UTC.
    private void zone() {
        if (at == to) return;
        zoned = true;
        if (eat('Z')) return;
        var west = !eat('+');
        if (west) need('-');
        var hours = number(2);
        var minutes = 0;
        if (at < to) {
            var _ = eat(':');
            minutes = number(2);
        }
        if (reason == null && (hours > MOST_OFFSET_HOURS || minutes > 59)) reason = Reasons.OUT_OF_RANGE;
        var seconds = SECONDS_PER_HOUR * hours + SECONDS_PER_MINUTE * minutes;
        offset = west ? -seconds : seconds;
    }

    /// Of a date or a timestamp: its day, counted from 1970-01-01, in its own zone.
    public long epochDay() {
        return day;
    }

    /// Of a timestamp: its second, counted from 1970-01-01 00:00 UTC; without a zone, as if it were UTC.
    public long epochSecond() {
        return day * SECONDS_PER_DAY + second - offset;
    }

    /// Of a timestamp: what it has beyond that second, in units of the last digit that is kept.
    public long fraction() {
        return fraction;
    }

    /// Whether a timestamp said its zone.
    public boolean zoned() {
        return zoned;
    }

    /// `P1Y2M3W4DT5H6M7.89S`: a fraction only of seconds, since of anything else it is spread over
    /// smaller units.
    private void duration(int digits) {
        need('P');
        var ofDay = false;
        var parts = 0;
        while (reason == null && at < to) {
            if (!ofDay && eat('T')) {
                ofDay = true;
                parts = 0;
            }
            var _ = eat('-');
            var first = at;
            while (at < to && digit(text[at])) at++;
            if (at == first) fail(Reasons.BAD_FORMAT);
            var fraction = eat('.');
            if (fraction) fraction(digits);
            if (at == to) fail(Reasons.BAD_FORMAT);
            else if (fraction ? text[at] != 'S' || !ofDay : (ofDay ? "HMS" : "YMWD").indexOf(text[at]) < 0)
                fail(Reasons.BAD_FORMAT);
            else at++;
            parts++;
        }
        if (parts == 0) fail(Reasons.BAD_FORMAT);
    }

    private int number(int digits) {
        var value = 0;
        for (var i = 0; i < digits; i++, at++) {
            if (at >= to || !digit(text[at])) {
                fail(Reasons.BAD_FORMAT);
                return 0;
            }
            value = 10 * value + (text[at] - '0');
        }
        return value;
    }

    private boolean eat(char c) {
        if (at >= to || text[at] != c) return false;
        at++;
        return true;
    }

    private void need(char c) {
        if (!eat(c)) fail(Reasons.BAD_FORMAT);
    }

    private void fail(String why) {
        if (reason == null) reason = why;
    }

    private static boolean digit(byte b) {
        return b >= '0' && b <= '9';
    }
}
