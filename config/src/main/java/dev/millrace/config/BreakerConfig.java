package dev.millrace.config;

import java.time.Duration;

/// When a replica is left alone, for how long, and how it is tried again.
///
/// `failures: n` in the file is a window of n calls, n of them needed, at a rate of 100 %. Rates are
/// percentages in (0, 100]; a call is slow when it takes longer than `slowCallLongerThan`. The n-th opening in
/// a row lasts twice the one before, up to `openForMax`.
public record BreakerConfig(
        int window,
        int minCalls,
        double failureRatePercent,
        Duration slowCallLongerThan,
        double slowCallRatePercent,
        Duration openFor,
        Duration openForMax,
        int halfOpenProbes,
        Duration probeTimeout) {
    public BreakerConfig {
        Require.atLeast("window", window, 1);
        Require.between("minCalls", minCalls, 1, window);
        Require.percent("failureRatePercent", failureRatePercent);
        Require.positive("slowCallLongerThan", slowCallLongerThan);
        Require.percent("slowCallRatePercent", slowCallRatePercent);
        Require.positive("openFor", openFor);
        Require.notLess("openForMax", openForMax, "openFor", openFor);
        Require.atLeast("halfOpenProbes", halfOpenProbes, 1);
        Require.positive("probeTimeout", probeTimeout);
    }
}
