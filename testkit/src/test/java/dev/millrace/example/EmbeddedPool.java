package dev.millrace.example;

import dev.millrace.breaker.BreakerSettings;
import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.Range;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.ChunkBuilder;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PoisonSettings;
import dev.millrace.sinkpool.PoolListener;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import dev.millrace.sinkpool.RowRef;
import dev.millrace.sinkpool.RowTally;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardNote;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardSpec;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkPool;
import dev.millrace.sinkpool.SlabSource;
import dev.millrace.sinkpool.Target;
import dev.millrace.sinkpool.TokenMint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Writes rows of a program's own through the pool: batches, retries, a breaker for each replica, and the number up to
/// which all of them are stored.
///
/// Thread ownership: the thread that calls it; ranges are told from workers of the pool.
final class EmbeddedPool {
    private static final ShardId SHARD = new ShardId("files", "s0");
    private static final int RANGE = 1000;
    private static final int SLAB_BYTES = 128 << 10;

    private EmbeddedPool() {}

    // [settings]
    private static ShardSettings settings() {
        var batch = new ShardSettings.BatchSettings(
                10_000, 8 << 20, Duration.ofMillis(200).toNanos());
        var retry = new ShardSettings.RetrySettings(
                Duration.ofMillis(100).toNanos(), Duration.ofSeconds(10).toNanos(), 2.0, 0.2, 0); // without end
        var breaker = new BreakerSettings(
                3, // of so many calls
                3, // all of them
                100, // per cent
                Duration.ofSeconds(20).toNanos(), // slow
                80, // per cent
                Duration.ofSeconds(5).toNanos(), // open
                Duration.ofSeconds(60).toNanos(), // at most
                1, // probe
                Duration.ofSeconds(5).toNanos());
        return new ShardSettings(
                SHARD,
                1, // replica
                1, // lane
                batch,
                2, // batches on their way
                Duration.ofSeconds(30).toNanos(), // for a write
                retry,
                breaker,
                true, // receipts count rows
                PoisonSettings.of(PoisonSettings.Action.SKIP));
    }
    // [/settings]

    // [pool]
    private static SinkPool pool(Sink sink, Path file, AdmissionBudget budget) {
        return new SinkPool(
                List.of(List.of(new ShardSpec(settings(), sink, List.of(file.toUri())))), // one sink of one shard
                budget,
                TokenMint.perRun(UUID.randomUUID().toString()), // another name in every run
                System.nanoTime(), // the seed of retries' jitter
                NanoClock.SYSTEM,
                DeadLetters.none(), // nothing is sent there under SKIP
                new Listener());
    }
    // [/pool]

    // [listener]
    /// Called on the workers' threads: must not block, must not throw.
    private static final class Listener implements PoolListener {
        @Override
        public void note(ShardId shard, ShardNote note) {
            if (note instanceof ShardNote.OutageBegan(var first))
                System.err.println(shard + " takes nothing: " + first);
        }

        @Override
        public void stopFor(ShardId shard, RowRef row, Failure failure) {
            throw new IllegalStateException("only with PoisonSettings.Action.STOP");
        }

        @Override
        public void died(ShardId shard, Throwable cause) {
            System.err.println("the worker of " + shard + " died: " + cause);
        }
    }
    // [/listener]

    // [store]
    /// Stores these rows in a file, and returns the number up to which all are done: what is behind it has to come
    /// again.
    static long store(Path file, List<? extends RecordView> rows, Duration limit) throws InterruptedException {
        var budget = new AdmissionBudget(100_000, 64 << 20, 0.6);
        var handles = new OpenHandles();
        var deadlineNanos = NanoClock.SYSTEM.nanoTime() + limit.toNanos();
        try (var sink = new FileSink();
                var pool = pool(sink, file, budget)) {
            pool.start();
            var source = new Source(pool, sink, handles);
            for (var from = 0; from < rows.size(); from += RANGE)
                source.take(rows.subList(from, Math.min(rows.size(), from + RANGE)), deadlineNanos);
            pool.closeInput();
            pool.drainBy(deadlineNanos);
            pool.awaitFinished(deadlineNanos);
            return source.done();
        }
    }
    // [/store]

    // [source]
    /// What stands between the program and the pool. One thread owns it.
    private static final class Source {
        private static final SourcePartition PARTITION = new SourcePartition("orders", TopicId.UNKNOWN, 0);
        private static final Target TARGET = new Target(0, 0, 0);

        private final SinkPool pool;
        private final Sink sink;
        private final PartitionTracker tracker;
        private final List<EncodedChunk> ready = new ArrayList<>();
        private final ChunkBuilder builder;
        private final BlockingQueue<Map.Entry<Range, Resolution>> told = new LinkedBlockingQueue<>();

        Source(SinkPool pool, Sink sink, OpenHandles handles) {
            this.pool = pool;
            this.sink = sink;
            tracker = new PartitionTracker(PARTITION, 1, 0, -1, 1024, handles);
            builder = new ChunkBuilder(
                    PARTITION, 1, TARGET, new SlabSource(SLAB_BYTES), pool.budget(TARGET), new RowTally(), ready::add);
        }

        /// A range: rows that are done together. Waits while the pool has no room.
        void take(List<? extends RecordView> rows, long deadlineNanos) throws InterruptedException {
            var next = rows.getLast().offset() + 1;
            var range = tracker.register(tracker.end(), next, -1, (which, how) -> told.add(Map.entry(which, how)));
            builder.begin(range, NanoClock.SYSTEM.nanoTime());
            var encoder = sink.encoder();
            for (var row : rows)
                if (builder.append(row, encoder) instanceof Encoded.Poison(var reason, var detail))
                    System.err.println("row " + row.offset() + " is left out: " + reason + " " + detail);
            builder.handOver();
            range.close(); // no more chunks take part in it
            if (ready.isEmpty()) return; // all were left out
            while (!pool.offer(TARGET, List.copyOf(ready))) {
                if (NanoClock.reached(deadlineNanos, NanoClock.SYSTEM.nanoTime())) {
                    ready.forEach(EncodedChunk::close); // given up: its range fails
                    break;
                }
                TimeUnit.MILLISECONDS.sleep(5); // nobody calls back: a source looks again
            }
            ready.clear();
        }

        /// The end of the longest stretch from the beginning that is stored.
        long done() {
            for (var one = told.poll(); one != null; one = told.poll()) tracker.resolve(one.getKey(), one.getValue());
            return tracker.watermark();
        }
    }
    // [/source]
}
