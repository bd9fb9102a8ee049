package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What is put into a lane, and what is told to whoever puts it.
final class LaneTest {
    private static Link.Item<Integer> item(int number) {
        return new Link.Item<>("t", number, 1);
    }

    private static List<Integer> drain(Lane<Integer> lane) {
        return items(lane.drain());
    }

    private static List<Integer> items(Link.@Nullable Item<Integer> first) {
        var out = new ArrayList<Integer>();
        for (var at = first; at != null; at = at.next) out.add(at.item);
        return out;
    }

    @Test
    @Tag("ADM-8")
    void itemsComeOutInOrderAndOneOfEachFillIsTheFirst() {
        var lane = new Lane<Integer>();
        assertThat(lane.isEmpty()).isTrue();
        for (var fill = 0; fill < 3; fill++) {
            assertThat(lane.put(item(0))).isEqualTo(Lane.Put.FIRST);
            assertThat(lane.put(item(1))).isEqualTo(Lane.Put.MORE);
            assertThat(lane.put(item(2))).isEqualTo(Lane.Put.MORE);
            assertThat(lane.isEmpty()).isFalse();
            var first = lane.drain();
            if (first == null) throw new AssertionError("nothing is in it");
            assertThat(first.count).isEqualTo(3);
            assertThat(items(first)).containsExactly(0, 1, 2);
        }
        assertThat(lane.drain()).isNull();
    }

    @Test
    @Tag("ADM-7")
    void behindTheEndNothingIsPutAndWhatLiesBeforeItComesOutOnce() {
        var lane = new Lane<Integer>();
        lane.put(item(0));
        lane.put(item(1));
        lane.close();
        lane.close();
        assertThat(lane.put(item(2))).isEqualTo(Lane.Put.CLOSED);
        assertThat(lane.isEmpty()).isFalse();
        assertThat(drain(lane)).containsExactly(0, 1);
        assertThat(lane.isEmpty()).isTrue();
        assertThat(lane.drain()).isNull();
        assertThat(lane.put(item(3))).isEqualTo(Lane.Put.CLOSED);
    }

    @Test
    @Tag("ADM-9")
    void slotsAreNeverOwedAndBytesAreUpToABound() {
        var lane = new Lane<Integer>();
        assertThat(lane.take(1, 0)).isFalse();
        lane.give(2, 10);
        assertThat(lane.take(1, 30))
                .as("it has a byte, so an item of any weight")
                .isTrue();
        assertThat(lane.take(1, 0)).as("it owes bytes").isFalse();
        assertThat(lane.charge(100)).isTrue();
        assertThat(Lane.slots(lane.credit())).isEqualTo(1);
        assertThat(Lane.bytes(lane.credit())).isEqualTo(-120);
        var charged = 0;
        while (lane.charge(1000)) charged++;
        assertThat(charged).as("64 KiB less what was owed").isEqualTo(65);
        var back = lane.takeBack();
        assertThat(Lane.slots(back)).isEqualTo(1);
        assertThat(Lane.bytes(back)).isEqualTo(-120 - charged * 1000);
        assertThat(lane.takeBack()).isZero();
    }

    @Test
    @Tag("ADM-8")
    void eightThreadsLoseNothingAndEachFillHasOneFirst() throws Exception {
        var lane = new Lane<Integer>();
        var firsts = new AtomicInteger();
        var running = new CountDownLatch(8);
        try (var threads = Executors.newFixedThreadPool(8)) {
            for (var thread = 0; thread < 8; thread++) {
                var from = thread * 10_000;
                threads.execute(() -> {
                    for (var i = from; i < from + 10_000; i++)
                        if (lane.put(item(i)) == Lane.Put.FIRST) firsts.incrementAndGet();
                    running.countDown();
                });
            }
            var out = new ArrayList<Integer>();
            var fills = 0;
            while (running.getCount() > 0 || !lane.isEmpty()) {
                var fill = drain(lane);
                if (!fill.isEmpty()) fills++;
                out.addAll(fill);
            }
            assertThat(out).hasSize(80_000).doesNotHaveDuplicates();
            for (var thread = 0; thread < 8; thread++) {
                var from = thread * 10_000;
                assertThat(out.stream().filter(i -> from <= i && i < from + 10_000))
                        .as("in the order of its thread")
                        .isSorted();
            }
            assertThat(firsts).as("of %s fills", fills).hasValue(fills);
        }
    }

    @Test
    @Tag("ADM-8")
    void eightThreadsBegunOneAfterTheOtherHaveALaneEachAndKeepIt() throws Exception {
        var lanes = new Lanes<Integer>(1);
        assertThat(lanes.all()).hasSize(16);
        var seen = new ArrayList<Lane<Integer>>();
        for (var n = 0; n < 8; n++) {
            var thread = Thread.ofPlatform().unstarted(() -> {
                seen.add(lanes.mine());
                assertThat(lanes.mine()).isSameAs(seen.getLast());
            });
            thread.start();
            thread.join();
        }
        assertThat(new HashSet<>(seen)).hasSize(8);
    }

    @Test
    void thereAreTwoLanesForEachProcessorWithinBounds() {
        assertThat(new Lanes<Integer>(8).all()).hasSize(16);
        assertThat(new Lanes<Integer>(9).all()).hasSize(32);
        assertThat(new Lanes<Integer>(1000).all()).hasSize(128);
    }
}
