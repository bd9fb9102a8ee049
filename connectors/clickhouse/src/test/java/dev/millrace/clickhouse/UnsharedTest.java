package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.breaker.BreakerSettings;
import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Tls;
import dev.millrace.lab.clickhouse.Answer;
import dev.millrace.lab.clickhouse.ClickHouseFront;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.Fault;
import dev.millrace.lab.clickhouse.FrontSettings;
import dev.millrace.lab.clickhouse.LabClickHouse;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.AmbiguousSettings;
import dev.millrace.sinkpool.AmbiguousSettings.Then;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PoisonSettings;
import dev.millrace.sinkpool.PoolListener;
import dev.millrace.sinkpool.RowRef;
import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardNote;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardSpec;
import dev.millrace.sinkpool.SinkPool;
import dev.millrace.sinkpool.Slice;
import dev.millrace.sinkpool.Target;
import dev.millrace.sinkpool.TokenLog;
import dev.millrace.sinkpool.TokenMint;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A shard of two plain MergeTree tables, each of which remembers tokens for itself, on the real
/// engine.
@Timeout(300)
@Tag("WRT-11")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UnsharedTest {
    private static final AtomicInteger TABLES = new AtomicInteger();
    private static final int ROWS = 10;
    private static final long MILLI = 1_000_000;

    private LabClickHouse lab;
    private String table = "";

    @BeforeAll
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void launch() {
        assumeTrue(EngineLibrary.available());
        lab = LabClickHouse.unshared(1, 2, FrontSettings.open().user("ingest", "s3cret"));
        lab.execute("CREATE DATABASE shop");
    }

    @AfterAll
    void end() {
        if (lab != null) lab.close();
    }

    private void create(String settings) {
        table = "t" + TABLES.incrementAndGet();
        lab.execute("CREATE TABLE shop." + table + " (id UInt64) ENGINE = MergeTree ORDER BY id" + settings);
    }

    private long count(int replica) {
        return lab.engine(0, replica).count("shop." + table);
    }

    private ClickHouseSettings settings() {
        return Bench.settings(table, Compression.NONE, () -> "s3cret", Tls.DEFAULTS, Map.of());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "WRT-11 CASE-10 What a replica that went away may have stored waits for it and is stored once; others go on")
    void whatOneReplicaMayHaveStoredWaitsForIt(boolean tellsThatItDoesNotKnow) throws Exception {
        create(" SETTINGS non_replicated_deduplication_window = 1000");
        var away = lab.front(0, 0);
        var unknown = Answer.exception(319, "UNKNOWN_STATUS_OF_INSERT", "Unknown status");
        away.fault((tellsThatItDoesNotKnow ? Fault.answerAfterwards(unknown) : Fault.loseAnswer())
                .onInserts()
                .times(1));
        try (var pool = new Pool(new AmbiguousSettings(3_600_000 * MILLI, Then.WAIT))) {
            pool.offer(0);
            var pinned = pool.await(ShardNote.Pinned.class);
            assertThat(pinned.replica()).isZero();
            for (var batch = 1; batch <= 5; batch++) {
                pool.offer(batch);
                assertThat(pool.await(ShardNote.Wrote.class).replica()).isOne();
            }
            assertThat(pool.waits()).containsExactly(pinned.batch());
            away.start();
            var wrote = pool.await(ShardNote.Wrote.class);
            assertThat(wrote.batch().id()).isEqualTo(pinned.batch());
            assertThat(wrote.replica()).isZero();
            assertThat(pool.counts().possibleDuplicates()).isZero();
        }
        assertThat(count(0)).isEqualTo(ROWS);
        assertThat(count(1)).isEqualTo(5 * ROWS);
    }

    @Test
    @DisplayName("WRT-11 With resend it goes to another replica after its time, is stored twice, and that is counted")
    void whatIsSentAgainElsewhereIsStoredTwiceAndCounted() throws Exception {
        create(" SETTINGS non_replicated_deduplication_window = 1000");
        var away = lab.front(0, 0);
        away.fault(Fault.loseAnswer().onInserts().times(1));
        try (var pool = new Pool(new AmbiguousSettings(300 * MILLI, Then.RESEND))) {
            pool.offer(0);
            pool.await(ShardNote.Pinned.class);
            assertThat(pool.await(ShardNote.PinOver.class).resent()).isTrue();
            assertThat(pool.await(ShardNote.Wrote.class).replica()).isOne();
            assertThat(pool.counts().possibleDuplicates()).isEqualTo(ROWS);
            away.start();
        }
        assertThat(count(0)).isEqualTo(ROWS);
        assertThat(count(1)).isEqualTo(ROWS);
    }

    @Test
    @DisplayName("WRT-11 Two addresses of one server remember together; two servers, and one that is silent, do not")
    void twoAddressesOfOneServerRememberTogether() throws Exception {
        create(" SETTINGS non_replicated_deduplication_window = 1000");
        try (var other =
                ClickHouseFront.launch(lab.engine(0, 0), FrontSettings.open().user("ingest", "s3cret"))) {
            assertThat(tokenLog(lab.front(0, 0), other)).isEqualTo(TokenLog.SHARED);
            assertThat(tokenLog(lab.front(0, 0), lab.front(0, 1))).isEqualTo(TokenLog.UNSHARED);
            assertThat(tokenLog(lab.front(0, 0), other, lab.front(0, 1))).isEqualTo(TokenLog.UNSHARED);
            other.kill();
            assertThat(tokenLog(lab.front(0, 0), other)).isEqualTo(TokenLog.UNSHARED);
        }
    }

    /// Of a shard of these, once it is described.
    private TokenLog tokenLog(ClickHouseFront... replicas) throws InterruptedException {
        var endpoints = Arrays.stream(replicas).map(ClickHouseFront::url).toArray(URI[]::new);
        try (var sink = Bench.sink(settings(), endpoints)) {
            assertThat(sink.describe(Bench.in(Bench.AMPLE))).isInstanceOf(Description.Described.class);
            return sink.recognition(Bench.SHARD).log();
        }
    }

    @Test
    @DisplayName("WRT-11 Of a shard that answers late, who recognises a repeat is known before its first rows go out")
    void aShardThatAnswersLateIsAskedBeforeItsFirstRows() throws Exception {
        create("");
        var seen = new ShardId("warehouse", "a");
        var late = new ShardId("warehouse", "b");
        var away = lab.front(0, 0);
        away.kill();
        var endpoints = Map.of(
                seen, List.of(lab.front(0, 1).url()), late, List.of(away.url(), URI.create("http://127.0.0.1:9")));
        try (var sink = ClickHouseSink.open(settings(), endpoints, () -> Lines.VERBATIM, NanoClock.SYSTEM)) {
            assertThat(sink.describe(Bench.in(Bench.AMPLE))).isInstanceOf(Description.Described.class);
            assertThat(sink.recognition(seen).log()).isEqualTo(TokenLog.NONE);
            assertThat(sink.recognition(late).log())
                    .as("the worst, as long as it is not known")
                    .isEqualTo(TokenLog.UNSHARED);
            try (var writer = sink.writer(late, away.url())) {
                var unsent = writer.write(new Call(Lines.batch("{\"id\":1}"), "run/1", Bench.AMPLE));
                assertThat(unsent)
                        .isInstanceOfSatisfying(
                                WriteOutcome.Unavailable.class,
                                outcome -> assertThat(outcome.failure().mayHaveStored())
                                        .isFalse());
                away.start();
                assertThat(writer.write(new Call(Lines.batch("{\"id\":1}"), "run/1", Bench.AMPLE)))
                        .isEqualTo(new WriteOutcome.Written(1, 0));
            }
            assertThat(sink.recognition(late).log()).isEqualTo(TokenLog.NONE);
        }
    }

    /// A pool of the one shard. What is given to it is one batch; the replica goes away that may
    /// have stored one.
    private final class Pool implements AutoCloseable {
        private static final Duration AMPLE = Duration.ofMinutes(2);

        private final BlockingQueue<ShardNote> notes = new LinkedBlockingQueue<>();
        private final ClickHouseSink sink;
        private final SinkPool pool;

        Pool(AmbiguousSettings ambiguous) throws InterruptedException {
            var endpoints = lab.fronts().stream().map(front -> front.url()).toList();
            sink = Bench.sink(settings(), endpoints.toArray(URI[]::new));
            assertThat(sink.describe(Bench.in(Bench.AMPLE))).isInstanceOf(Description.Described.class);
            assertThat(sink.recognition(Bench.SHARD).log()).isEqualTo(TokenLog.UNSHARED);
            var shard = new ShardSettings(
                    Bench.SHARD,
                    endpoints.size(),
                    1,
                    false,
                    new ShardSettings.BatchSettings(ROWS, 1 << 20, 3_600_000 * MILLI),
                    1,
                    0,
                    60_000 * MILLI,
                    new ShardSettings.RetrySettings(20 * MILLI, 100 * MILLI, 2, 0, 0),
                    new BreakerSettings(1, 1, 100, 60_000 * MILLI, 100, 100 * MILLI, 200 * MILLI, 1, 10_000 * MILLI),
                    false,
                    PoisonSettings.of(PoisonSettings.Action.STOP),
                    ambiguous,
                    ShardSettings.Role.MERGES);
            pool = new SinkPool(
                    List.of(List.of(new ShardSpec(shard, sink, endpoints))),
                    new AdmissionBudget(1_000_000, 1 << 30, 0.5),
                    TokenMint.perRun("run"),
                    42,
                    NanoClock.SYSTEM,
                    DeadLetters.none(),
                    new Heard());
            pool.start();
        }

        void offer(int number) {
            var lines = new String[ROWS];
            for (var i = 0; i < ROWS; i++) lines[i] = "{\"id\":" + (number * ROWS + i) + "}";
            var chunks = Lines.batch(lines).slices().stream().map(Slice::chunk).toList();
            assertThat(pool.offer(new Target(0, 0, 0), chunks)).isTrue();
        }

        /// The next note of this kind.
        <N extends ShardNote> N await(Class<N> kind) throws InterruptedException {
            while (true) {
                var note = notes.poll(AMPLE.toSeconds(), TimeUnit.SECONDS);
                assertThat(note).as("a note of " + kind.getSimpleName()).isNotNull();
                if (kind.isInstance(note)) return kind.cast(note);
            }
        }

        List<Long> waits() {
            return pool.status().getFirst().view().held().stream()
                    .filter(held -> held.pin() != null)
                    .map(held -> held.batch())
                    .toList();
        }

        ShardCounts counts() {
            return pool.status().getFirst().counts();
        }

        @Override
        public void close() {
            pool.close();
            sink.close();
        }

        private final class Heard implements PoolListener {
            @Override
            public void note(ShardId shard, ShardNote note) {
                if (note instanceof ShardNote.Pinned) lab.front(0, 0).kill();
                notes.add(note);
            }

            @Override
            public void died(ShardId shard, Throwable cause) {
                throw new AssertionError(cause);
            }

            @Override
            public void stopFor(ShardId shard, RowRef row, Failure failure) {
                throw new AssertionError(failure.toString());
            }
        }
    }
}
