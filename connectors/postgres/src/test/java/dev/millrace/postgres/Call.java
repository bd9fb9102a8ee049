package dev.millrace.postgres;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.SealReason;
import dev.millrace.sinkpool.SealedBatch;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.WriteCall;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/// One attempt, as a shard worker makes it.
final class Call implements WriteCall, PingCall {
    private final SealedBatch batch;
    private final BatchRows rows;
    private final Token token;
    private final long deadlineNanos;
    private final CompletableFuture<Runnable> end = new CompletableFuture<>();

    Call(BatchRows rows, Duration limit) {
        this(rows, new Token("run/1"), 0, rows.rows(), limit);
    }

    /// Of the rows from `from` to `to` of a batch.
    Call(BatchRows whole, Token name, int from, int to, Duration limit) {
        var all = to - from == whole.rows();
        rows = all ? whole : whole.part(from, to);
        token = all ? name : name.part(from, to);
        batch = new SealedBatch(
                1, new ShardId("warehouse", "a"), 0, SealReason.LINGER, whole, name, NanoClock.SYSTEM.nanoTime());
        deadlineNanos = NanoClock.SYSTEM.nanoTime() + limit.toNanos();
    }

    /// What the machine's shell does at the deadline, without the interrupt. Waits for the hook.
    void cancel() {
        end.join().run();
    }

    @Override
    public SealedBatch batch() {
        return batch;
    }

    @Override
    public BatchRows rows() {
        return rows;
    }

    @Override
    public Token token() {
        return token;
    }

    @Override
    public boolean mayBeStored() {
        return false;
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public void onCancel(Runnable hook) {
        end.complete(hook);
    }
}
