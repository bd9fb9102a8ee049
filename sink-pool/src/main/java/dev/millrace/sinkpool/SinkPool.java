package dev.millrace.sinkpool;

import dev.millrace.checkpoint.SourcePartition;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator.SplittableGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The shard workers of all sinks of one pipeline, and the budget they share.
///
/// Life: made, `start`, offers from source threads, `closeInput` and `drainBy` in any order,
/// `awaitFinished`, `close`. A pool that is closed without a drain abandons at once.
///
/// Thread ownership: shared; the life cycle belongs to whoever made it.
public final class SinkPool implements Intake, AutoCloseable {
    private static final Duration CLOSE_BOUND = Duration.ofMillis(500);

    private record Shard(ShardSpec spec, ShardWorker worker, List<SinkWriter> writers) {}

    private final List<List<Shard>> sinks = new ArrayList<>();
    private final List<Shard> all = new ArrayList<>();
    private final AdmissionBudget budget;
    private final NanoClock clock;

    /// One list of shards for each sink, in the order that [Target] counts in. `seed` is where the
    /// jitter of retries comes from. `deadLetters` stays the caller's.
    public SinkPool(
            List<List<ShardSpec>> specs,
            AdmissionBudget budget,
            TokenMint mint,
            long seed,
            NanoClock clock,
            DeadLetters deadLetters,
            PoolListener listener) {
        this(specs, budget, mint, seed, clock, InstantSource.system(), deadLetters, listener);
    }

    /// `wall` is only asked whether `clock` has stood still (EO-10).
    SinkPool(
            List<List<ShardSpec>> specs,
            AdmissionBudget budget,
            TokenMint mint,
            long seed,
            NanoClock clock,
            InstantSource wall,
            DeadLetters deadLetters,
            PoolListener listener) {
        this.budget = budget;
        this.clock = clock;
        var chance = RandomGeneratorFactory.<SplittableGenerator>of("L64X128MixRandom")
                .create(seed);
        for (var sink : specs) {
            var shards = new ArrayList<Shard>();
            var slots = slotsOf(sink, shards);
            for (var spec : sink) {
                var settings = spec.settings();
                var counts = new ShardCounts(settings.replicas());
                var machine = new ShardMachine(settings, mint, chance.split(), counts, clock.nanoTime());
                var writers = writersOf(spec);
                var worker = new ShardWorker(
                        settings,
                        machine,
                        counts,
                        () -> spec.sink().recognition(settings.shard()),
                        writers,
                        spec.endpoints(),
                        slots == null ? WriteSlots.Place.UNLIMITED : new WriteSlots.Place(slots, shards.size()),
                        budget,
                        clock,
                        wall,
                        deadLetters,
                        listener);
                shards.add(new Shard(spec, worker, writers));
            }
            sinks.add(shards);
            all.addAll(shards);
        }
    }

    /// Null where the sink takes as many writes as there are. `shards` get their workers before anything is granted.
    private static @Nullable WriteSlots slotsOf(List<ShardSpec> sink, List<Shard> shards) {
        var totals = sink.stream().map(spec -> spec.settings().maxTotal()).collect(Collectors.toSet());
        if (totals.size() > 1)
            throw new IllegalArgumentException(
                    sink.getFirst().settings().shard().sink() + ": shards with max_total " + new TreeSet<>(totals));
        for (int total : totals)
            if (total > 0)
                return new WriteSlots(
                        total,
                        sink.size(),
                        (shard, slot) -> shards.get(shard).worker().tell(new ShardEvent.SlotGranted(slot)));
        return null;
    }

    private static List<SinkWriter> writersOf(ShardSpec spec) {
        var writers = new ArrayList<SinkWriter>();
        for (URI endpoint : spec.endpoints())
            writers.add(spec.sink().writer(spec.settings().shard(), endpoint));
        return writers;
    }

    public void start() {
        all.forEach(shard -> shard.worker().start());
    }

    @Override
    public boolean offer(Target target, List<EncodedChunk> chunks) {
        return worker(target).offer(chunks);
    }

