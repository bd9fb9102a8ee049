package dev.millrace.checkpoint;

/// How a part, and so a range, ended. The worst of the parts is the range's: `FAILED` wins.
public enum Resolution {
    /// Durable in the sink, dead-lettered with confirmation, or skipped by an explicit policy and counted.
    DONE,
    /// Abandoned, or nobody resolved it. The range replays.
    FAILED
}
