package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// A share and its lanes under random schedules, against a count of what is out and a queue.
final class ShareTest {
    private static final int LANES = 4;
    private static final int MOST_ITEM = 50;

    private record Waiter(int id, long rows) {}

    private static List<Lane<String>> lanes(int count) {
        var lanes = new ArrayList<Lane<String>>();
        for (var i = 0; i < count; i++) lanes.add(new Lane<>());
        return lanes;
    }

    private static final class Run {
        final SplittableRandom random;
        final long maxRows;
        final long maxBytes;
        final List<Lane<String>> lanes = lanes(LANES);
        final Share<Integer> share;
        final ArrayDeque<Waiter> queue = new ArrayDeque<>();
        long rows;
        long bytes;
        int ids;

        Run(long seed) {
            random = new SplittableRandom(seed);
            // Some are so small that no lane gets anything ahead, some so large that each does.
            maxRows = 1 + random.nextLong(random.nextBoolean() ? 10 : 20_000);
            maxBytes = 1 + random.nextLong(random.nextBoolean() ? 100 : 1_000_000);
            share = new Share<>(maxRows, maxBytes, lanes);
        }

        long some() {
            return 1 + random.nextLong(random.nextBoolean() ? 3 : maxRows + 2);
        }

        /// As a producer does: from the lane, or else from the share.
        void take() {
            var lane = lanes.get(random.nextInt(LANES));
            var asked = some();
            if (lane.take((int) asked, 0)) {
                assertThat(queue).as("a lane has slots while somebody waits").isEmpty();
                assertThat(bytes).as("bytes out, but for what lanes owe").isLessThan(maxBytes + owed());
                granted(asked);
                return;
            }
            var refusal = share.take(lane, asked);
            if (refusal == null) {
                assertThat(queue).as("overtaken by %s", asked).isEmpty();
                granted(asked);
                return;
            }
            refused(refusal, asked);
            if (refusal.passes() && random.nextBoolean()) await(asked);
        }

        private void granted(long asked) {
            rows += asked;
            assertThat(rows).as("slots out").isLessThanOrEqualTo(maxRows);
        }

        private long owed() {
            return lanes.stream()
                    .mapToLong(lane -> Math.max(0, -Lane.bytes(lane.credit())))
                    .sum();
        }

        private void refused(Refusal refusal, long asked) {
            assertThat(refusal.asked()).isEqualTo(asked);
            var waiting = queue.stream().mapToLong(Waiter::rows).sum();
            switch (refusal.by()) {
                case ROWS -> {
                    assertThat(rows + asked).as("refused, of %s", maxRows).isGreaterThan(maxRows);
                    assertThat(refusal).isEqualTo(new Refusal(Refusal.Limit.ROWS, asked, rows, maxRows));
                }
                case BYTES -> {
                    assertThat(bytes).as("refused, of %s bytes", maxBytes).isGreaterThanOrEqualTo(maxBytes);
                    assertThat(refusal).isEqualTo(new Refusal(Refusal.Limit.BYTES, asked, bytes, maxBytes));
                }
                case WAITING -> {
                    assertThat(queue).isNotEmpty();
                    assertThat(refusal).isEqualTo(new Refusal(Refusal.Limit.WAITING, asked, rows + waiting, maxRows));
                }
                case DEADLINE, CLOSED -> throw new AssertionError(refusal);
            }
        }

        private void await(long asked) {
            var one = new Waiter(ids++, asked);
            share.await(one.id(), asked);
            queue.addLast(one);
        }

        void charge() {
            if (rows == 0) return;
            var weight = random.nextInt(MOST_ITEM + 1);
            if (random.nextBoolean()) share.charge(lanes.get(random.nextInt(LANES)), weight);
            else assertThat(lanes.get(random.nextInt(LANES)).charge(weight)).isTrue();
            bytes += weight;
        }

        void leave() {
            if (queue.isEmpty()) return;
            var all = List.copyOf(queue);
            var one = all.get(random.nextInt(all.size()));
            var first = one.equals(queue.peekFirst());
            queue.remove(one);
            var refusal = Objects.requireNonNull(share.leave(one.id()));
            assertThat(refusal.by())
                    .isEqualTo(
                            bytes >= maxBytes
                                    ? Refusal.Limit.BYTES
                                    : first ? Refusal.Limit.ROWS : Refusal.Limit.WAITING);
            assertThat(share.leave(one.id())).as("left twice").isNull();
            served();
        }

