package dev.millrace.sinkpool;

import java.util.Locale;

/// Why an item is lost. Each has one reason, and counts once.
public enum Loss {
    /// It was staged, and the share of those that are staged was full.
    SHED,
    /// It can't be made a row, or the sink refused it for its data.
    REJECTED,
    /// Its shard was given up: its attempts were spent, or its worker died.
    UNREACHABLE,
    /// The front was closed before it came, or before it was written.
    SHUTDOWN;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
