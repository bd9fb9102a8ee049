package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// A pool of one shard with real threads and a real clock over a fake sink.
final class Pool implements AutoCloseable {
    static final Target TARGET = new Target(0, 0, 0);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /// What the pool told, and what it does besides when it is told something.
    static final class Listener implements PoolListener {
        @Override
        public void stopFor(ShardId shard, RowRef row, Failure failure) {}

        final LinkedBlockingQueue<ShardNote> notes = new LinkedBlockingQueue<>();
        final LinkedBlockingQueue<Throwable> deaths = new LinkedBlockingQueue<>();
        volatile Consumer<ShardNote> also = _ -> {};

        @Override
        public void note(ShardId shard, ShardNote note) {
            notes.add(note);
            also.accept(note);
        }

        @Override
        public void died(ShardId shard, Throwable cause) {
            deaths.add(cause);
        }

        @Override
        public void frontDied(String sink, Throwable cause) {
            deaths.add(cause);
        }
    }

    final Source source = new Source();
    final FakeSink sink;
    final Listener listener = new Listener();
    final SinkPool pool;
    private final Shard.Setup setup = new Shard.Setup();

    Pool(FakeSink sink, Consumer<Shard.Setup> changes) {
        this(sink, changes, TokenMint.perRun("run"));
    }

    Pool(FakeSink sink, Consumer<Shard.Setup> changes, TokenMint mint) {
        this(sink, changes, mint, InstantSource.system());
    }

    Pool(FakeSink sink, Consumer<Shard.Setup> changes, TokenMint mint, InstantSource wall) {
        this.sink = sink;
        setup.maxRows = 10;
        changes.accept(setup);
        var endpoints = new URI[setup.replicas];
        for (var i = 0; i < endpoints.length; i++) endpoints[i] = URI.create("fake://replica-" + i);
        var spec = new ShardSpec(setup.settings(), sink, List.of(endpoints));
        this.pool = new SinkPool(
                List.of(List.of(spec)), source.budget, mint, 42, NanoClock.SYSTEM, wall, DeadLetters.none(), listener);
    }

    Pool start() {
        pool.start();
        return this;
    }

    static long in(long ms) {
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    }

    /// Offers a full batch as soon as there is room.
    void offerBatch(int partition, long number) {
        eventually("room for a batch", () -> pool.hasRoom(TARGET));
        assertThat(tryOffer(partition, number)).as("taken").isTrue();
    }

    /// Offers a full batch, polled now. Returns whether it was taken; if not, it is closed.
    boolean tryOffer(int partition, long number) {
        var chunk = source.chunk("orders", partition, 1, number * setup.maxRows, setup.maxRows, 20, System.nanoTime());
        var taken = pool.offer(TARGET, List.of(chunk));
        if (!taken) chunk.close();
        return taken;
    }

    ShardStatus status() {
        return pool.status().getFirst();
    }

    ShardCounts counts() {
        return status().counts();
    }

    static void eventually(String what, BooleanSupplier fact) {
        var until = System.nanoTime() + PATIENCE_NANOS;
        while (!fact.getAsBoolean()) {
            if (System.nanoTime() - until > 0) throw new AssertionError("never: " + what);
            LockSupport.parkNanos(200_000);
        }
    }

    <N extends ShardNote> N awaitNote(Class<N> kind) throws InterruptedException {
        while (true) {
            var note = listener.notes.poll(30, TimeUnit.SECONDS);
            if (note == null) throw new AssertionError("never told: " + kind);
            if (kind.isInstance(note)) return kind.cast(note);
        }
    }

    Throwable awaitDeath() throws InterruptedException {
        var cause = listener.deaths.poll(30, TimeUnit.SECONDS);
        if (cause == null) throw new AssertionError("nobody told of the death");
        return cause;
    }

    /// Drains with time enough, and checks that nothing leaks.
    void finish() throws InterruptedException {
        pool.closeInput();
        pool.drainBy(in(20_000));
        assertThat(pool.awaitFinished(in(30_000))).as("finished").isTrue();
        assertThat(status().worker()).isEqualTo(ShardStatus.Worker.FINISHED);
        assertSettled();
    }

    void assertSettled() {
        source.assertNothingLeaks();
        var counts = counts();
        assertThat(counts.rowsWritten() + counts.rowsAbandoned() + counts.rowsInDoubt())
                .as("rows counted by the worker")
                .isEqualTo(source.tally.encoded());
    }

    @Override
    public void close() {
        pool.close();
    }
}
