package dev.millrace.clickhouse;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.SealReason;
import dev.millrace.sinkpool.SealedBatch;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.WriteCall;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/// One attempt, as a shard worker makes it.
final class Call implements WriteCall, PingCall {
    private final SealedBatch batch;
    private final long deadlineNanos;
    private final boolean again;
    private final boolean expired;
    private final CountDownLatch registered = new CountDownLatch(1);
    private volatile Runnable end = () -> {};
    private volatile boolean cancelled;

    Call(BatchRows rows, String token, Duration limit) {
        this(rows, token, limit, false, false);
    }

    private Call(BatchRows rows, String token, Duration limit, boolean again, boolean expired) {
        this.again = again;
        this.expired = expired;
        batch = new SealedBatch(
                1, Bench.SHARD, 0, SealReason.LINGER, rows, new Token(token), NanoClock.SYSTEM.nanoTime());
        deadlineNanos = NanoClock.SYSTEM.nanoTime() + limit.toNanos();
    }

    /// An earlier attempt of these rows ended unknown.
    static Call again(BatchRows rows, String token, Duration limit) {
        return new Call(rows, token, limit, true, false);
    }

    /// The sink may have forgotten the token.
    static Call expired(BatchRows rows, String token, Duration limit) {
        return new Call(rows, token, limit, true, true);
    }

    /// What the machine's shell does at the deadline, without the interrupt. Waits for the hook.
    void cancel() throws InterruptedException {
        registered.await();
        cancelled = true;
        end.run();
    }

    @Override
    public SealedBatch batch() {
        return batch;
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
        return again;
    }

    @Override
    public boolean expired() {
        return expired;
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public void onCancel(Runnable hook) {
        end = hook;
        registered.countDown();
        if (cancelled) hook.run();
    }
}