    @Override
    public boolean hasRoom(Target target) {
        return worker(target).hasRoom();
    }

    private ShardWorker worker(Target target) {
        return sinks.get(target.sink()).get(target.shard()).worker();
    }

    @Override
    public AdmissionBudget budget() {
        return budget;
    }

    @Override
    public AdmissionBudget budget(Target target) {
        return worker(target).budget();
    }

    @Override
    public void pressure() {
        tellAll(new ShardEvent.Pressure());
    }

    @Override
    public void revoking(SourcePartition partition, long epoch) {
        tellAll(new ShardEvent.Revoking(partition, epoch));
    }

    @Override
    public void epochEnded(SourcePartition partition, long epoch) {
        tellAll(new ShardEvent.EpochEnded(partition, epoch));
    }

    @Override
    public void splitMarked(SourcePartition partition, long epoch, long from) {
        tellAll(new ShardEvent.SplitMarked(partition, epoch, from));
    }

    /// All rows of this epoch and of those before, of whatever partition, are waited for: they do not linger.
    void sealUpTo(long epoch) {
        tellAll(new ShardEvent.SealUpTo(epoch));
    }

    ShardStatus.Worker state(Target target) {
        return worker(target).state();
    }

    /// Rows that its worker held when it died, as far as is known; 0 for one that did not.
    long carried(Target target) {
        return worker(target).carried();
    }

    private void tellAll(ShardEvent event) {
        all.forEach(shard -> shard.worker().tell(event));
    }

    /// No chunk will be offered any more: what is offered all the same is refused.
    public void closeInput() {
        all.forEach(shard -> shard.worker().closeInput());
    }

    /// Returns at once. Each worker ends when the input is closed and it holds nothing, or at the
    /// deadline. May be called again with another deadline.
    public void drainBy(long deadlineNanos) {
        tellAll(new ShardEvent.DrainBy(deadlineNanos));
    }

    /// Waits until all workers have ended or `untilNanos`. Returns whether they have.
    public boolean awaitFinished(long untilNanos) throws InterruptedException {
        var finished = true;
        for (var shard : all) finished &= shard.worker().join(untilNanos);
        return finished;
    }

    /// Keeps a replica of a shard from new attempts, whatever its breaker says, or lets it have them again; what is on
    /// its way there goes on. Returns at once; [#status] shows when it holds. Nothing of it outlives the pool. Does
    /// nothing where there is no such shard.
    public void quarantine(ShardId shard, int replica, boolean on) {
        for (var one : all)
            if (one.spec().settings().shard().equals(shard)) one.worker().quarantine(replica, on);
    }

    public List<ShardStatus> status() {
        return all.stream().map(SinkPool::status).toList();
    }

    private static ShardStatus status(Shard shard) {
        var worker = shard.worker();
        return new ShardStatus(
                shard.spec().settings().shard(),
                shard.spec().endpoints(),
                worker.state(),
                worker.view(),
                worker.counts(),
                worker.slots());
    }

    /// Ends what still runs: workers abandon at once, writers are closed. Takes at most twice 500 ms,
    /// whatever a writer does.
    @Override
    public void close() {
        closeInput();
        drainBy(clock.nanoTime());
        all.forEach(shard -> shard.worker().abandonUnstarted());
        var writers = all.stream().flatMap(shard -> shard.writers().stream()).toList();
        var closed = new CountDownLatch(writers.size());
        try {
            awaitFinished(clock.nanoTime() + CLOSE_BOUND.toNanos());
            for (var writer : writers)
                Thread.ofPlatform().daemon().name("millrace-close").start(() -> close(writer, closed));
            if (!closed.await(CLOSE_BOUND.toMillis(), TimeUnit.MILLISECONDS)) ShardLog.closeOverran(closed.getCount());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(SinkWriter writer, CountDownLatch closed) {
        try {
            writer.close();
        } catch (RuntimeException cause) {
            ShardLog.hookFailed(cause);
        } finally {
            closed.countDown();
        }
    }
}
