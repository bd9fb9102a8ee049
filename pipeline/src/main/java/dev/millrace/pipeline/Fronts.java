package dev.millrace.pipeline;

import dev.millrace.config.PipelineConfig;
import dev.millrace.intake.FrontInlet;
import dev.millrace.intake.Inlet;
import dev.millrace.intake.IntakeRow;
import dev.millrace.intake.RowCopies;
import dev.millrace.intake.RowFates;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.FrontHealth;
import dev.millrace.sinkpool.FrontParts;
import dev.millrace.sinkpool.FrontSettings;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PoolListener;
import dev.millrace.sinkpool.ProducerFront;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.TokenMint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A front for producers for each sink, each with its part of the budget: the shards of a pipeline whose rows are
/// posted.
///
/// A front runs from its making to its end, so they are made when the pipeline starts.
///
/// Thread ownership: shared; its life belongs to the thread that runs the pipeline, and `closeInput` to any.
final class Fronts implements Shards {
    private final PipelineConfig config;
    private final List<SinkPart> sinks;
    private final TokenMint mint;
    private final long seed;
    private final NanoClock clock;
    private final PoolListener listener;
    private volatile Map<String, ProducerFront<IntakeRow>> fronts = Map.of();
    private volatile long deadlineNanos = NanoClock.NEVER;
    private @Nullable List<Thread> closing;

    Fronts(
            PipelineConfig config,
            List<SinkPart> sinks,
            TokenMint mint,
            long seed,
            NanoClock clock,
            PoolListener listener) {
        this.config = config;
        this.sinks = sinks;
        this.mint = mint;
        this.seed = seed;
        this.clock = clock;
        this.listener = listener;
    }

    @Override
    public void start() {
        var admission = config.admission();
        var settings = FrontSettings.reserving(admission.maxRows() / sinks.size(), admission.maxBytes() / sinks.size());
        var made = new LinkedHashMap<String, ProducerFront<IntakeRow>>();
        for (var sink : sinks) {
            var parts = new FrontParts<>(
                    sink.specs(config), new RowCopies(), mint, seed, DeadLetters.none(), listener, new RowFates());
            made.put(sink.name(), ProducerFront.start(parts, settings, clock));
        }
        fronts = made;
    }

    Inlet inlet(String sink) {
        return new FrontInlet(Objects.requireNonNull(fronts.get(sink)));
    }

    /// By the sinks' names, in the file's order; empty before it was started.
    Map<String, FrontHealth> health() {
        var all = new LinkedHashMap<String, FrontHealth>();
        fronts.forEach((sink, front) -> all.put(sink, front.health()));
        return all;
    }

    /// Of one that was started.
    FrontHealth health(String sink) {
        return Objects.requireNonNull(fronts.get(sink)).health();
    }

    @Override
    public List<ShardStatus> status() {
        return fronts.values().stream()
                .flatMap(front -> front.health().shards().stream())
                .toList();
    }

    @Override
    public void quarantine(ShardId shard, int replica, boolean on) {
        fronts.values().forEach(front -> front.quarantine(shard, replica, on));
    }

    @Override
    public Snapshot.InFlight inFlight() {
        long rows = 0, bytes = 0, maxRows = 0, maxBytes = 0;
        for (var front : fronts.values()) {
            var share = front.health().reserved();
            rows += share.rows();
            bytes += share.bytes();
            maxRows += share.maxRows();
            maxBytes += share.maxBytes();
        }
        return new Snapshot.InFlight(rows, bytes, maxRows, maxBytes);
    }

    /// What is open does not linger: nothing more comes to it.
    void sealOpen() throws InterruptedException {
        var now = clock.nanoTime();
        for (var front : fronts.values()) {
            var _ = front.settle(now); // does not wait
        }
    }

    @Override
    public void drainBy(long deadline) {
        deadlineNanos = deadline;
    }

    /// By the deadline of [#drainBy], or, before one is known, at once.
    @Override
    public synchronized void closeInput() {
        if (closing != null) return;
        var by = deadlineNanos == NanoClock.NEVER ? clock.nanoTime() : deadlineNanos;
        var threads = new ArrayList<Thread>();
        fronts.forEach((sink, front) -> threads.add(
                Thread.ofPlatform().daemon().name("millrace-end-" + sink).start(() -> close(front, by))));
        closing = threads;
        notifyAll();
    }

    private static void close(ProducerFront<IntakeRow> front, long deadlineNanos) {
        try {
            front.close(deadlineNanos);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean awaitFinished(long untilNanos) throws InterruptedException {
        var ends = closing(untilNanos);
        if (ends == null) return false;
        var finished = true;
        for (var thread : ends) finished &= thread.join(left(untilNanos));
        return finished;
    }

    /// Whoever reads the last bodies says when nothing more comes. Null if that was not said in time.
    private synchronized @Nullable List<Thread> closing(long untilNanos) throws InterruptedException {
        while (closing == null && !NanoClock.reached(untilNanos, clock.nanoTime()))
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, untilNanos - clock.nanoTime()));
        return closing;
    }

    private Duration left(long untilNanos) {
        return Duration.ofNanos(Math.max(1, untilNanos - clock.nanoTime()));
    }

    @Override
    public void close() {
        fronts.values().forEach(ProducerFront::close);
    }
}
