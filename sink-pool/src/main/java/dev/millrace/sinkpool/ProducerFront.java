package dev.millrace.sinkpool;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A pool of one sink with a front for producers of this process: they hand over items, not records of a log.
///
/// An item comes in by [#stage], which never waits and sheds what has no room, or with a slot that is reserved for it:
/// [#record] and [#reserve] refuse, [#reserveUntil] waits. Each way has a share of one budget, so neither crowds the
/// other out.
/// An item holds its slot until it is written or lost. What is lost can't be read again: it is counted once, under its
/// reason.
///
/// Without order, what one thread hands over for one tenant in one way stays in order as far as the shard; there,
/// batches are written side by side. Where its shards keep order ([ShardSettings#ordered]), items of one
/// tenant, way and key ([ItemEncoder#keyHash]) reach the sink in the order in which they were handed over,
/// whoever did: one whose `stage`, `record` or [Reservation#stage] returned before that of another began is
/// written, set aside or lost before that one is sent, through retries and batches that are taken apart. What is shed,
/// refused or lost is only left out. Items that
/// were staged and items that a slot was reserved for have no order among them, nor have those of two tenants.
///
/// Thread ownership: shared.
public final class ProducerFront<T> implements AutoCloseable {
    private static final long GRACE_NANOS = 500_000_000;

    private final NanoClock clock;
    private final FrontParts<T> parts;
    private final SinkPool pool;
    private final Slots<T> slots;
    private final FrontCounts counts = new FrontCounts();
    private final FrontLog log;
    private final @Nullable ItemsOut<T> out;
    private final Feeder<T> feeder;
    private final Door<T> door;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable FrontReport ended;

    private ProducerFront(FrontParts<T> parts, FrontSettings settings, NanoClock clock) {
        this.clock = clock;
        this.parts = parts;
        // Nothing is paused by it, so it is never asked whether it is roomy: the shares refuse.
        var budget = new AdmissionBudget(settings.maxRows(), settings.maxBytes(), 0.5);
        var endings = parts.endings();
        this.out = endings == null ? null : new ItemsOut<>(endings);
        this.pool = new SinkPool(
                List.of(parts.shards()),
                budget,
                parts.mint(),
                parts.seed(),
                clock,
                parts.deadLetters(),
                out == null ? parts.listener() : new RefusalsTold(parts.listener(), out));
        this.slots =
                new Slots<>(budget, settings.stageShare(), Runtime.getRuntime().availableProcessors(), clock);
        this.log = new FrontLog(parts.sink());
        var sheds = new ShedLog(clock.nanoTime());
        this.feeder = new Feeder<>(
                new Feeder.Parts<>(slots, pool, counts, log, sheds, clock),
                parts.encoder(),
                parts.lanes(),
                settings,
                this::ended,
                out,
                cause -> parts.listener().frontDied(parts.sink(), cause),
                parts.sink());
        this.door = new Door<>(slots, counts, sheds, parts.encoder(), parts.ordered(), clock, feeder);
    }

    /// One that takes items at once. Its workers run until it is closed.
    public static <T> ProducerFront<T> start(FrontParts<T> parts, FrontSettings settings, NanoClock clock) {
        var front = new ProducerFront<>(parts, settings, clock);
        front.pool.start();
        front.feeder.start();
        return front;
    }

    // --- items

    /// Hands an item over if the share for what is staged has room. False: it is lost, and counted. Never waits for
    /// room, and never throws.
    public boolean stage(String tenant, T item) {
        return door.stage(tenant, item);
    }

    /// A slot for this item, reserved and spent at once: null if it is taken in, else why it is not, and it is
    /// still the caller's. Never waits.
    public @Nullable Refusal record(String tenant, T item) {
        return door.record(tenant, item);
    }

    /// Slots for so many items, if the share for what is reserved has them and nobody waits for any. Never waits.
    public Reserved<T> reserve(int slotCount) {
        return door.reserve(slotCount);
    }

    /// The same, and waits for them until then, in the order of arrival. Refuses at once what could never be had, and
    /// whoever comes too late.
    public Reserved<T> reserveUntil(int slotCount, long deadlineNanos) throws InterruptedException {
        return door.reserve(slotCount, deadlineNanos);
    }

    /// What became of the items of a chunk; on the thread that ended it.
    private void ended(Way way, Target target, EncodedChunk chunk, RowCounts ended) {
        counts.wrote(ended.written());
        counts.lose(Loss.REJECTED, ended.deadLettered() + ended.skipped());
        var givenUp = ended.abandoned() + ended.inDoubt();
        if (givenUp > 0) counts.lose(givenUpFor(target), givenUp);
        counts.doubt(ended.inDoubt());
        if (out != null) out.ended(chunk, ended);
        slots.ended(way, chunk.epoch(), ended.rows(), chunk.byteCount());
    }

