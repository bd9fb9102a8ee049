package dev.millrace.config;

/// What happens to a batch that the sink may know no more, and that can't be read back.
public enum OnExpiredToken {
    /// It is not sent, and its partition stands.
    HALT,
    /// It is sent; its rows count as possible duplicates.
    RESEND
}
