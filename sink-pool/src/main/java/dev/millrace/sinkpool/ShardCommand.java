package dev.millrace.sinkpool;

import java.util.Set;

/// All that a shard machine can ask of its shell. Carried out in order.
public sealed interface ShardCommand {
    /// `attempt` is never reused. `rows` and `token` are the batch's own, or a part's;
    /// `mayBeStored`: an earlier attempt of some of these rows ended unknown. `expired`: the sink
    /// may have forgotten the token, so what it has is read before anything is sent.
    record StartAttempt(
            long attempt,
            int replica,
            SealedBatch batch,
            BatchRows rows,
            Token token,
            boolean mayBeStored,
            boolean expired,
            long deadlineNanos)
            implements ShardCommand {}

    /// Ping the replica over a fresh connection; ends as an attempt does.
    record StartPing(long attempt, int replica, long deadlineNanos) implements ShardCommand {}

    /// Ask the sink's write slots for one, to write rows of these tenants (WRT-8). Ends with a
    /// [ShardEvent.SlotGranted]; no second is asked for before that.
    record AskSlot(Set<String> tenants) implements ShardCommand {
        public AskSlot {
            tenants = Set.copyOf(tenants);
        }
    }

    /// The attempt that had it is over, or there was nothing left to begin.
    record GiveSlotBack(long slot) implements ShardCommand {}

    /// Run its cancel hook and interrupt it. Its outcome will no longer be looked at, only counted.
    record CancelAttempt(long attempt) implements ShardCommand {}

    /// All rows of the chunk have ended. The only command that touches acknowledgements and budget.
    record Settle(EncodedChunk chunk, RowCounts counts) implements ShardCommand {}

    /// Poison: send it to the dead-letter topic. Ends with a [ShardEvent.DeadLettered]; until then
    /// its chunk is held.
    record DeadLetter(SealedBatch batch, RowRef row, Failure failure, int attempts) implements ShardCommand {}

    /// Poison, and the policy is to stop: the process ends, naming it.
    record StopFor(RowRef row, Failure failure) implements ShardCommand {}

    /// A batch of a segment is to be taken apart: the plan has to say so first. Ends with a
    /// [ShardEvent.SplitMarked].
    record MarkSplit(SealedBatch batch) implements ShardCommand {}

    /// The sink may have forgotten the token of this batch, and nobody can tell whether it has the
    /// rows: the process ends, naming it.
    record StopForExpired(SealedBatch batch, long ageNanos, long windowNanos) implements ShardCommand {}

    /// A state changed: one log line, one timer. Nothing depends on it.
    record Tell(ShardNote note) implements ShardCommand {}

    /// A drain is over: nothing is held any more.
    record Finished() implements ShardCommand {}
}
