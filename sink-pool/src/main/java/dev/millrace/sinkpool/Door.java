package dev.millrace.sinkpool;

import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Where producers hand items over: takes a slot for each, or says why there is none, and puts it into the lane of its
/// thread.
///
/// Thread ownership: shared.
final class Door<T> {
    /// Who empties the lanes.
    interface Behind {
        /// Something came to an empty lane.
        void wake();

        /// A share is full, so nothing more may come: what is on its way is not to wait for more.
        void press();

        /// It ended by a fault.
        boolean died();
    }

    private final Slots<T> slots;
    private final FrontCounts counts;
    private final ShedLog sheds;
    private final ToIntFunction<T> weight;
    private final NanoClock clock;
    private final Behind behind;
    private final Lanes<T> stagedLanes;
    private final Lanes<T> reservedLanes;

    Door(Slots<T> slots, FrontCounts counts, ShedLog sheds, ToIntFunction<T> weight, NanoClock clock, Behind behind) {
        this.slots = slots;
        this.counts = counts;
        this.sheds = sheds;
        this.weight = weight;
        this.clock = clock;
        this.behind = behind;
        this.stagedLanes = slots.lanes(Way.STAGED);
        this.reservedLanes = slots.lanes(Way.RESERVED);
    }

    boolean stage(String tenant, T item) {
        var bytes = bytes(item);
        if (bytes < 0) return lose(Loss.REJECTED);
        var lane = stagedLanes.mine();
        if (bytes > Lane.MOST_BYTES || !lane.take(1, bytes)) {
            if (slots.stagedFull()) return shed(tenant);
            var refusal = slots.stage(lane, bytes);
            if (refusal != null) return refusal.by() == Refusal.Limit.CLOSED ? lose(late()) : shed(tenant);
        }
        return put(Way.STAGED, lane, tenant, item, bytes);
    }

    /// A slot for this item, spent at once. Returns why there is none, or null.
    @Nullable
    Refusal record(String tenant, T item) {
        var bytes = bytes(item);
        if (bytes < 0) return null; // TODO
        var lane = reservedLanes.mine();
        if (bytes > Lane.MOST_BYTES || !lane.take(1, bytes)) {
            var refusal = slots.record(lane, bytes);
            if (refusal != null) return refusal;
        }
        put(Way.RESERVED, lane, tenant, item, bytes);
        return null;
    }

    Reserved<T> reserve(int slotCount) {
        check(slotCount);
        var lane = reservedLanes.mine();
        if (lane.take(slotCount, 0)) return new Reservation<>(this, slotCount);
        return answer(slots.reserve(lane, slotCount), slotCount);
    }

    Reserved<T> reserve(int slotCount, long deadlineNanos) throws InterruptedException {
        check(slotCount);
        if (NanoClock.reached(deadlineNanos, clock.nanoTime())) {
            var now = slots.view(Way.RESERVED);
            return answer(new Refusal(Refusal.Limit.DEADLINE, slotCount, now.rows(), now.maxRows()), slotCount);
        }
        var lane = reservedLanes.mine();
        if (lane.take(slotCount, 0)) return new Reservation<>(this, slotCount);
        return answer(slots.reserve(lane, slotCount, deadlineNanos, behind::press), slotCount);
    }

    private static void check(int slotCount) {
        if (slotCount < 1) throw new IllegalArgumentException("a reservation of " + slotCount + " slots");
    }

    private Reserved<T> answer(@Nullable Refusal refusal, int slotCount) {
        if (refusal == null) return new Reservation<>(this, slotCount);
        counts.refuse(refusal.by());
        if (refusal.passes()) behind.press();
        return new Refused<>(refusal);
    }

    /// A reserved slot goes to this item.
    boolean spend(String tenant, T item) {
        var bytes = bytes(item);
        if (bytes < 0) {
            giveBack(1);
            return lose(Loss.REJECTED);
        }
        var lane = reservedLanes.mine();
        if (bytes > Lane.MOST_BYTES || !lane.charge(bytes)) slots.charge(Way.RESERVED, lane, bytes);
        return put(Way.RESERVED, lane, tenant, item, bytes);
    }

    void giveBack(int slotCount) {
        slots.release(Way.RESERVED, slotCount, 0);
    }

    private boolean put(Way way, Lane<T> lane, String tenant, T item, int bytes) {
        return switch (lane.put(new Link.Item<>(tenant, item, bytes))) {
            case MORE -> true;
            case FIRST -> {
                behind.wake();
                yield true;
            }
            case CLOSED -> {
                slots.release(way, 1, bytes);
                yield lose(late());
            }
        };
    }

    /// −1 if it can't be told.
    private int bytes(T item) {
        try {
            return Math.max(0, weight.applyAsInt(item));
        } catch (RuntimeException _) {
            return -1;
        }
    }

    private boolean shed(String tenant) {
        sheds.shed(tenant);
        behind.press();
        return lose(Loss.SHED);
    }

    private boolean lose(Loss why) {
        counts.lose(why, 1);
        return false;
    }

    private Loss late() {
        return behind.died() ? Loss.UNREACHABLE : Loss.SHUTDOWN;
    }
}
