package dev.millrace.postgres;

import org.jspecify.annotations.Nullable;

/// Dates, times and durations in ISO 8601, in the spellings that PostgreSQL keeps as they are.
///
/// Refused is what it would change without a word: a zone where none is kept, a time where there is only a
/// date, digits of a second that are rounded away, second 60, hour 24 of a day that has a date, words like
/// `now`. Years have four digits, from 0001 on. A fold or a gap of a zone cannot be said: zones are offsets.
///
/// Thread ownership: the source thread.
final class IsoTime {
    private static final int MOST_OFFSET_HOURS = 15;
    private static final int[] DAYS = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    private byte[] text = {};
    private int to;
    private int at;
    private @Nullable String reason;

    /// Whether the column keeps the first `length` bytes as they are; null, or why not. `digits` is how many digits of
    /// a second it keeps.
    @Nullable
    String refused(Fit.Kind kind, byte[] bytes, int length, int digits) {
        text = bytes;
        to = length;
        at = 0;
        reason = null;
        switch (kind) {
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
            default -> throw new IllegalStateException(kind + " is no time");
        }
        if (reason == null && at != to) reason = Reasons.BAD_FORMAT;
        return reason;
    }

    private void moment(int digits) {
        date();
        if (!eat('T')) need(' ');
        time(digits, false);
    }

    private void date() {
        var year = number(4);
        need('-');
        var month = number(2);
        need('-');
        var day = number(2);
        if (reason != null) return;
        if (year < 1 || month < 1 || month > DAYS.length || day < 1 || day > days(year, month))
            reason = Reasons.OUT_OF_RANGE;
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
        var second = 0;
        var finer = false;
        if (eat(':')) {
            second = number(2);
            finer = eat('.') && fraction(digits);
        }
        if (reason != null) return;
        var last = endOfDay && hour == 24 && minute == 0 && second == 0 && !finer;
        if (!last && (hour > 23 || minute > 59 || second > 59)) reason = Reasons.OUT_OF_RANGE;
    }

    /// Whether it is more than zero.
    private boolean fraction(int digits) {
        var first = at;
        var kept = 0;
        for (; at < to && digit(text[at]); at++) if (text[at] != '0') kept = at - first + 1;
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
        if (at == to || eat('Z')) return;
        if (!eat('+')) need('-');
        var hours = number(2);
        var minutes = 0;
        if (at < to) {
            var _ = eat(':');
            minutes = number(2);
        }
        if (reason == null && (hours > MOST_OFFSET_HOURS || minutes > 59)) reason = Reasons.OUT_OF_RANGE;
    }

    /// `P1Y2M3W4DT5H6M7.89S`: a fraction only of seconds, since of anything else it is spread over smaller units.
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
