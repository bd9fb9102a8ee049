package dev.millrace.sinkpool;

import dev.millrace.checkpoint.SourcePartition;
import java.util.List;

/// All that can happen to a shard. Everything a machine learns comes as one of these.
public sealed interface ShardEvent {
    /// Chunks came, in the order in which they were offered. In bulk, so that a backlog becomes large
    /// batches, not one for each chunk.
    record ChunksArrived(List<EncodedChunk> chunks) implements ShardEvent {}

    /// Time passed: linger, backoff, probe, attempt and drain deadlines are looked at.
    record Tick() implements ShardEvent {}

    /// The thread of an attempt or a ping ended with an outcome, live or long given up.
    record AttemptEnded(long attempt, WriteOutcome outcome) implements ShardEvent {}

    /// The thread of an attempt ended without an outcome, or could not be started: its probe slot goes
    /// back (BRK-4); the batch is retried.
    record AttemptLost(long attempt, Failure failure) implements ShardEvent {}

    /// One write may begin: what it asked for was granted (WRT-8).
    record SlotGranted(long slot) implements ShardEvent {}

    /// The dead-letter topic has acknowledged it.
    record DeadLettered(long batch, RowRef row) implements ShardEvent {}

    /// The dead-letter topic does not take it for now; it is sent again. Only told.
    record DeadLetterFailed(long batch, RowRef row, Failure failure) implements ShardEvent {}

    /// What is known by now of who recognises a repeat. Until the first, all replicas do.
    record TokensKnown(Recognition recognition) implements ShardEvent {}

    /// The committed plan says that the batches of this segment may be taken apart (EO-7).
    record SplitMarked(SourcePartition partition, long epoch, long from) implements ShardEvent {}

    /// The wall clock went so far ahead of the monotonic one since this was last told.
    record ClockLeapt(long byNanos) implements ShardEvent {}

    /// A source is paused: seal what is worth it, since nothing more would come.
    record Pressure() implements ShardEvent {}

    /// Somebody waits for all rows of this epoch and of those before, of whatever partition: they do not linger.
    record SealUpTo(long epoch) implements ShardEvent {}

    /// Being revoked: seal what is open of it, so that it can finish before the revoke returns.
    record Revoking(SourcePartition partition, long epoch) implements ShardEvent {}

    /// Gone, and every earlier epoch of the partition with it: what no attempt has begun of it is taken
    /// out as abandoned (CKP-6).
    record EpochEnded(SourcePartition partition, long epoch) implements ShardEvent {}

    /// Stop: seal without linger, write until the deadline, then abandon. A later one replaces it.
    record DrainBy(long deadlineNanos) implements ShardEvent {}

    /// No chunk will come any more: a draining machine finishes when it holds nothing.
    record InputClosed() implements ShardEvent {}
}
