package dev.millrace.sinkpool;

import java.util.concurrent.atomic.AtomicLong;

/// The way into a front as producers see it, before one thread that empties its lanes when a front's own would, and
/// drops what was in them.
///
/// Thread ownership: `put` from any thread; the rest whoever made it.
public final class DiscardingDoor {
    private static final String TENANT = "orders";
    private static final int ITEM_BYTES = 100;
    private static final int FILL = 512;

    private final Slots<Object> slots;
    private final Door<Object> door;
    private final LaneWatch watch = new LaneWatch(NanoClock.SYSTEM);
    private final AtomicLong dropped = new AtomicLong();
    private final Thread consumer = new Thread(this::run, "discarding");
    private long puts;
    private volatile boolean stopped;

    /// With so many slots for what is reserved.
    public DiscardingDoor(int capacity) {
        var budget = new AdmissionBudget(2L * capacity, 2L << 40, 0.5);
        var clock = NanoClock.SYSTEM;
        slots = new Slots<>(budget, 0.5, Runtime.getRuntime().availableProcessors(), clock);
        var sheds = new ShedLog(clock.nanoTime());
        door = new Door<>(slots, new FrontCounts(), sheds, new Weighed(), false, clock, new Door.Behind() {
            @Override
            public void wake() {
                watch.wake();
            }

            @Override
            public void press() {
                watch.wake();
            }

            @Override
            public boolean died() {
                return false;
            }
        });
    }

    /// No item gets as far as being encoded.
    private static final class Weighed implements ItemEncoder<Object> {
        @Override
        public int shard(String tenant, Object item) {
            return 0;
        }

        @Override
        public int bytes(Object item) {
            return ITEM_BYTES;
        }

        @Override
        public RowEncoder.Encoded encode(String tenant, Object item, RowBuffer row) {
            throw new IllegalStateException("items are dropped");
        }
    }

    public void start() {
        consumer.start();
    }

    /// Reserves a slot, waiting for it if need be, and spends it on this item.
    public void put(Object item) throws InterruptedException {
        if (door.record(TENANT, item) != null) putLater(item);
    }

    private void putLater(Object item) throws InterruptedException {
        if (door.reserve(1, NanoClock.NEVER) instanceof Reservation<Object> slot) slot.stage(TENANT, item);
        else throw new IllegalStateException("it is closed");
    }

    private void run() {
        while (!stopped) watch.rest(empty(), this::came, NanoClock.NEVER);
        empty();
    }

    private long empty() {
        var took = 0L;
        for (var lane : slots.lanes(Way.RESERVED).all()) took += empty(lane);
        return took;
    }

    private long empty(Lane<Object> lane) {
        var first = lane.drain();
        if (first == null) return 0;
        var items = first.count;
        var bytes = 0L;
        for (Link.Item<Object> at = first; at != null; at = at.next) bytes += at.bytes;
        slots.ended(Way.RESERVED, slots.took(items), items, bytes);
        dropped.addAndGet(items);
        return items;
    }

    private boolean came() {
        for (var lane : slots.lanes(Way.RESERVED).all()) if (!lane.isEmpty()) return true;
        return stopped;
    }

    /// Items that came out.
    public long dropped() {
        return dropped.get();
    }

    /// By one thread alone: reserves and records, and empties the lanes when a fill is in them. Nothing is to be
    /// started.
    public long putAndEmpty(Object item) throws InterruptedException {
        put(item);
        if (++puts % FILL == 0) empty();
        return puts;
    }

    /// Drops what is in it, and ends the thread. Producers have ended.
    public void stop() throws InterruptedException {
        stopped = true;
        watch.wakeNow();
        consumer.join();
    }
}
