package dev.millrace.sinkpool;

/// Whether a sink that keeps tokens for good still has one that it told as stored: one that has not was
/// restored to an older state, or emptied, and what it was told to hold it holds no longer (EO-13).
public interface NewestTokens {
    /// What a shard's servers said.
    sealed interface Answer {
        record Known() implements Answer {}

        /// A server that would take writes answered, and does not have it.
        record Missing() implements Answer {}

        /// Nobody who must know could be asked. `reason` is one line for a person.
        record CannotTell(String reason) implements Answer {}
    }

    /// Whether the shard was found to keep its tokens for good. Blocks for nothing.
    default boolean keepsTokens(ShardId shard) {
        return true;
    }

    /// Whether a token of this shard's that begins with `prefix` is there, for the batch as a
    /// whole or a part of it. `prefix` is eight bytes: the first sixteen of the 32 hex digits of
    /// [Token#batch].
    ///
    /// Blocks until a server has answered, at most to the deadline, or little longer.
    Answer knows(ShardId shard, byte[] prefix, long deadlineNanos);
}
