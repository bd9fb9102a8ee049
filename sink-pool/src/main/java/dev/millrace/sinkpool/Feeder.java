package dev.millrace.sinkpool;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The one thread of a front: empties the lanes, makes chunks of what was in them, and offers these to the shards.
///
/// What a shard has no room for waits here, so that it holds no other shard up; the slots of its items bound it.
///
/// Thread ownership: `wake`, `press`, `died`, `closeBy`, `fenced`, `join` from any thread.
final class Feeder<T> implements Door.Behind {
    /// A shard without room is asked again.
    private static final long OFFER_AGAIN_NANOS = 2_000_000;

    private static final long PRESS_EVERY_NANOS = 100_000_000;

    private final Slots<T> slots;
    private final SinkPool pool;
    private final FrontCounts counts;
    private final FrontLog log;
    private final ShedLog sheds;
    private final NanoClock clock;
    private final long lingerNanos;
    private final ItemChunks<T> chunks;
    private final @Nullable ItemsOut<T> out;
    private final Consumer<Throwable> whenDied;
    private final List<Deque<EncodedChunk>> waiting = new ArrayList<>();
    private final LaneWatch watch;
    private final Thread thread;
    private long mark;
    private long pressedNanos;
    private long shedDueNanos = NanoClock.NEVER;
    private boolean drains;
    private boolean ended;
    private Link.@Nullable Item<T> inHand;
    private Way inHandWay = Way.STAGED;
    private volatile boolean pressed;
    private volatile long closeByNanos = NanoClock.NEVER;
    private volatile boolean died;
    private final AtomicLong carried = new AtomicLong();

    /// What it works with.
    record Parts<T>(Slots<T> slots, SinkPool pool, FrontCounts counts, FrontLog log, ShedLog sheds, NanoClock clock) {}

