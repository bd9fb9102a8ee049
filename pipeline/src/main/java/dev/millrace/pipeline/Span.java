package dev.millrace.pipeline;

import java.util.Locale;

/// A time as a person says it: 4 s, 5 min, 3 h, 2 days.
final class Span {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long MINUTE = 60;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;
    /// A unit is left for the next larger one at two of that.
    private static final int UNITS = 2;

    private Span() {}

    static String of(long nanos) {
        var seconds = Math.max(0, nanos) / NANOS_PER_SECOND;
        if (seconds < UNITS * MINUTE) return seconds + " s";
        if (seconds < UNITS * HOUR) return seconds / MINUTE + " min";
        if (seconds < UNITS * DAY) return seconds / HOUR + " h";
        return seconds / DAY + " days";
    }

    /// With thousands apart.
    static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    static String rows(long number) {
        return count(number) + (number == 1 ? " row" : " rows");
    }
}