    private Loss givenUpFor(Target target) {
        var dead = feeder.died() || pool.state(target) == ShardStatus.Worker.DIED;
        return slots.fenced() && !dead ? Loss.SHUTDOWN : Loss.UNREACHABLE;
    }

    // --- looking, waiting, ending

    /// As [SinkPool#quarantine].
    public void quarantine(ShardId shard, int replica, boolean on) {
        pool.quarantine(shard, replica, on);
    }

    /// What of the budget is for what is reserved.
    public long reservedRows() {
        return slots.view(Way.RESERVED).maxRows();
    }

    public long reservedBytes() {
        return slots.view(Way.RESERVED).maxBytes();
    }

    public FrontCounts counts() {
        return counts;
    }

    public FrontHealth health() {
        return new FrontHealth(state(), slots.view(Way.STAGED), slots.view(Way.RESERVED), counts, pool.status());
    }

    private FrontHealth.State state() {
        if (closed.getCount() == 0) return FrontHealth.State.CLOSED;
        if (feeder.died()) return FrontHealth.State.DIED;
        return slots.fenced() ? FrontHealth.State.CLOSING : FrontHealth.State.OPEN;
    }

    /// Waits until all that was handed over so far is written or lost, whatever comes after it; what is open of it is
    /// sealed without linger. False: the deadline passed before.
    public boolean settle(long deadlineNanos) throws InterruptedException {
        var mark = slots.askForMark();
        feeder.wake();
        return slots.awaitMark(mark, deadlineNanos);
    }

    /// Takes nothing any more, from now on; finishes what it has, until the deadline; gives up the rest, and ends its
    /// workers, which takes a second or so beyond the deadline if they hang. Returns what became of everything, or
    /// null if another close began before this: then it waits for that one's end until its own deadline. One
    /// that is interrupted gives up at once, and its report is only logged.
    public @Nullable FrontReport close(long deadlineNanos) throws InterruptedException {
        if (!closing.compareAndSet(false, true)) {
            var left = bounded(deadlineNanos) - clock.nanoTime();
            var _ = closed.await(Math.max(0, left), TimeUnit.NANOSECONDS);
            return null;
        }
        try (pool) {
            drain(deadlineNanos);
        } finally {
            var report = report();
            ended = report;
            closed.countDown();
            log.closed(report);
        }
        return ended;
    }

    private void drain(long deadlineNanos) throws InterruptedException {
        feeder.closeBy(deadlineNanos);
        slots.fence();
        feeder.fenced();
        try {
            feeder.join(bounded(deadlineNanos) + GRACE_NANOS);
            pool.drainBy(deadlineNanos);
            pool.closeInput();
            pool.awaitFinished(bounded(deadlineNanos) + GRACE_NANOS);
        } catch (InterruptedException interrupted) {
            feeder.closeBy(clock.nanoTime());
            joinAllTheSame();
            throw interrupted;
        } finally {
            feeder.tellRest();
        }
    }

    /// What the feeder has in hand it counts as lost now, which takes a moment.
    private void joinAllTheSame() {
        var until = clock.nanoTime() + GRACE_NANOS;
        for (var over = false; !over; ) {
            try {
                over = feeder.join(until) || NanoClock.reached(until, clock.nanoTime());
            } catch (InterruptedException _) {
                over = NanoClock.reached(until, clock.nanoTime());
            }
        }
    }

    /// Gives up at once what is not written.
    @Override
    public void close() {
        try {
            close(clock.nanoTime());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private long bounded(long deadlineNanos) {
        var now = clock.nanoTime();
        if (deadlineNanos == NanoClock.NEVER) return now + Long.MAX_VALUE / 2;
        return deadlineNanos - now < 0 ? now : deadlineNanos;
    }

    private FrontReport report() {
        var lost = new EnumMap<Loss, Long>(Loss.class);
        for (var why : Loss.values()) lost.put(why, counts.lost(why));
        var left = slots.left();
        return new FrontReport(
                counts.written(), counts.skipped(), lost, counts.inDoubt(), left.unspent(), left.items(), dead());
    }

    private List<FrontReport.Dead> dead() {
        var dead = new ArrayList<FrontReport.Dead>();
        if (feeder.died()) dead.add(new FrontReport.Dead(parts.sink(), feeder.carried()));
        for (var shard = 0; shard < parts.shards().size(); shard++) {
            var target = new Target(0, shard, 0);
            if (pool.state(target) == ShardStatus.Worker.DIED)
                dead.add(new FrontReport.Dead(
                        parts.shards().get(shard).settings().shard().toString(), pool.carried(target)));
        }
        return dead;
    }
}
