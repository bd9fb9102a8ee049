package dev.millrace.pipeline;

import java.time.Duration;
import java.util.Locale;

/// Quantities of a sizing, as a person reads them.
public final class SizingText {
    private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

    private SizingText() {}

    public static String of(SizingFigure figure) {
        var value = figure.value();
        return switch (figure.unit()) {
            case BYTES -> bytes(value);
            case SECONDS -> seconds(value);
            case ROWS -> count(value) + " rows";
            case CORES -> decimal(value) + " cores";
            case TOKENS -> count(value) + " tokens";
            case CHARACTERS -> count(value) + " characters";
            case CONNECTIONS -> count(value);
            case PER_SECOND -> decimal(value) + " /s";
            case CPU_SECONDS_PER_GB -> decimal(value) + " CPU s/GB";
            case THREADS -> decimal(value);
        };
    }

    /// The largest unit of which there is one.
    public static String bytes(double bytes) {
        var unit = 0;
        var left = bytes;
        while (left >= 1024 && unit < SIZES.length - 1) {
            left /= 1024;
            unit++;
        }
        return (unit == 0 ? count(left) : decimal(left)) + " " + SIZES[unit];
    }

    static String of(Duration length) {
        return seconds(length.toMillis() / 1e3);
    }

    public static String seconds(double seconds) {
        if (seconds < 1) return decimal(seconds * 1000) + " ms";
        if (seconds < 120) return decimal(seconds) + " s";
        if (seconds < 7200) return decimal(seconds / 60) + " min";
        return seconds < 172_800 ? decimal(seconds / 3600) + " h" : decimal(seconds / 86_400) + " days";
    }

    /// Whole, by thousands.
    public static String count(double value) {
        return String.format(Locale.ROOT, "%,d", Math.round(value));
    }

    /// With two digits behind the point where it is small, and none where it is large. Never negative.
    public static String decimal(double value) {
        if (value > 0 && value < 0.01) return "under 0.01";
        if (value == Math.rint(value) || value >= 100) return count(value);
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.1f", value);
    }
}