        void release() {
            if (rows == 0) return;
            var back = 1 + random.nextLong(rows);
            // The bytes of the last item come back with it.
            var weight = back == rows ? bytes : random.nextLong(bytes + 1);
            share.release(back, weight);
            rows -= back;
            bytes -= weight;
            served();
        }

        void served() {
            for (var id : share.served()) {
                var head = Objects.requireNonNull(queue.pollFirst());
                assertThat(id).as("in the order of arrival").isEqualTo(head.id());
                granted(head.rows());
            }
            var head = queue.peekFirst();
            if (head != null)
                assertThat(rows + head.rows() > maxRows || bytes >= maxBytes)
                        .as("%s waits for nothing, with %s of %s out", head, rows, maxRows)
                        .isTrue();
        }

        void step() {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> take();
                case 3, 4 -> charge();
                case 5 -> leave();
                default -> release();
            }
            assertThat(share.view())
                    .isEqualTo(new ShareView(
                            rows,
                            maxRows,
                            bytes,
                            maxBytes,
                            queue.size(),
                            queue.stream().mapToLong(Waiter::rows).sum()));
        }
    }

    @Property(tries = 500, shrinking = ShrinkingMode.OFF)
    @Tag("ADM-3")
    @Tag("ADM-4")
    @Tag("ADM-8")
    void noSlotIsLostOrDoubledAndWaitersAreServedInOrderAndTheBoundIsExact(@ForAll long seed) {
        var run = new Run(seed);
        for (var i = 0; i < 300; i++) run.step();
        assertThat(run.share.close())
                .isEqualTo(run.queue.stream().map(Waiter::id).toList());
        var refusal = Objects.requireNonNull(run.share.take(run.lanes.getFirst(), 1));
        assertThat(refusal.by()).isEqualTo(Refusal.Limit.CLOSED);
        run.share.release(run.rows, run.bytes);
        assertThat(run.share.view()).isEqualTo(new ShareView(0, run.maxRows, 0, run.maxBytes, 0, 0));
    }

    @Test
    @org.junit.jupiter.api.Tag("ADM-8")
    void aLaneHasSlotsAheadAndTheyAreCalledInBeforeAnythingIsRefused() {
        var lanes = lanes(2);
        var share = new Share<String>(1000, 1_000_000, lanes);
        assertThat(take(share, lanes.get(0), 1)).isNull();
        assertThat(lanes.get(0).take(249, 0)).as("a quarter is ahead").isTrue();
        assertThat(lanes.get(0).take(1, 0)).isFalse();
        assertThat(take(share, lanes.get(0), 1)).isNull();
        // 251 are out, and some lie in the lane of another.
        assertThat(take(share, lanes.get(1), 749)).as("the very last").isNull();
        assertThat(take(share, lanes.get(1), 1)).isEqualTo(new Refusal(Refusal.Limit.ROWS, 1, 1000, 1000));
    }

    private static @Nullable Refusal take(Share<String> share, Lane<String> lane, long rows) {
        return share.take(lane, rows);
    }

    @Test
    @org.junit.jupiter.api.Tag("ADM-9")
    void whoLeavesIsToldOfThoseBeforeHimAndOfNobodyElse() {
        var share = new Share<String>(10, 100, lanes(1));
        assertThat(share.take(lanes(1).getFirst(), 10)).isNull();
        share.await("a", 3);
        share.await("b", 4);
        share.await("c", 5);
        assertThat(share.leave("b")).isEqualTo(new Refusal(Refusal.Limit.WAITING, 4, 13, 10));
        assertThat(share.leave("a")).isEqualTo(new Refusal(Refusal.Limit.ROWS, 3, 10, 10));
        assertThat(share.leave("c")).isEqualTo(new Refusal(Refusal.Limit.ROWS, 5, 10, 10));
    }

    @Test
    @org.junit.jupiter.api.Tag("ADM-9")
    void whatCanNeverBeHadIsRefusedForGood() {
        var lanes = lanes(1);
        var share = new Share<String>(10, 100, lanes);
        var refusal = Objects.requireNonNull(share.take(lanes.getFirst(), 11));
        assertThat(refusal.passes()).isFalse();
        assertThat(refusal).hasToString("reserve.rows: 11 slots asked for, 0 of 10 rows taken");
    }
}
