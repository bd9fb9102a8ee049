package dev.millrace.sinkpool;

import static dev.millrace.sinkpool.Pool.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.breaker.ReplicaView;
import dev.millrace.breaker.ReplicaView.Phase;
import dev.millrace.checkpoint.Resolution;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Breakers under a worker and attempts on real threads, at the moments at which breakers elsewhere have gone wrong.
final class BreakerOnThreadsTest {
    private static final int WRITERS = 64;

    private static ReplicaView replica(Pool pool) {
        return pool.status().view().replicas().getFirst().state();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    @Tag("BRK-3")
    @Tag("BRK-7")
    @DisplayName("CASES 36: of 64 batches that wait for an open breaker as many are sent at its end as may probe")
    void ofManyThatWaitAsManyLeaveAsMayProbe(int probes) throws Exception {
        var fail = new CountDownLatch(1);
        var answer = new CountDownLatch(1);
        var sink = new FakeSink();
        for (var i = 0; i < WRITERS; i++)
            sink.next(_ -> {
                FakeSink.awaitIgnoringInterrupts(fail);
                return Shard.sick(false);
            });
        for (var i = 0; i < WRITERS; i++)
            sink.next(call -> {
                FakeSink.awaitIgnoringInterrupts(answer);
                return FakeSink.WELL.write(call);
            });
        try (var pool = new Pool(sink, s -> {
                    s.maxInFlight = WRITERS;
                    s.openFor = 500;
                    s.probes = probes;
                })
                .start()) {
            for (var i = 0; i < WRITERS; i++) pool.offerBatch(0, i);
            eventually("all are being written", () -> sink.calls.get() == WRITERS);
            fail.countDown();
            eventually("it opens", () -> replica(pool).phase() == Phase.OPEN);
            eventually("its time is over", () -> replica(pool).phase() == Phase.HALF_OPEN);
            eventually("its probes are out", () -> replica(pool).probesOut() == probes);
            // Every backoff is over by then, too: who waits waits for the probes.
            var until = Pool.in(300);
            while (System.nanoTime() - until < 0) {
                assertThat(sink.calls.get()).isLessThanOrEqualTo(WRITERS + probes);
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(sink.calls).hasValue(WRITERS + probes);
            answer.countDown();
            for (var i = 0; i < WRITERS; i++)
                assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            eventually("it closes", () -> replica(pool).phase() == Phase.CLOSED);
            assertThat(pool.counts().rowsWritten()).isEqualTo(10L * WRITERS);
            pool.finish();
        } finally {
            fail.countDown();
            answer.countDown();
        }
    }

    /// How a probe ends that says nothing, or nothing in time.
    enum Loss {
        ERROR {
            @Override
            WriteOutcome end(CountDownLatch release) {
                throw new StackOverflowError("planted");
            }
        },
        EXCEPTION {
            @Override
            WriteOutcome end(CountDownLatch release) {
                throw new IllegalStateException("planted");
            }
        },
        INTERRUPTED {
            @Override
            WriteOutcome end(CountDownLatch release) throws InterruptedException {
                throw new InterruptedException("planted");
            }
        },
        /// Cancelled at its time limit, and it goes on for longer than the test looks.
        TIMED_OUT {
            @Override
            WriteOutcome end(CountDownLatch release) {
                FakeSink.awaitIgnoringInterrupts(release);
                return Shard.sick(true);
            }
        };

        abstract WriteOutcome end(CountDownLatch release) throws Exception;
    }

    @ParameterizedTest
    @EnumSource(Loss.class)
    @Tag("BRK-4")
    @Tag("WRT-5")
    @DisplayName("CASES 36: a probe that throws, is interrupted or runs out of time gives its slot back")
    void aProbeThatIsLostGivesItsSlotBack(Loss loss) throws Exception {
        var release = new CountDownLatch(1);
        var sink = new FakeSink().next(_ -> Shard.sick(false)).next(_ -> loss.end(release));
        try (var pool = new Pool(sink, s -> {
                    s.failures = 1;
                    s.openFor = 100;
                    s.openForMax = 100;
                    s.writeTimeout = 200;
                    // By then it would be taken back anyway.
                    s.probeTimeout = 120_000;
                })
                .start()) {
            pool.offerBatch(0, 0);
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            assertThat(sink.calls).as("a failure, the lost probe, the next one").hasValue(3);
            eventually("it closes", () -> replica(pool).phase() == Phase.CLOSED);
            assertThat(replica(pool).probesOut()).isZero();
            release.countDown();
            pool.finish();
        } finally {
            release.countDown();
        }
    }

    @Test
    @Tag("BRK-6")
    @Tag("WRT-2")
    @DisplayName("CASES 36: while every replica is open a batch waits, which is no attempt and climbs no ladder")
    void whileEveryReplicaIsOpenABatchWaitsAndClimbsNoLadder() throws Exception {
        var answer = new CountDownLatch(1);
        var sink = new FakeSink()
                .next(_ -> Shard.sick(false))
                .next(_ -> Shard.sick(false))
                .next(call -> {
                    FakeSink.awaitIgnoringInterrupts(answer);
                    return FakeSink.WELL.write(call);
                });
        try (var pool = new Pool(sink, s -> {
                    s.replicas = 2;
                    s.failures = 1;
                    s.jitter = 0;
                    s.openFor = 1_500;
                })
                .start()) {
            pool.offerBatch(0, 0);
            eventually("both are open", () -> bothAreOpen(pool.status().view()));
            var looks = 0;
            for (var view = pool.status().view();
                    bothAreOpen(view);
                    view = pool.status().view()) {
                assertThat(view.held())
                        .singleElement()
                        .satisfies(held -> assertThat(held.attempts()).isEqualTo(2));
                // The second backoff; one for each look at an open breaker would be longer and longer.
                assertThat(view.sleepNanos()).isLessThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
                looks++;
                LockSupport.parkNanos(5_000_000);
            }
            assertThat(looks).as("looks while both were open").isGreaterThan(10);
            eventually("one probe", () -> pool.status().view().held().getFirst().attempts() == 3);
            answer.countDown();
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            assertThat(sink.calls).hasValue(3);
            pool.finish();
        } finally {
            answer.countDown();
        }
    }

    private static boolean bothAreOpen(ShardView view) {
        return view.replicas().stream().allMatch(one -> one.state().phase() == Phase.OPEN);
    }

    @Test
    @Tag("BRK-11")
    @DisplayName("CASES 36: a refusal of the rows is contact: refused probes close a breaker, and none opens one")
    void aRefusalIsContact() throws Exception {
        var refused = new WriteOutcome.Refused(new Failure("400", "a bad row", false), -1);
        var sink = new FakeSink().next(_ -> Shard.sick(false));
        for (var i = 0; i < 1_000; i++) sink.next(_ -> refused);
        try (var pool = new Pool(sink, s -> {
                    s.failures = 1;
                    s.openFor = 100;
                })
                .start()) {
            pool.offerBatch(0, 0);
            eventually("it opens", () -> replica(pool).phase() == Phase.OPEN);
            eventually("a refused probe closes it", () -> replica(pool).phase() == Phase.CLOSED);
            var episode = replica(pool).episode();
            eventually("more are refused", () -> pool.counts().attempts(ShardCounts.Attempt.REFUSED) >= 10);
            assertThat(replica(pool).phase()).isEqualTo(Phase.CLOSED);
            assertThat(replica(pool).episode()).as("it never opened since").isEqualTo(episode);
            pool.pool.epochEnded(Source.partition("orders", 0), 1);
            eventually(
                    "nobody waits for it any more",
                    () -> !pool.source.resolutions().isEmpty());
            pool.finish();
        }
    }

    /// Its rows are stored, and count; what it says of the replica is older than what opened it.
    @Test
    @Tag("BRK-5")
    @DisplayName("CASES 36: a success that began before a breaker opened does not close it")
    void aSuccessFromBeforeItOpenedDoesNotCloseIt() throws Exception {
        var early = new CountDownLatch(1);
        var sink = new FakeSink()
                .next(call -> {
                    FakeSink.awaitIgnoringInterrupts(early);
                    return FakeSink.WELL.write(call);
                })
                .next(_ -> Shard.sick(false));
        try (var pool = new Pool(sink, s -> {
                    s.failures = 1;
                    s.openFor = 60_000;
                })
                .start()) {
            pool.offerBatch(0, 0);
            eventually("the first is being written", () -> sink.calls.get() == 1);
            pool.offerBatch(1, 0);
            eventually("the second opens it", () -> replica(pool).phase() == Phase.OPEN);
            var episode = replica(pool).episode();
            early.countDown();
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            assertThat(pool.counts().rowsWritten()).isEqualTo(10);
            eventually("the batch is settled", () -> pool.status().view().held().size() == 1);
            assertThat(replica(pool).phase()).isEqualTo(Phase.OPEN);
            assertThat(replica(pool).episode()).isEqualTo(episode);
            pool.pool.epochEnded(Source.partition("orders", 1), 1);
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.FAILED);
            pool.finish();
        } finally {
            early.countDown();
        }
    }

    /// Two replicas, of which the first is up and down in turns; counts what each is asked.
    private static final class Flapping implements Sink {
        private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
        private final AtomicLongArray calls = new AtomicLongArray(2);
        private final AtomicLongArray early = new AtomicLongArray(2);
        private final long beganNanos = System.nanoTime();
        private final long halfNanos;

        Flapping(long halfNanos) {
            this.halfNanos = halfNanos;
        }

        private boolean down() {
            return (System.nanoTime() - beganNanos) / PERIOD_NANOS % 2 == 1;
        }

        @Override
        public SinkTraits traits() {
            return new SinkTraits(true);
        }

        @Override
        public RowEncoder encoder() {
            return FakeRecord.AS_IS;
        }

        @Override
        public SinkWriter writer(ShardId shard, URI endpoint) {
            var replica = endpoint.getPath().equals("/flaps") ? 0 : 1;
            return new SinkWriter() {
                @Override
                public WriteOutcome write(WriteCall call) {
                    calls.incrementAndGet(replica);
                    if (System.nanoTime() - beganNanos < halfNanos) early.incrementAndGet(replica);
                    if (replica == 0 && down()) return Shard.sick(false);
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
                    if (replica == 0 && down()) return Shard.sick(true);
                    return new WriteOutcome.Written(call.rows().rows(), 0);
                }

                @Override
                public WriteOutcome ping(PingCall call) {
                    return replica == 0 && down() ? Shard.sick(false) : new WriteOutcome.Written(0, 0);
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public void close() {}
    }

    /// A twentieth of the report's times, and of the breaker's.
    @Test
    @Tag("BRK-13")
    @DisplayName("CASES 36: a replica that is up and down in turns gets a tenth of the writes at most, and ever fewer")
    void aReplicaThatFlapsGetsEverFewerWrites() throws Exception {
        var lastsNanos = TimeUnit.SECONDS.toNanos(3);
        var sink = new Flapping(lastsNanos / 2);
        var setup = new Shard.Setup();
        setup.replicas = 2;
        setup.maxRows = 10;
        setup.openFor = 250;
        setup.openForMax = 3_000;
        var endpoints = List.of(URI.create("fake://a/flaps"), URI.create("fake://b/well"));
        var source = new Source();
        var pool = new SinkPool(
                List.of(List.of(new ShardSpec(setup.settings(), sink, endpoints))),
                source.budget,
                TokenMint.perRun("run"),
                42,
                NanoClock.SYSTEM,
                DeadLetters.none(),
                new Pool.Listener());
        pool.start();
        try {
            var batches = 0;
            while (System.nanoTime() - sink.beganNanos < lastsNanos) {
                eventually("room", () -> pool.hasRoom(Pool.TARGET));
                var chunk = source.chunk("orders", 0, 1, 10L * batches, 10, 20, System.nanoTime());
                if (pool.offer(Pool.TARGET, List.of(chunk))) batches++;
                else chunk.close();
            }
            for (var i = 0; i < batches; i++)
                assertThat(source.awaitResolved()).as("batch " + i).isEqualTo(Resolution.DONE);
            var flaps = sink.calls.get(0);
            var all = flaps + sink.calls.get(1);
            assertThat(flaps).as("of %d writes", all).isBetween(1L, all / 10);
            assertThat(flaps - sink.early.get(0))
                    .as("in the second half, of %d in the first", sink.early.get(0))
                    .isLessThanOrEqualTo(sink.early.get(0));
        } finally {
            pool.close();
        }
        source.assertNothingLeaks();
    }
}
