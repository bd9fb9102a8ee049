package dev.millrace.breaker;

/// What an attempt said about the replica, not about the rows. A refusal of the data is `HEALTHY`: the
/// replica answered (BRK-11).
public enum Verdict {
    HEALTHY,
    /// It answered that the shard is overloaded: contact, however slow, and no reason to write more to it
    /// (BRK-12).
    OVERLOADED,
    SICK,
    /// No outcome: the slot goes back.
    UNTRIED
}
