package dev.millrace.testkit;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.SealReason;
import dev.millrace.sinkpool.SealedBatch;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;
import java.time.Duration;

/// One attempt, or one ping, as a shard worker makes it.
///
/// `isOver`: its deadline has passed, so a hook runs as soon as it is registered.
record ContractCall(
        SealedBatch batch, BatchRows rows, Token token, boolean mayBeStored, boolean isOver, long deadlineNanos)
        implements WriteCall, PingCall {
    private static final Duration AMPLE = Duration.ofSeconds(30);

    static ContractCall of(ShardId shard, BatchRows rows, String token) {
        var batch = new SealedBatch(1, shard, 0, SealReason.LINGER, rows, new Token(token), 0);
        return new ContractCall(
                batch, rows, batch.token(), false, false, NanoClock.SYSTEM.nanoTime() + AMPLE.toNanos());
    }

    /// The rows `[from, to)` of the batch, under the token of that part.
    ContractCall part(int from, int to) {
        return new ContractCall(batch, rows.part(from, to), token.part(from, to), false, isOver, deadlineNanos);
    }

    /// The same, after an attempt that ended unknown.
    ContractCall again() {
        return new ContractCall(batch, rows, token, true, isOver, deadlineNanos);
    }

    ContractCall over() {
        return new ContractCall(batch, rows, token, mayBeStored, true, NanoClock.SYSTEM.nanoTime());
    }

    @Override
    public void onCancel(Runnable end) {
        if (isOver) end.run();
    }

    /// What the pool makes of an exception.
    static WriteOutcome threw(Exception thrown) {
        return new WriteOutcome.Unavailable(
                new Failure("writer-threw", thrown.getClass().getName(), true), new WriteOutcome.Blame.Replica());
    }

    static boolean mayHaveStored(WriteOutcome outcome) {
        return switch (outcome) {
            case WriteOutcome.Written _ -> true;
            case WriteOutcome.Unavailable(var failure, var _) -> failure.mayHaveStored();
            case WriteOutcome.Refused(var failure, var _) -> failure.mayHaveStored();
            case WriteOutcome.TooLarge(var failure) -> failure.mayHaveStored();
            case WriteOutcome.Misconfigured(var failure) -> failure.mayHaveStored();
        };
    }
}
