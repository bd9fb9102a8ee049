package dev.millrace.sinkpool;

/// What became of one item of a front.
public enum Fate {
    /// The sink has it.
    WRITTEN,
    /// The encoder left it out on purpose.
    LEFT_OUT,
    /// It can't be made a row, or the sink refused it for its data.
    REJECTED,
    /// Its shard, or the front, was given up before it was written; nothing of it is stored.
    GIVEN_UP,
    /// Given up, and it may be stored: a write ended without an answer, or its chunk was in part written.
    IN_DOUBT
}
