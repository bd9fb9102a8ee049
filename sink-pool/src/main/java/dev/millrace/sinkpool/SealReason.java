package dev.millrace.sinkpool;

/// Why a batch was sealed.
public enum SealReason {
    ROWS,
    BYTES,
    LINGER,
    /// A source is paused, so nothing more would come.
    PRESSURE,
    REBALANCE,
    /// The next rows are made for another description of the destination.
    LAYOUT,
    /// Somebody waits for these rows.
    SETTLE,
    /// All rows of a planned segment are there.
    SEGMENT,
    DRAIN
}