    Feeder(
            Parts<T> parts,
            ItemEncoder<T> encoder,
            List<Integer> lanes,
            FrontSettings settings,
            FrontTally.Endings endings,
            @Nullable ItemsOut<T> out,
            Consumer<Throwable> whenDied,
            String name) {
        this.slots = parts.slots();
        this.pool = parts.pool();
        this.counts = parts.counts();
        this.log = parts.log();
        this.sheds = parts.sheds();
        this.clock = parts.clock();
        this.watch = new LaneWatch(clock);
        this.lingerNanos = settings.chunkLingerNanos();
        var slabs = new SlabPool(settings.chunkBytes(), settings.maxBytes() / 4);
        this.out = out;
        this.whenDied = whenDied;
        this.chunks = new ItemChunks<>(encoder, pool.budget(), slabs, lanes, endings, this::done, out);
        for (var shard = 0; shard < lanes.size(); shard++) waiting.add(new ArrayDeque<>());
        this.pressedNanos = clock.nanoTime() - 2 * PRESS_EVERY_NANOS;
        this.thread = Thread.ofPlatform().name("millrace-front-" + name).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    @Override
    public boolean died() {
        return died;
    }

    /// Items that it held when it died.
    long carried() {
        return carried.get();
    }

    @Override
    public void wake() {
        watch.wake();
    }

    @Override
    public void press() {
        if (pressed) return;
        pressed = true;
        watch.wake();
    }

    /// Behind a fence that is set after this, it ends when it has handed everything over, or at this time.
    void closeBy(long deadlineNanos) {
        closeByNanos = deadlineNanos;
    }

    /// The fence is set.
    void fenced() {
        watch.wakeNow();
    }

    /// Waits until it has ended or `untilNanos`. Returns whether it has.
    boolean join(long untilNanos) throws InterruptedException {
        var left = untilNanos - clock.nanoTime();
        if (left > 0) TimeUnit.NANOSECONDS.timedJoin(thread, left);
        return !thread.isAlive();
    }

    /// Where it has ended, what was shed by those that it did not wait for is told too.
    void tellRest() {
        if (!thread.isAlive()) sheds.rest(clock.nanoTime(), log::shed);
    }

    private void run() {
        try {
            while (!ended) rest(turn());
        } catch (Throwable cause) {
            die(cause);
        }
    }

    // --- one turn

    /// Returns how many items it took.
    private long turn() {
        var now = clock.nanoTime();
        // Before the lanes are emptied: what was put before these were asked for is in them.
        var presses = pressWanted() && now - pressedNanos >= PRESS_EVERY_NANOS;
        var marks = asksForMark() || (presses && pressedLately(now));
        var toSet = marks ? slots.beginMark() : 0;
        var fenced = slots.fenced();
        var took = 0L;
        for (var way : Way.values()) for (var lane : slots.lanes(way).all()) took += empty(way, lane, now);
        if (presses) press(now);
        if (marks) setMark(toSet, now);
        else if (presses) sealWhatIsWorthIt(now);
        chunks.handOver(fenced ? now : now - lingerNanos);
        offer();
        shedDueNanos = sheds.tell(now, log::shed);
        if (fenced) finish(now);
        return took;
    }

    private long empty(Way way, Lane<T> lane, long nowNanos) {
        var first = lane.drain();
        if (first == null) return 0;
        var items = first.count;
        mark = slots.took(items);
        counts.took(items);
        inHandWay = way;
        for (Link.Item<T> at = first; at != null; at = at.next) {
            inHand = at;
            if (slots.fenced() && NanoClock.reached(closeByNanos, clock.nanoTime())) tooLate(way, at);
            else encode(way, at, nowNanos);
        }
        inHand = null;
        return items;
    }

    /// Behind the deadline of the close nothing is encoded any more.
    private void tooLate(Way way, Link.Item<T> item) {
        over(way, item);
        counts.lose(Loss.SHUTDOWN, 1);
        if (out != null) out.ended(item.item, Fate.GIVEN_UP);
    }

    /// It has ended, and is in no chunk: whatever goes wrong from here on counts it no second time.
    private void over(Way way, Link.Item<T> item) {
        inHand = item.next;
        slots.ended(way, mark, 1, item.bytes);
    }

    private void encode(Way way, Link.Item<T> item, long nowNanos) {
        switch (encoded(way, item, nowNanos)) {
            case RowEncoder.Encoded.Written() -> {}
            case RowEncoder.Encoded.Skipped _ -> {
                over(way, item);
                counts.skip();
                if (out != null) out.ended(item.item, Fate.LEFT_OUT);
            }
            case RowEncoder.Encoded.Poison(var reason, var detail) -> {
                over(way, item);
                counts.lose(Loss.REJECTED, 1);
                if (out != null) out.ended(item.item, Fate.REJECTED);
                log.rejected(item.tenant, reason, detail, nowNanos);
            }
        }
    }

    private RowEncoder.Encoded encoded(Way way, Link.Item<T> item, long nowNanos) {
        try {
            return Objects.requireNonNull(chunks.add(way, item, mark, nowNanos), "the encoder answered null");
        } catch (RuntimeException thrown) {
            return new RowEncoder.Encoded.Poison(
                    "encoder-threw", thrown.getClass().getName());
        }
    }

    private void done(Way way, EncodedChunk chunk, long counted) {
        slots.release(way, 0, counted - chunk.byteCount());
        waiting.get(chunk.target().shard()).addLast(chunk);
    }

    private void setMark(long at, long nowNanos) {
        chunks.handOver(nowNanos);
        offer();
        slots.setMark(at);
        mark = at + 1;
        pool.sealUpTo(at);
    }

    private void offer() {
        for (var of : waiting) {
            while (!of.isEmpty()) {
                var chunk = of.getFirst();
                if (pool.offer(chunk.target(), List.of(chunk))) {
                    of.removeFirst();
                    continue;
                }
                if (pool.state(chunk.target()) == ShardStatus.Worker.RUNNING) break;
                of.removeFirst().close();
            }
        }
    }

    private boolean pressWanted() {
        return pressed || slots.anyWaits();
    }

    /// Where the share is full again after what was worth it was sealed, all is, by a mark, however little it is: what
    /// could make it more has no room.
    private boolean pressedLately(long nowNanos) {
        return nowNanos - pressedNanos < 2 * PRESS_EVERY_NANOS;
    }

    private void press(long nowNanos) {
        pressed = false;
        pressedNanos = nowNanos;
    }

    private void sealWhatIsWorthIt(long nowNanos) {
        chunks.handOver(nowNanos);
        offer();
        pool.pressure();
    }

    private boolean asksForMark() {
        var asked = slots.asked();
        return asked > 0 && asked >= mark;
    }

    private boolean holdsChunks() {
        for (var of : waiting) if (!of.isEmpty()) return true;
        return false;
    }

    private void finish(long nowNanos) {
        if (!drains) pool.drainBy(closeByNanos);
        drains = true;
        if (holdsChunks() && !NanoClock.reached(closeByNanos, nowNanos)) return;
        for (var of : waiting) while (!of.isEmpty()) of.removeFirst().close();
        pool.closeInput();
        sheds.rest(nowNanos, log::shed);
        slots.endMarks();
        ended = true;
    }

    // --- between two turns

    private void rest(long took) {
        if (ended) return;
        if (drains) {
            LockSupport.parkNanos(this, OFFER_AGAIN_NANOS);
        } else {
            var knew = pressWanted();
            watch.rest(took, () -> somethingCame() || pressWanted() != knew, wakeAtNanos(knew));
        }
    }

    private boolean somethingCame() {
        for (var way : Way.values()) for (var lane : slots.lanes(way).all()) if (!lane.isEmpty()) return true;
        return asksForMark() || slots.fenced();
    }

    private long wakeAtNanos(boolean press) {
        var wake = shedDueNanos;
        var oldest = chunks.oldestNanos();
        if (oldest != NanoClock.NEVER) wake = NanoClock.earlier(wake, NanoClock.due(oldest, lingerNanos));
        if (holdsChunks()) wake = NanoClock.earlier(wake, clock.nanoTime() + OFFER_AGAIN_NANOS);
        if (press) wake = NanoClock.earlier(wake, NanoClock.due(pressedNanos, PRESS_EVERY_NANOS));
        return wake;
    }

    // --- a fault of its own

    /// Nobody waits for what it held: that is lost, as far as it can be found.
    private void die(Throwable cause) {
        died = true;
        try {
            slots.fence();
            giveUp();
        } finally {
            slots.endMarks();
            pool.closeInput();
            whenDied.accept(cause);
            log.died(cause);
        }
    }

    private void giveUp() {
        for (var at = inHand; at != null; at = at.next) {
            counts.lose(Loss.UNREACHABLE, 1);
            if (out != null) out.ended(at.item, Fate.GIVEN_UP);
            slots.ended(inHandWay, mark, 1, at.bytes);
            carried.incrementAndGet();
        }
        for (var way : Way.values()) for (var lane : slots.lanes(way).all()) giveUp(way, lane);
        chunks.handOver(clock.nanoTime());
        for (var of : waiting) {
            for (var chunk : of) {
                carried.addAndGet(chunk.rows());
                chunk.close();
            }
        }
        sheds.rest(clock.nanoTime(), log::shed);
    }

    private void giveUp(Way way, Lane<T> lane) {
        for (var at = lane.drain(); at != null; at = at.next) {
            counts.took(1);
            counts.lose(Loss.UNREACHABLE, 1);
            if (out != null) out.ended(at.item, Fate.GIVEN_UP);
            slots.release(way, 1, at.bytes);
            carried.incrementAndGet();
        }
    }
}
