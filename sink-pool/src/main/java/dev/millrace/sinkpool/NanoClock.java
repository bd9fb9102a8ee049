package dev.millrace.sinkpool;

/// The monotonic clock, in nanoseconds from an arbitrary origin. Shells have one; machines get numbers, and compare
/// them by subtraction.
@FunctionalInterface
public interface NanoClock {
    /// The one place that reads it.
    NanoClock SYSTEM = System::nanoTime;

    /// A point in time that never comes.
    long NEVER = Long.MAX_VALUE;

    long nanoTime();

    /// The earlier of two points in time, either of which may be [#NEVER].
    static long earlier(long a, long b) {
        if (a == NEVER) return b;
        if (b == NEVER) return a;
        return a - b < 0 ? a : b;
    }

    /// `length` nanoseconds after `from`. What would fall on [#NEVER] falls a nanosecond later, or it would never come.
    static long due(long from, long length) {
        var at = from + length;
        return at == NEVER ? at + 1 : at;
    }

    /// Whether `now` has reached `then`. A point that never comes is never reached.
    static boolean reached(long then, long now) {
        return then != NEVER && now - then >= 0;
    }
}
