package dev.millrace.breaker;

/// Settings of every breaker of a set. `failures: n` in the file is a window of n calls, n of them needed, at a rate of
/// 100 %.
///
/// Rates are percentages in (0, 100]; times are nanoseconds. `slowNanos` is how long a call may take before it
/// counts as slow; `Long.MAX_VALUE` for never.
public record BreakerSettings(
        int window,
        int minCalls,
        float failureRate,
        long slowNanos,
        float slowRate,
        long openNanos,
        long openMaxNanos,
        int halfOpenProbes,
        long probeTimeoutNanos) {
    public BreakerSettings {
        if (window < 1) throw new IllegalArgumentException("window " + window + " < 1");
        if (minCalls < 1 || minCalls > window)
            throw new IllegalArgumentException("minCalls " + minCalls + " not in 1.." + window);
        if (!(failureRate > 0 && failureRate <= 100))
            throw new IllegalArgumentException("failureRate " + failureRate + " not in (0, 100]");
        if (!(slowRate > 0 && slowRate <= 100))
            throw new IllegalArgumentException("slowRate " + slowRate + " not in (0, 100]");
        if (slowNanos < 1) throw new IllegalArgumentException("slowNanos " + slowNanos + " < 1");
        if (openNanos < 0 || openMaxNanos < openNanos)
            throw new IllegalArgumentException("open time " + openNanos + " ns to " + openMaxNanos + " ns");
        if (halfOpenProbes < 1) throw new IllegalArgumentException("halfOpenProbes " + halfOpenProbes + " < 1");
        if (probeTimeoutNanos < 1)
            throw new IllegalArgumentException("probeTimeoutNanos " + probeTimeoutNanos + " < 1");
    }
}
