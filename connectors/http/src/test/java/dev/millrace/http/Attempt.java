package dev.millrace.http;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.SealReason;
import dev.millrace.sinkpool.SealedBatch;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.WriteCall;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/// One attempt, as a shard worker makes it, of a batch whose token is `a1b2`.
record Attempt(SealedBatch batch, long deadlineNanos, CompletableFuture<Runnable> hook) implements WriteCall, PingCall {
    static Attempt of(BatchRows rows, Duration limit) {
        var batch = new SealedBatch(1, Post.SHARD, 0, SealReason.LINGER, rows, new Token("a1b2"), 0);
        return new Attempt(batch, NanoClock.SYSTEM.nanoTime() + limit.toNanos(), new CompletableFuture<>());
    }

    @Override
    public BatchRows rows() {
        return batch.rows();
    }

    @Override
    public Token token() {
        return batch.token();
    }

    @Override
    public boolean mayBeStored() {
        return false;
    }

    @Override
    public void onCancel(Runnable end) {
        hook.complete(end);
    }

    /// As at the deadline, once there is something to end.
    void cancel() {
        hook.join().run();
    }
}
