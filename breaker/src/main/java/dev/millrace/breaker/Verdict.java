package dev.millrace.breaker;

/// What an attempt said about the replica, not about the rows. A refusal of the data and an overload answer are
/// `HEALTHY`: the replica answered (BRK-11, BRK-12).
public enum Verdict {
    HEALTHY,
    SICK,
    /// No outcome: the slot goes back.
    UNTRIED
}
