package dev.millrace.bench;

import dev.millrace.breaker.BreakerSettings;
import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.Description;
import dev.millrace.postgres.Password;
import dev.millrace.postgres.PostgresSettings;
import dev.millrace.postgres.PostgresSink;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.ChunkBuilder;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PoisonSettings;
import dev.millrace.sinkpool.PoolListener;
import dev.millrace.sinkpool.RowRef;
import dev.millrace.sinkpool.RowTally;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardNote;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardSpec;
import dev.millrace.sinkpool.SinkPool;
import dev.millrace.sinkpool.SlabSource;
import dev.millrace.sinkpool.Target;
import dev.millrace.sinkpool.TokenMint;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// One batch with poison rows at random places, through a pool of one shard into a table of a real server that refuses
/// them by a CHECK constraint; dead letters are acknowledged at once.
///
/// Invariant: what is told was measured on a run after which the table holds each healthy row once, and each poison row
/// was set aside once.
///
/// Thread ownership: the bench's thread.
final class PoisonedBatch {
    /// @param rowsSent rows of all requests together
    record Cost(int poison, boolean named, int requests, long rowsSent, long nanos) {}

    private static final long SECOND = 1_000_000_000L;
    private static final String DATABASE = "isolation";
    private static final int SLAB = 128 << 10;
    private static final long PATIENCE_MINUTES = 20;
    private static final ShardId SHARD = new ShardId("bench", "s0");
    private static final SourcePartition PARTITION = new SourcePartition("bench", new TopicId("bench"), 0);
    private static final PostgresSettings SETTINGS = new PostgresSettings(
            "t",
            new PostgresSettings.Login("postgres", Password.of(""), new PostgresSettings.Tls.Off()),
            new PostgresSettings.Rows(PostgresSettings.OnConflict.ERROR, PostgresSettings.UnknownFields.REFUSE, null),
            new PostgresSettings.Limits(1, Duration.ofSeconds(30), Duration.ofMinutes(10)));

    private final LabPostgres server;
    private final URI endpoint;
    private final int rows;

    PoisonedBatch(LabPostgres server, int rows) {
        this.server = server;
        this.rows = rows;
        endpoint = URI.create("postgres://" + server.host() + ":" + server.port() + "/" + DATABASE);
        server.createDatabase(DATABASE);
    }

    /// `named`: whether the pool hears which row the server named.
    Cost run(int poison, boolean named, long seed) throws InterruptedException {
        server.execute(DATABASE, "drop table if exists t; create table t (id integer, v text check (v <> 'poison'))");
        var bad = places(poison, seed);
        var letters = new BitSet();
        try (var postgres = PostgresSink.open(SETTINGS, Map.of(SHARD, List.of(endpoint)), NanoClock.SYSTEM)) {
            if (!(postgres.describe(System.nanoTime() + 30 * SECOND) instanceof Description.Described))
                throw new BenchFailure("the table was not described");
            var sink = new CountedSink(postgres, named);
            try (var pool = pool(sink, letters)) {
                pool.start();
                var nanos = write(pool, bad);
                verify(bad, letters);
                return new Cost(poison, named, sink.requests(), sink.rows(), nanos);
            }
        }
    }

    private BitSet places(int poison, long seed) {
        var chance = new SplittableRandom(seed);
        var bad = new BitSet();
        while (bad.cardinality() < poison) bad.set(chance.nextInt(rows));
        return bad;
    }

    private SinkPool pool(CountedSink sink, BitSet letters) {
        var shard = new ShardSettings(
                SHARD,
                1,
                1,
                new ShardSettings.BatchSettings(rows, 1L << 30, 3600 * SECOND),
                1,
                600 * SECOND,
                new ShardSettings.RetrySettings(SECOND / 10, 10 * SECOND, 2, 0, 0),
                new BreakerSettings(3, 3, 100, 3600 * SECOND, 100, SECOND, 60 * SECOND, 1, 10 * SECOND),
                true,
                PoisonSettings.of(PoisonSettings.Action.DEAD_LETTER));
        return new SinkPool(
                List.of(List.of(new ShardSpec(shard, sink, List.of(endpoint)))),
                budget(),
                TokenMint.perRun("bench"),
                1,
                NanoClock.SYSTEM,
                (letter, done) -> {
                    synchronized (letters) {
                        if (letters.get((int) letter.offset()))
                            throw new BenchFailure("row " + letter.offset() + " was set aside twice");
                        letters.set((int) letter.offset());
                    }
                    done.acknowledged();
                },
                new Deaf());
    }

    private static AdmissionBudget budget() {
        return new AdmissionBudget(100_000_000, 1L << 34, 0.5);
    }

    /// Returns how long it took from the offer until every row had ended.
    private long write(SinkPool pool, BitSet bad) throws InterruptedException {
        var resolved = new CompletableFuture<Resolution>();
        var chunks = new ArrayList<EncodedChunk>();
        var builder = new ChunkBuilder(
                PARTITION, 1, new Target(0, 0, 0), new SlabSource(SLAB), budget(), new RowTally(), chunks::add);
        var range = new PartitionTracker(PARTITION, 1, 0, 0, 8, new OpenHandles())
                .register(0, rows, 0, (_, how) -> resolved.complete(how));
        builder.begin(range, NanoClock.SYSTEM.nanoTime());
        var row = new TextRow(PARTITION.topic());
        for (var id = 0; id < rows; id++) {
            var line = id + (bad.get(id) ? "\tpoison\n" : "\ta healthy row of a few words, number " + id + "\n");
            builder.append(row.of(id, line), TextRow.AS_IT_IS);
        }
        builder.handOver();
        range.close();
        var began = System.nanoTime();
        if (!pool.offer(new Target(0, 0, 0), chunks)) throw new BenchFailure("the pool took no rows");
        try {
            if (resolved.get(PATIENCE_MINUTES, TimeUnit.MINUTES) != Resolution.DONE)
                throw new BenchFailure("the batch was given up");
        } catch (ExecutionException | TimeoutException failure) {
            throw new BenchFailure("the batch did not end: " + failure);
        }
        return System.nanoTime() - began;
    }

    private void verify(BitSet bad, BitSet letters) {
        synchronized (letters) {
            if (!letters.equals(bad)) throw new BenchFailure("set aside " + letters + ", poison are " + bad);
        }
        var healthy = rows - bad.cardinality();
        var there = server.query(DATABASE, "select count(*), count(distinct id) from t")
                .getFirst();
        if (!there.equals(healthy + "|" + healthy))
            throw new BenchFailure("rows and distinct rows are " + there + ", healthy are " + healthy);
    }

    private static final class Deaf implements PoolListener {
        @Override
        public void note(ShardId shard, ShardNote note) {}

        @Override
        public void stopFor(ShardId shard, RowRef row, Failure failure) {}

        @Override
        public void died(ShardId shard, Throwable cause) {
            throw new IllegalStateException(shard + " died", cause);
        }
    }
}
