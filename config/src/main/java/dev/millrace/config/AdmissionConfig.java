package dev.millrace.config;

/// The budget of rows and bytes in flight, and below which part of it polling goes on again.
public record AdmissionConfig(long maxBytes, long maxRows, double resumeBelowPercent) {
    public AdmissionConfig {
        Require.atLeast("maxBytes", maxBytes, 1);
        Require.atLeast("maxRows", maxRows, 1);
        Require.percent("resumeBelowPercent", resumeBelowPercent);
    }
}
