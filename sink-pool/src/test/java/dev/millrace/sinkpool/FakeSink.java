package dev.millrace.sinkpool;

import java.net.URI;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// A sink whose writes do what the test says, one after the other; then they succeed.
///
/// Thread ownership: shared.
final class FakeSink implements Sink {
    /// What one write does.
    interface Behaviour {
        WriteOutcome write(WriteCall call) throws Exception;
    }

    static final Behaviour WELL = call -> new WriteOutcome.Written(call.rows().rows(), 0);

    /// What was stored, as it was sent; a write that succeeded and one that was only begun are told apart by `calls`.
    final BlockingQueue<String> stored = new LinkedBlockingQueue<>();
    final AtomicInteger calls = new AtomicInteger();
    final AtomicInteger closed = new AtomicInteger();
    private final LinkedBlockingQueue<Behaviour> script = new LinkedBlockingQueue<>();

    FakeSink next(Behaviour behaviour) {
        script.add(behaviour);
        return this;
    }

    @Override
    public SinkTraits traits() {
        return new SinkTraits(true);
    }

    @Override
    public RowEncoder encoder() {
        return FakeRecord.AS_IS;
    }

    @Override
    public SinkWriter writer(ShardId shard, URI endpoint) {
        return new SinkWriter() {
            @Override
            public WriteOutcome write(WriteCall call) throws Exception {
                calls.incrementAndGet();
                var behaviour = script.poll();
                var outcome = (behaviour == null ? WELL : behaviour).write(call);
                if (outcome instanceof WriteOutcome.Written) stored.add(Bytes.sent(call.rows()));
                return outcome;
            }

            @Override
            public WriteOutcome ping(PingCall call) {
                return new WriteOutcome.Written(0, 0);
            }

            @Override
            public void close() {
                closed.incrementAndGet();
            }
        };
    }

    @Override
    public void close() {}

    /// Waits for the latch whatever interrupts it. Returns whether it was interrupted.
    static boolean awaitIgnoringInterrupts(CountDownLatch latch) {
        var interrupted = false;
        while (true) {
            try {
                if (!latch.await(60, TimeUnit.SECONDS)) throw new AssertionError("nobody released the writer");
                return interrupted;
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
    }
}
