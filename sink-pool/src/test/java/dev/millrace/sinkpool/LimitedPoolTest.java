package dev.millrace.sinkpool;

import static dev.millrace.sinkpool.Pool.eventually;
import static dev.millrace.sinkpool.Pool.in;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Two shards of one sink on threads of their own, with one write at a time between them.
@Tag("WRT-8")
class LimitedPoolTest {
    private static final int ROWS = 10;

    private final Source source = new Source();
    private final FakeSink sink = new FakeSink();
    private final Pool.Listener listener = new Pool.Listener();
    private final SinkPool pool = pool();

    private SinkPool pool() {
        var setup = new Shard.Setup();
        setup.maxRows = ROWS;
        setup.maxInFlight = 1;
        setup.maxTotal = 1;
        setup.writeTimeout = 60_000;
        var endpoints = List.of(URI.create("fake://replica"));
        return new SinkPool(
                List.of(List.of(
                        new ShardSpec(setup.settings("s0"), sink, endpoints),
                        new ShardSpec(setup.settings("s1"), sink, endpoints))),
                source.budget,
                TokenMint.perRun("run"),
                42,
                NanoClock.SYSTEM,
                DeadLetters.none(),
                listener);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private void offer(int shard, int number) {
        var target = new Target(0, shard, 0);
        eventually("room for a batch", () -> pool.hasRoom(target));
        var chunk = source.chunk("orders", shard, 1, (long) number * ROWS, ROWS, 20, System.nanoTime());
        assertThat(pool.offer(target, List.of(chunk))).isTrue();
    }

    private ShardStatus status(int shard) {
        return pool.status().get(shard);
    }

    @Test
    @DisplayName("WRT-8: the shards of a sink have no more writes at once than it takes, and all get theirs")
    void theyTakeTurns() throws Exception {
        var writing = new AtomicInteger();
        var most = new AtomicInteger();
        for (var i = 0; i < 20; i++)
            sink.next(call -> {
                most.accumulateAndGet(writing.incrementAndGet(), Math::max);
                Thread.yield();
                writing.decrementAndGet();
                return FakeSink.WELL.write(call);
            });
        pool.start();
        for (var batch = 0; batch < 10; batch++) for (var shard = 0; shard < 2; shard++) offer(shard, batch);
        pool.closeInput();
        pool.drainBy(in(30_000));
        assertThat(pool.awaitFinished(in(40_000))).isTrue();
        assertThat(sink.stored).hasSize(20);
        assertThat(most).hasValue(1);
        assertThat(status(0).slots()).isEqualTo(new SlotUse(0, 1));
        source.assertNothingLeaks();
    }

    @Test
    void whoIsCutByADrainLeavesNoSlotTaken() throws Exception {
        var release = new CountDownLatch(1);
        sink.next(_ -> {
            FakeSink.awaitIgnoringInterrupts(release);
            return Shard.sick(true);
        });
        pool.start();
        try {
            offer(0, 0);
            eventually("the first writes", () -> sink.calls.get() == 1);
            offer(1, 0);
            eventually("the other waits", () -> status(1).view().waitsForSlot());
            pool.closeInput();
            pool.drainBy(in(-1));
            assertThat(pool.awaitFinished(in(30_000))).isTrue();
            assertThat(status(0).slots()).isEqualTo(new SlotUse(0, 1));
        } finally {
            release.countDown();
        }
    }

    @Test
    void aShardThatWaitsSaysSoAndGoesOnWhenTheOtherDies() throws Exception {
        var release = new CountDownLatch(1);
        sink.next(_ -> {
            FakeSink.awaitIgnoringInterrupts(release);
            return Shard.sick(true);
        });
        pool.start();
        try {
            offer(0, 0);
            eventually("the first writes", () -> sink.calls.get() == 1);
            offer(1, 0);
            eventually("the other waits", () -> status(1).view().waitsForSlot());
            assertThat(status(1).slots()).isEqualTo(new SlotUse(1, 1));
            listener.also = note -> {
                if (note instanceof ShardNote.Sealed) throw new AssertionError("planted");
            };
            offer(0, 1);
            eventually("the other has written", () -> !sink.stored.isEmpty());
            assertThat(status(0).worker()).isEqualTo(ShardStatus.Worker.DIED);
            assertThat(status(1).worker()).isEqualTo(ShardStatus.Worker.RUNNING);
            eventually(
                    "its slot is back", () -> new SlotUse(0, 1).equals(status(1).slots()));
        } finally {
            release.countDown();
        }
    }
}
