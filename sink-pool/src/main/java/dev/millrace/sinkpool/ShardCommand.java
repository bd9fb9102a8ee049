package dev.millrace.sinkpool;

/// All that a shard machine can ask of its shell. Carried out in order.
public sealed interface ShardCommand {
    /// `attempt` is never reused. `rows` and `token` are the batch's own, or a part's; `mayBeStored`: an
    /// earlier attempt of some of these rows ended unknown.
    record StartAttempt(
            long attempt,
            int replica,
            SealedBatch batch,
            BatchRows rows,
            Token token,
            boolean mayBeStored,
            long deadlineNanos)
            implements ShardCommand {}

    /// Ping the replica over a fresh connection; ends as an attempt does.
    record StartPing(long attempt, int replica, long deadlineNanos) implements ShardCommand {}

    /// Run its cancel hook and interrupt it. Its outcome will no longer be looked at, only counted.
    record CancelAttempt(long attempt) implements ShardCommand {}

    /// All rows of the chunk have ended. The only command that touches acknowledgements and budget.
    record Settle(EncodedChunk chunk, RowCounts counts) implements ShardCommand {}

    /// Poison: send it to the dead-letter topic. Ends with a [ShardEvent.DeadLettered]; until then
    /// its chunk is held.
    record DeadLetter(SealedBatch batch, RowRef row, Failure failure, int attempts) implements ShardCommand {}

    /// Poison, and the policy is to stop: the process ends, naming it.
    record StopFor(RowRef row, Failure failure) implements ShardCommand {}

    /// A state changed: one log line, one timer. Nothing depends on it.
    record Tell(ShardNote note) implements ShardCommand {}

    /// A drain is over: nothing is held any more.
    record Finished() implements ShardCommand {}
}
