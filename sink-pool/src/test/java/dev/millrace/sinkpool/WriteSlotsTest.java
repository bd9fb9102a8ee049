package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("WRT-8")
class WriteSlotsTest {
    private static final int SHARDS = 4;
    private static final int TOTAL = 2;
    private static final int WRITES = 5_000;

    private final List<BlockingQueue<Long>> told = new ArrayList<>();
    private final AtomicInteger writing = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final WriteSlots slots;

    WriteSlotsTest() {
        for (var shard = 0; shard < SHARDS; shard++) told.add(new LinkedBlockingQueue<>());
        slots = new WriteSlots(TOTAL, SHARDS, (shard, slot) -> told.get(shard).add(slot));
    }

    /// As a worker does: asks for the next before it gives the last one back.
    private int worker(int shard) throws InterruptedException {
        var place = new WriteSlots.Place(slots, shard);
        place.ask(Set.of("tenant-" + shard % 2));
        for (var write = 0; write < WRITES; write++) {
            var slot = told.get(shard).poll(30, TimeUnit.SECONDS);
            if (slot == null) return write;
            most.accumulateAndGet(writing.incrementAndGet(), Math::max);
            writing.decrementAndGet();
            if (write < WRITES - 1) place.ask(Set.of("tenant-" + shard % 2));
            place.giveBack(slot);
        }
        return WRITES;
    }

    @Test
    @DisplayName(
            "WRT-8: workers on threads of their own get their slots, never more than there are, and none waits for ever")
    void workersShareThem() throws Exception {
        try (var threads =
                Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            var workers = new ArrayList<Future<Integer>>();
            for (var shard = 0; shard < SHARDS; shard++) {
                var of = shard;
                workers.add(threads.submit(() -> worker(of)));
            }
            for (var worker : workers) assertThat(worker.get()).isEqualTo(WRITES);
        }
        assertThat(most.get()).isBetween(1, TOTAL);
        assertThat(new WriteSlots.Place(slots, 0).use()).isEqualTo(new SlotUse(0, TOTAL));
    }

    @Test
    void whoLeavesHoldsUpNobody() {
        var gone = new WriteSlots.Place(slots, 0);
        for (var i = 0; i < TOTAL; i++) gone.ask(Set.of("a"));
        var waits = new WriteSlots.Place(slots, 1);
        waits.ask(Set.of("a"));
        assertThat(told.get(1)).isEmpty();
        gone.leave();
        assertThat(told.get(1)).hasSize(1);
        assertThat(gone.use()).isEqualTo(new SlotUse(1, TOTAL));
    }

    @Test
    void withoutALimitNobodyAsksAndLeavingIsNothing() {
        WriteSlots.Place.UNLIMITED.leave();
        assertThat(WriteSlots.Place.UNLIMITED.use()).isNull();
    }
}
