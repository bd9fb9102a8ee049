package dev.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.breaker.BreakerSettings;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.PoisonSettings;
import dev.millrace.sinkpool.PoolListener;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.RowRef;
import dev.millrace.sinkpool.RowTally;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardNote;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardSpec;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkPool;
import dev.millrace.sinkpool.SinkTraits;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.Target;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.TokenMint;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// A pool of one shard over a real table: what it is given is one batch, and the dead letters are kept here.
final class Mill implements AutoCloseable {
    /// One attempt: the rows and the token it had, and what became of it.
    record Asked(int rows, Token token, WriteOutcome outcome) {}

    private static final long SECOND = 1_000_000_000L;
    private static final int BATCH = 1000;

    private final ConcurrentLinkedQueue<DeadLetters.Letter> letters = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Asked> asked = new ConcurrentLinkedQueue<>();
    private final RowTally tally = new RowTally();
    private final int batch;
    private final PostgresSink sink;
    private final SinkPool pool;

    /// Of batches of 1,000 rows.
    Mill(PostgresSettings settings, URI... endpoints) {
        this(BATCH, settings, endpoints);
    }

    Mill(int batch, PostgresSettings settings, URI... endpoints) {
        this.batch = batch;
        sink = PostgresSink.open(settings, Map.of(Warehouse.SHARD, List.of(endpoints)), NanoClock.SYSTEM);
        assertThat(sink.describe(Warehouse.in(Warehouse.AMPLE))).isInstanceOf(Description.Described.class);
        var shard = new ShardSettings(
                Warehouse.SHARD,
                endpoints.length,
                1,
                new ShardSettings.BatchSettings(batch, 1 << 26, 3600 * SECOND),
                1,
                Duration.ofSeconds(60).toNanos(),
                new ShardSettings.RetrySettings(SECOND / 100, SECOND / 10, 2, 0, 0),
                new BreakerSettings(3, 3, 100, 3600 * SECOND, 100, SECOND, 60 * SECOND, 1, 10 * SECOND),
                true,
                PoisonSettings.of(PoisonSettings.Action.DEAD_LETTER));
        pool = new SinkPool(
                List.of(List.of(new ShardSpec(shard, new Counted(), List.of(endpoints)))),
                Records.budget(),
                TokenMint.perRun("run"),
                42,
                NanoClock.SYSTEM,
                (letter, done) -> {
                    letters.add(letter);
                    done.acknowledged();
                },
                new Quiet());
        pool.start();
    }

    /// Returns when every row of the lines has ended.
    void run(List<String> lines) throws Exception {
        ended(begin(lines));
    }

    /// Returns at once.
    CompletableFuture<Resolution> begin(List<String> lines) {
        assertThat(lines).hasSize(batch);
        var resolved = new CompletableFuture<Resolution>();
        var chunks = Records.chunks(lines, tally, resolved::complete);
        assertThat(pool.offer(new Target(0, 0, 0), chunks)).isTrue();
        return resolved;
    }

    static void ended(CompletableFuture<Resolution> rows) throws Exception {
        assertThat(rows.get(10, TimeUnit.MINUTES)).isEqualTo(Resolution.DONE);
    }

    /// Waits until the batch was held so often, and returns why it last was.
    Failure awaitHeld(int times) {
        while (true) {
            var held = asked.stream()
                    .filter(one -> one.outcome() instanceof WriteOutcome.Misconfigured)
                    .toList();
            if (held.size() >= times)
                return ((WriteOutcome.Misconfigured) held.getLast().outcome()).failure();
            LockSupport.parkNanos(5_000_000);
        }
    }

    /// Whether a batch waits for a person.
    boolean blocked() {
        return pool.status().getFirst().view().blocked();
    }

    List<DeadLetters.Letter> letters() {
        return List.copyOf(letters);
    }

    /// Why requests got nothing done, refusals apart.
    List<Failure> failures() {
        return asked.stream()
                .filter(one -> one.outcome() instanceof WriteOutcome.Unavailable)
                .map(one -> ((WriteOutcome.Unavailable) one.outcome()).failure())
                .toList();
    }

    int requests() {
        return asked.size();
    }

    /// In the order in which they ended.
    List<Asked> asked() {
        return List.copyOf(asked);
    }

    RowTally tally() {
        return tally;
    }

    long duplicates() {
        return pool.status().getFirst().counts().rowsDuplicate();
    }

    @Override
    public void close() {
        pool.close();
        sink.close();
    }

    /// The sink, with its requests counted.
    private final class Counted implements Sink {
        @Override
        public SinkTraits traits() {
            return sink.traits();
        }

        @Override
        public RowEncoder encoder() {
            return sink.encoder();
        }

        @Override
        public SinkWriter writer(ShardId shard, URI endpoint) {
            var writer = sink.writer(shard, endpoint);
            return new SinkWriter() {
                @Override
                public WriteOutcome write(WriteCall call) throws Exception {
                    var outcome = writer.write(call);
                    asked.add(new Asked(call.rows().rows(), call.token(), outcome));
                    return outcome;
                }

                @Override
                public WriteOutcome ping(PingCall call) throws Exception {
                    return writer.ping(call);
                }

                @Override
                public void close() {
                    writer.close();
                }
            };
        }

        @Override
        public void close() {}
    }

    private static final class Quiet implements PoolListener {
        @Override
        public void note(ShardId shard, ShardNote note) {}

        @Override
        public void stopFor(ShardId shard, RowRef row, Failure failure) {}

        @Override
        public void died(ShardId shard, Throwable cause) {
            throw new AssertionError(shard + " died", cause);
        }
    }
}
