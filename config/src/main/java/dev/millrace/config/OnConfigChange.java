package dev.millrace.config;

/// What happens to segments that were planned under another routing, filter, format, table or sink.
public enum OnConfigChange {
    /// The process refuses to start, and tells how to finish them first.
    HALT,
    /// They are planned anew; their rows count as possible duplicates.
    REPLAN
}
