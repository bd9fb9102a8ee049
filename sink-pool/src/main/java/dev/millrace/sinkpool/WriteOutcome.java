package dev.millrace.sinkpool;

/// What became of one attempt to write one batch. Closed: switches over it have no default.
public sealed interface WriteOutcome {
    /// The sink has the rows: `accepted` now, `duplicate` already.
    record Written(long accepted, long duplicate) implements WriteOutcome {
        public Written {
            if (accepted < 0 || duplicate < 0)
                throw new IllegalArgumentException(
                        "a receipt of " + accepted + " accepted, " + duplicate + " duplicate");
        }
    }

    /// Not stored, or not known: send the same again. `blame` says what the breaker is told.
    record Unavailable(Failure failure, Blame blame) implements WriteOutcome {}

    /// The sink answered that it does not take these rows. `rowHint` is the row it named, from 0 in the rows sent; −1
    /// for none.
    record Refused(Failure failure, int rowHint) implements WriteOutcome {}

    /// The sink answered that these are too many rows or bytes at once.
    record TooLarge(Failure failure) implements WriteOutcome {}

    /// Table, column, right or password: nobody's rows, everybody's problem. Held, loud, retried at `retry.max`.
    record Misconfigured(Failure failure) implements WriteOutcome {}

    /// Who is to blame for an attempt that got nothing done.
    sealed interface Blame {
        /// Connect, TLS, reset, time-out, read-only: this replica is sick.
        record Replica() implements Blame {}

        /// Too many parts, memory, 429, 503: the shard is ill. `retryAfterNanos` is 0 where the sink named none.
        record Overload(long retryAfterNanos) implements Blame {}

        /// A conflict between transactions: nobody is ill, the same is sent again.
        record Nobody() implements Blame {}
    }
}
