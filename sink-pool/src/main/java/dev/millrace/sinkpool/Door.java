package dev.millrace.sinkpool;

import org.jspecify.annotations.Nullable;

/// Where producers hand items over: takes a slot for each, or says why there is none, and puts it into the lane of its
/// thread, or, where order is kept, of its key.
///
/// Thread ownership: shared.
final class Door<T> {
    /// Who empties the lanes.
    interface Behind {
        /// Something came to an empty lane.
        void wake();

        /// A share is full, so nothing more may come: what is on its way is not to wait for more than this moment.
        void press();

        /// It ended by a fault.
        boolean died();
    }

    private final Slots<T> slots;
    private final FrontCounts counts;
    private final ShedLog sheds;
    private final ItemEncoder<T> encoder;
    private final boolean ordered;
    private final NanoClock clock;
    private final Behind behind;
    private final Lanes<T> stagedLanes;
    private final Lanes<T> reservedLanes;

    /// `ordered`: items of one tenant, share and key come out in the order in which they were put.
    Door(
            Slots<T> slots,
            FrontCounts counts,
            ShedLog sheds,
            ItemEncoder<T> encoder,
            boolean ordered,
            NanoClock clock,
            Behind behind) {
        this.slots = slots;
        this.counts = counts;
        this.sheds = sheds;
        this.encoder = encoder;
        this.ordered = ordered;
        this.clock = clock;
        this.behind = behind;
        this.stagedLanes = slots.lanes(Way.STAGED);
        this.reservedLanes = slots.lanes(Way.RESERVED);
    }

    boolean stage(String tenant, T item) {
        var bytes = bytes(item);
        var lane = lane(stagedLanes, tenant, item);
        if (bytes > Lane.MOST_BYTES || !lane.take(1, bytes)) {
            if (slots.stagedFull()) return shed(tenant);
            var refusal = slots.takeOne(Way.STAGED, lane, bytes);
            if (refusal != null) return refusal.by() == Refusal.Limit.CLOSED ? lose() : shed(tenant);
        }
        return put(Way.STAGED, lane, tenant, item, bytes) || lose();
    }

    /// A slot for this item, spent at once. Returns why there is none, or null.
    @Nullable
    Refusal record(String tenant, T item) {
        var bytes = bytes(item);
        var lane = lane(reservedLanes, tenant, item);
        if (bytes > Lane.MOST_BYTES || !lane.take(1, bytes)) {
            var refusal = slots.takeOne(Way.RESERVED, lane, bytes);
            if (refusal != null) return refused(refusal);
        }
        if (put(Way.RESERVED, lane, tenant, item, bytes)) return null;
        return refused(slots.refusal(Refusal.Limit.CLOSED, 1));
    }

    Reserved<T> reserve(int slotCount) {
        check(slotCount);
        var lane = reservedLanes.mine();
        if (lane.take(slotCount, 0)) return new Reservation<>(this, slotCount);
        return answer(slots.reserve(lane, slotCount), slotCount);
    }

    Reserved<T> reserve(int slotCount, long deadlineNanos) throws InterruptedException {
        check(slotCount);
        if (NanoClock.reached(deadlineNanos, clock.nanoTime()))
            return answer(slots.refusal(Refusal.Limit.DEADLINE, slotCount), slotCount);
        var lane = reservedLanes.mine();
        if (lane.take(slotCount, 0)) return new Reservation<>(this, slotCount);
        return answer(slots.reserve(lane, slotCount, deadlineNanos, behind::press), slotCount);
    }

    private static void check(int slotCount) {
        if (slotCount < 1) throw new IllegalArgumentException("a reservation of " + slotCount + " slots");
    }

    private Reserved<T> answer(@Nullable Refusal refusal, int slotCount) {
        return refusal == null ? new Reservation<>(this, slotCount) : new Refused<>(refused(refusal));
    }

    private Refusal refused(Refusal refusal) {
        counts.refuse(refusal.by());
        if (refusal.passes()) behind.press();
        return refusal;
    }

    /// A reserved slot goes to this item.
    boolean spend(String tenant, T item) {
        var bytes = bytes(item);
        var lane = lane(reservedLanes, tenant, item);
        if (bytes > Lane.MOST_BYTES || !lane.charge(bytes)) slots.charge(Way.RESERVED, lane, bytes);
        return put(Way.RESERVED, lane, tenant, item, bytes) || lose();
    }

    void giveBack(int slotCount) {
        slots.release(Way.RESERVED, slotCount, 0);
    }

    /// False behind the fence: the slot has been given back.
    private boolean put(Way way, Lane<T> lane, String tenant, T item, int bytes) {
        return switch (lane.put(new Link.Item<>(tenant, item, bytes))) {
            case MORE -> true;
            case FIRST -> {
                behind.wake();
                yield true;
            }
            case CLOSED -> {
                slots.release(way, 1, bytes);
                yield false;
            }
        };
    }

    /// One that can't be weighed weighs nothing until it is encoded, or refused.
    private int bytes(T item) {
        try {
            return Math.max(0, encoder.bytes(item));
        } catch (RuntimeException | StackOverflowError _) {
            return 0;
        }
    }

    private Lane<T> lane(Lanes<T> lanes, String tenant, T item) {
        return ordered ? lanes.of(keyHash(tenant, item)) : lanes.mine();
    }

    /// One whose key can't be told has no order, and is refused when it is encoded.
    private int keyHash(String tenant, T item) {
        try {
            return encoder.keyHash(tenant, item);
        } catch (RuntimeException | StackOverflowError _) {
            return 0;
        }
    }

    private boolean shed(String tenant) {
        counts.lose(Loss.SHED, 1);
        sheds.shed(tenant);
        behind.press();
        return false;
    }

    /// It came too late.
    private boolean lose() {
        counts.lose(behind.died() ? Loss.UNREACHABLE : Loss.SHUTDOWN, 1);
        return false;
    }
}
