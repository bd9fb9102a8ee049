package dev.millrace.sinkpool;

/// A change worth a log line or a timer (BRK-8, BRK-10): told once, carried out by the shell,
/// outside the machine.
public sealed interface ShardNote {
    /// No replica is closed any more. `first` is the failure that did it.
    record OutageBegan(Failure first) implements ShardNote {}

    /// A write succeeded again: after so many failed attempts and so long.
    record OutageEnded(long attempts, long lastedNanos) implements ShardNote {}

    /// The sink says that it is overloaded: fewer batches go out at once, and they linger longer.
    record OverloadBegan(Failure first) implements ShardNote {}

    /// Concurrency and linger are as set again: after so many overload answers and so long.
    record OverloadEnded(long answers, long lastedNanos) implements ShardNote {}

    record ReplicaOpened(int replica, Failure last, long openNanos) implements ShardNote {}

    record ReplicaHalfOpened(int replica) implements ShardNote {}

    record ReplicaClosed(int replica) implements ShardNote {}

    /// A batch is held, since the sink refuses it or is misconfigured. Told once for each batch
    /// and code.
    record Blocked(long batch, Failure failure) implements ShardNote {}

    /// The sink refused a batch, and it is being taken apart.
    record TakenApart(long batch, Failure failure) implements ShardNote {}

    /// A row was set aside as poison: refused with `failure`.
    record Poison(RowRef row, Failure failure, boolean skipped) implements ShardNote {}

    /// Too many rows are refused to be poison: nothing is set aside until their share falls (POI-13).
    record Drift(long batch, int suspects, Failure failure) implements ShardNote {}

    /// A batch was given up at `retry.max_attempts`: its ranges fail. Of an advisory sink: after
    /// its one write, and nothing fails.
    record GaveUp(long batch, int attempts, Failure failure) implements ShardNote {}

    /// A batch may be stored at this replica, and no other would recognise it: it waits for that one.
    record Pinned(long batch, int replica, Failure failure) implements ShardNote {}

    /// `ambiguous.pin_for` is over for a batch: it waits on for its replica, or is `resent` to any.
    record PinOver(long batch, int replica, long waitedNanos, boolean resent) implements ShardNote {}

    /// A batch waits for longer than half of the time for which its sink is sure to know its token.
    record TokenAges(long batch, long ageNanos, long windowNanos) implements ShardNote {}

    /// A batch whose token may be forgotten is sent again all the same, or after a look at what is
    /// stored.
    record TokenExpired(long batch, long ageNanos, long windowNanos, boolean readsFirst) implements ShardNote {}

    record Sealed(SealedBatch batch) implements ShardNote {}

    /// An attempt ended: `waitNanos` from its batch's seal to this attempt's start, `writeNanos`
    /// the attempt itself.
    record Wrote(SealedBatch batch, int replica, long accepted, long duplicate, long waitNanos, long writeNanos)
            implements ShardNote {}

    /// The deadline of a drain passed with work left.
    record Abandoned(long rows, long inDoubt) implements ShardNote {}
}
