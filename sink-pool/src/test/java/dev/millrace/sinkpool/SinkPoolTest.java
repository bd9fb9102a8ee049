package dev.millrace.sinkpool;

import static dev.millrace.sinkpool.Pool.eventually;
import static dev.millrace.sinkpool.Pool.in;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.Resolution;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The pool and its workers on real threads, over writers that misbehave.
final class SinkPoolTest {
    /// An exception that cannot even be described.
    private static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message either");
        }

        @Override
        public String toString() {
            throw new IllegalStateException("no name either");
        }
    }

    @Test
    @Tag("DRN-1")
    void everythingOfferedIsWrittenInOrderAndTheDrainEnds() throws Exception {
        try (var pool = new Pool(new FakeSink(), s -> s.maxInFlight = 1).start()) {
            for (var i = 0; i < 50; i++) pool.offerBatch(0, i);
            pool.finish();
            assertThat(pool.counts().rowsWritten()).isEqualTo(500);
            assertThat(pool.source.watermark("orders", 0, 1)).isEqualTo(500);
            assertThat(String.join("", pool.sink.stored))
                    .startsWith("orders-0@0;")
                    .hasSize(500 * 20);
        }
    }

    @Test
    void aQuarantineHoldsFromTheNextAttemptOnUntilItIsReleased() throws Exception {
        try (var pool = new Pool(new FakeSink(), _ -> {}).start()) {
            var shard = pool.status().shard();
            pool.pool.quarantine(shard, 0, true);
            eventually("in quarantine", () -> !pool.status().view().usable());
            pool.offerBatch(0, 0);
            eventually("sealed", () -> pool.status().view().heldRows() == 10);
            assertThat(pool.counts().attemptsOf(0)).isZero();
            pool.pool.quarantine(shard, 0, false);
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            pool.finish();
        }
    }

    @Test
    @Tag("WRT-9")
    void bytesOfAnAttemptThatIsStillOutAreNotFilledAgainThoughItsBatchIsWritten() throws Exception {
        var release = new CountDownLatch(1);
        var before = new AtomicReference<String>();
        var after = new AtomicReference<String>();
        var sink = new FakeSink().next(call -> {
            before.set(Bytes.sent(call.rows()));
            FakeSink.awaitIgnoringInterrupts(release);
            after.set(Bytes.sent(call.rows()));
            return new WriteOutcome.Written(call.rows().rows(), 0);
        });
        try (var pool = new Pool(sink, s -> s.writeTimeout = 100).start()) {
            pool.source.fillAgain(256);
            pool.offerBatch(0, 0);
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            for (var i = 1; i <= 20; i++) {
                pool.offerBatch(0, i);
                assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            }
            release.countDown();
            eventually("the late outcome", () -> pool.counts().lateOutcomes() > 0);
            assertThat(after.get()).isEqualTo(before.get()).isNotNull();
            pool.finish();
        } finally {
            release.countDown();
        }
    }

    @Test
    void aPoolThatIsClosedClosesTheWriterOfEachReplica() {
        var sink = new FakeSink();
        try (var pool = new Pool(sink, s -> s.replicas = 3).start()) {
            assertThat(pool.status().worker()).isEqualTo(ShardStatus.Worker.RUNNING);
        }
        assertThat(sink.closed).hasValue(3);
    }

    @Test
    @Tag("WRT-1")
    void aWriterThatIgnoresInterruptsIsCancelledAndItsBatchIsWrittenByTheNextAttempt() throws Exception {
        var release = new CountDownLatch(1);
        var hooked = new CountDownLatch(1);
        var interrupted = new AtomicBoolean();
        var sink = new FakeSink().next(call -> {
            call.onCancel(hooked::countDown);
            interrupted.set(FakeSink.awaitIgnoringInterrupts(release));
            return new WriteOutcome.Written(call.rows().rows(), 0);
        });
        try (var pool = new Pool(sink, s -> s.writeTimeout = 100).start()) {
            pool.offerBatch(0, 0);
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            assertThat(hooked.await(30, TimeUnit.SECONDS)).as("the hook ran").isTrue();
            assertThat(pool.counts().attempts(ShardCounts.Attempt.TIMED_OUT)).isPositive();
            assertThat(pool.status().view().unfinished()).isPositive();
            release.countDown();
            eventually("the late outcome", () -> pool.counts().lateOutcomes() > 0);
            assertThat(interrupted).isTrue();
            assertThat(pool.counts().rowsWritten()).isEqualTo(10);
            assertThat(pool.counts().batchesWritten()).isOne();
            eventually("its thread is counted out", () -> pool.status().view().unfinished() == 0);
            pool.finish();
        } finally {
            release.countDown();
        }
    }

    @Test
    @Tag("WRT-1")
    void aHookRegisteredAfterTheDeadlineRunsAtOnceAndOneThatThrowsOrBlocksHoldsNothingUp() throws Exception {
        var release = new CountDownLatch(1);
        var late = new CountDownLatch(1);
        var sink = new FakeSink()
                .next(call -> {
                    try {
                        call.onCancel(() -> {
                            throw new Unspeakable();
                        });
                    } catch (Unspeakable _) {
                        // the deadline had passed already, so it ran here
                    }
                    FakeSink.awaitIgnoringInterrupts(release);
                    call.onCancel(late::countDown);
                    return Shard.sick(true);
                })
                .next(call -> {
                    call.onCancel(() -> FakeSink.awaitIgnoringInterrupts(release));
                    FakeSink.awaitIgnoringInterrupts(release);
                    return Shard.sick(true);
                });
        try (var pool = new Pool(sink, s -> s.writeTimeout = 100).start()) {
            pool.offerBatch(0, 0);
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            release.countDown();
            assertThat(late.await(30, TimeUnit.SECONDS)).isTrue();
            pool.finish();
        } finally {
            release.countDown();
        }
    }

    @Test
    @Tag("WRT-5")
    void aWriterThatThrowsAnythingFailsThatAttemptOnlyAndTheBatchIsWrittenOnce() throws Exception {
        var sink = new FakeSink()
                .next(_ -> {
                    throw new StackOverflowError();
                })
                .next(_ -> {
                    throw new Unspeakable();
                })
                .next(_ -> {
                    throw new AssertionError("planted");
                })
                .next(_ -> {
                    throw new InterruptedException();
                })
                .next(SinkPoolTest::nothing);
        try (var pool = new Pool(sink, s -> s.failures = 100).start()) {
            pool.offerBatch(0, 0);
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            assertThat(pool.sink.stored).hasSize(1);
            assertThat(pool.sink.calls).hasValue(6);
            assertThat(pool.counts().attempts(ShardCounts.Attempt.UNAVAILABLE)).isEqualTo(3);
            assertThat(pool.counts().attempts(ShardCounts.Attempt.LOST)).isEqualTo(2);
            assertThat(pool.listener.deaths).isEmpty();
            pool.finish();
        }
    }

    /// A writer that forgot its answer.
    @SuppressWarnings("NullAway")
    private static WriteOutcome nothing(WriteCall call) {
        assertThat(call.rows().rows()).isEqualTo(10);
        return null;
    }

    @Test
    @Tag("OPS-10")
    void whatAWriterThrewIsToldByItsClassAlone() throws Exception {
        var sink = new FakeSink().next(_ -> {
            throw new IllegalStateException("row: SECRET");
        });
        try (var pool = new Pool(sink, s -> s.failures = 1).start()) {
            pool.offerBatch(0, 0);
            assertThat(pool.awaitNote(ShardNote.ReplicaOpened.class).last())
                    .isEqualTo(new Failure("writer-threw", "java.lang.IllegalStateException", true));
            pool.pool.epochEnded(Source.partition("orders", 0), 1);
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.FAILED);
            pool.finish();
        }
    }

    @Test
    @Tag("OPS-4")
    void aWorkerThatDiesFailsWhatItHeldKeepsItsCountersAndTellsThePool() throws Exception {
        var release = new CountDownLatch(1);
        var sink = new FakeSink().next(FakeSink.WELL).next(_ -> {
            FakeSink.awaitIgnoringInterrupts(release);
            return Shard.sick(true);
        });
        try (var pool = new Pool(sink, s -> s.maxInFlight = 1).start()) {
            pool.offerBatch(0, 0);
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            for (var i = 1; i < 4; i++) pool.offerBatch(0, i);
            eventually("the second is being written", () -> sink.calls.get() == 2);
            pool.listener.also = _ -> {
                throw new IllegalStateException("planted");
            };
            pool.pool.drainBy(in(-1));
            assertThat(pool.awaitDeath()).hasMessage("planted");
            for (var i = 1; i < 4; i++) assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.FAILED);
            assertThat(pool.pool.awaitFinished(in(30_000))).isTrue();
            assertThat(pool.status().worker()).isEqualTo(ShardStatus.Worker.DIED);
            assertThat(pool.counts().rowsWritten()).isEqualTo(10);
            assertThat(pool.pool.hasRoom(Pool.TARGET)).isFalse();
            assertThat(pool.tryOffer(1, 0)).as("refused").isFalse();
            release.countDown();
            pool.source.assertNothingLeaks();
        } finally {
            release.countDown();
        }
    }

    @Test
    @Tag("DRN-3")
    void whatWasWrittenBeforeAWorkerDiedIsAcknowledgedAndCountedOnce() throws Exception {
        try (var pool = new Pool(new FakeSink(), s -> {})) {
            pool.listener.also = note -> {
                if (note instanceof ShardNote.Wrote) throw new IllegalStateException("planted");
            };
            pool.start();
            pool.offerBatch(0, 0);
            pool.awaitDeath();
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            assertThat(pool.counts().rowsWritten()).isEqualTo(10);
            pool.assertSettled();
        }
    }

    @Test
    @Tag("DRN-3")
    void aDeathThatCannotBeDescribedStillFailsWhatWasHeldAndIsTold() throws Exception {
        try (var pool = new Pool(new FakeSink(), s -> {}, (shard, sequence, rows) -> {
            throw new Unspeakable();
        })) {
            pool.start();
            pool.offerBatch(0, 0);
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.FAILED);
            assertThat(pool.listener.deaths.poll(30, TimeUnit.SECONDS) instanceof Unspeakable)
                    .isTrue();
            assertThat(pool.pool.awaitFinished(in(30_000))).isTrue();
            pool.assertSettled();
        }
    }

    @Test
    @Tag("DRN-3")
    void rowsOfAnAttemptThatIsOutWhenItsWorkerDiesAreInDoubt() throws Exception {
        var release = new CountDownLatch(1);
        var sink = new FakeSink().next(_ -> {
            FakeSink.awaitIgnoringInterrupts(release);
            return Shard.sick(true);
        });
        try (var pool = new Pool(sink, s -> {})) {
            pool.listener.also = note -> {
                if (note instanceof ShardNote.Sealed) throw new IllegalStateException("planted");
            };
            pool.start();
            pool.offerBatch(0, 0);
            pool.awaitDeath();
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.FAILED);
            assertThat(pool.counts().rowsInDoubt())
                    .as("its attempt had begun in the same step")
                    .isEqualTo(10);
            pool.assertSettled();
        } finally {
            release.countDown();
        }
    }

    @Test
    @Tag("DRN-4")
    void asManySpinningAttemptsAsThereAreCoresDoNotHoldUpADrain() throws Exception {
        var spin = new AtomicBoolean(true);
        var cores = Runtime.getRuntime().availableProcessors();
        var sink = new FakeSink();
        for (var i = 0; i < cores; i++)
            sink.next(_ -> {
                while (spin.get()) Thread.onSpinWait();
                return Shard.sick(true);
            });
        try (var pool = new Pool(sink, s -> s.maxInFlight = cores).start()) {
            for (var i = 0; i < cores; i++) pool.offerBatch(0, i);
            eventually("all are spinning", () -> sink.calls.get() == cores);
            var deadline = in(100);
            pool.pool.drainBy(deadline);
            assertThat(pool.pool.awaitFinished(deadline + TimeUnit.SECONDS.toNanos(30)))
                    .isTrue();
            assertThat(spin).as("the writers are still at it").isTrue();
            assertThat(pool.status().worker()).isEqualTo(ShardStatus.Worker.FINISHED);
            assertThat(pool.counts().rowsInDoubt()).isEqualTo(10L * cores);
            assertThat(pool.status().view().unfinished()).isEqualTo(cores);
            pool.assertSettled();
        } finally {
            spin.set(false);
        }
    }

    @Test
    @Tag("DRN-12")
    void aPoolThatIsClosedWithoutADrainAbandonsAtOnce() throws Exception {
        var release = new CountDownLatch(1);
        var sink = new FakeSink().next(_ -> {
            FakeSink.awaitIgnoringInterrupts(release);
            return Shard.sick(true);
        });
        var pool = new Pool(sink, s -> s.maxInFlight = 1).start();
        try {
            for (var i = 0; i < 3; i++) pool.offerBatch(0, i);
            eventually("the first is being written", () -> sink.calls.get() == 1);
            pool.close();
            for (var i = 0; i < 3; i++) assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.FAILED);
            assertThat(pool.pool.awaitFinished(in(30_000))).isTrue();
            assertThat(pool.counts().rowsInDoubt()).isEqualTo(10);
            assertThat(pool.counts().rowsAbandoned()).isEqualTo(20);
            assertThat(sink.closed).as("its writer is closed, held up or not").hasValue(1);
            pool.assertSettled();
        } finally {
            release.countDown();
        }
    }

    @Test
    @Tag("CKP-3")
    void aPoolThatIsClosedBeforeItWasStartedFailsWhatItWasOffered() throws Exception {
        var pool = new Pool(new FakeSink(), s -> {});
        pool.offerBatch(0, 0);
        pool.close();
        assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.FAILED);
        pool.assertSettled();
    }

    @Test
    @Tag("CKP-7")
    void anOutcomeIsAcknowledgedHoweverMuchDataWaits() throws Exception {
        var release = new CountDownLatch(1);
        FakeSink.Behaviour slow = call -> {
            FakeSink.awaitIgnoringInterrupts(release);
            return FakeSink.WELL.write(call);
        };
        var first = new CountDownLatch(1);
        var sink = new FakeSink()
                .next(call -> {
                    FakeSink.awaitIgnoringInterrupts(first);
                    return FakeSink.WELL.write(call);
                })
                .next(slow)
                .next(slow)
                .next(slow);
        try (var pool = new Pool(sink, s -> s.maxInFlight = 2).start()) {
            var offered = 0;
            while (sink.calls.get() < 2 || pool.status().view().held().size() < 3 || pool.pool.hasRoom(Pool.TARGET)) {
                if (pool.pool.hasRoom(Pool.TARGET)) pool.offerBatch(0, offered++);
                Thread.onSpinWait();
            }
            first.countDown();
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            release.countDown();
            pool.finish();
        } finally {
            first.countDown();
            release.countDown();
        }
    }

    @Test
    @Tag("CKP-6")
    void chunksOfAnEndedEpochLeaveTheQueueToo() throws Exception {
        var release = new CountDownLatch(1);
        var sink = new FakeSink().next(call -> {
            FakeSink.awaitIgnoringInterrupts(release);
            return FakeSink.WELL.write(call);
        });
        try (var pool = new Pool(sink, s -> s.maxInFlight = 1).start()) {
            pool.offerBatch(0, 0);
            eventually("the first is being written", () -> sink.calls.get() == 1);
            pool.offerBatch(1, 0);
            eventually(
                    "the second waits for its permit",
                    () -> pool.status().view().held().size() == 2);
            assertThat(pool.tryOffer(1, 1)).as("it waits in the queue").isTrue();
            pool.pool.epochEnded(Source.partition("orders", 1), 1);
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.FAILED);
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.FAILED);
            release.countDown();
            assertThat(pool.source.awaitResolved()).isEqualTo(Resolution.DONE);
            pool.finish();
        } finally {
            release.countDown();
        }
    }

    @Test
    @Tag("ADM-6")
    void aDeadShardHoldsAtMostHalfOfTheBudget() throws Exception {
        var budget = new AdmissionBudget(100, 1L << 30, 0.5);
        var sink = new FakeSink();
        var release = new CountDownLatch(1);
        for (var i = 0; i < 20; i++)
            sink.next(_ -> {
                FakeSink.awaitIgnoringInterrupts(release);
                return Shard.sick(true);
            });
        var source = new Source(budget);
        var setup = new Shard.Setup();
        setup.maxRows = 10;
        setup.maxInFlight = 20;
        var spec = new ShardSpec(setup.settings(), sink, List.of(URI.create("fake://replica")));
        var pool = new SinkPool(
                List.of(List.of(spec)),
                budget,
                TokenMint.perRun("run"),
                1,
                NanoClock.SYSTEM,
                DeadLetters.none(),
                new Pool.Listener());
        pool.start();
        try {
            var taken = 0;
            var refused = new ArrayList<EncodedChunk>();
            while (refused.isEmpty()) {
                var chunk = source.chunk("orders", 0, 1, 15L * taken, 15, 20, System.nanoTime());
                if (pool.offer(Pool.TARGET, List.of(chunk))) taken++;
                else refused.add(chunk);
            }
            assertThat(taken)
                    .as("hand-overs of 15 rows, of which 50 may be held")
                    .isEqualTo(3);
            refused.forEach(EncodedChunk::close);
            pool.epochEnded(Source.partition("orders", 0), 1);
            release.countDown();
            eventually("all of it came back", () -> pool.hasRoom(Pool.TARGET) && budget.rows() == 0);
        } finally {
            release.countDown();
            pool.close();
        }
        source.assertNothingLeaks();
    }

    @Test
    @Tag("ADM-6")
    void whatIsLargerThanTheShareOfAShardPassesAlone() throws Exception {
        var budget = new AdmissionBudget(100, 1L << 30, 0.5);
        var source = new Source(budget);
        var release = new CountDownLatch(1);
        var sink = new FakeSink().next(call -> {
            FakeSink.awaitIgnoringInterrupts(release);
            return FakeSink.WELL.write(call);
        });
        var setup = new Shard.Setup();
        setup.maxRows = 10;
        var spec = new ShardSpec(setup.settings(), sink, List.of(URI.create("fake://replica")));
        var pool = new SinkPool(
                List.of(List.of(spec)),
                budget,
                TokenMint.perRun("run"),
                1,
                NanoClock.SYSTEM,
                DeadLetters.none(),
                new Pool.Listener());
        pool.start();
        try {
            var several = List.of(
                    source.chunk("orders", 1, 1, 0, 30, 20, System.nanoTime()),
                    source.chunk("orders", 1, 1, 30, 30, 20, System.nanoTime()));
            assertThat(pool.offer(Pool.TARGET, several))
                    .as("what could come in pieces")
                    .isFalse();
            several.forEach(EncodedChunk::close);
            assertThat(pool.offer(Pool.TARGET, List.of(source.chunk("orders", 0, 1, 0, 60, 20, System.nanoTime()))))
                    .isTrue();
            var next = source.chunk("orders", 0, 1, 60, 1, 20, System.nanoTime());
            assertThat(pool.offer(Pool.TARGET, List.of(next))).isFalse();
            assertThat(pool.hasRoom(Pool.TARGET)).isFalse();
            release.countDown();
            eventually("it has room again", () -> pool.offer(Pool.TARGET, List.of(next)));
            pool.epochEnded(Source.partition("orders", 0), 1);
            eventually("all of it came back", () -> budget.rows() == 0);
        } finally {
            release.countDown();
            pool.close();
        }
        source.assertNothingLeaks();
    }

    /// Its share is smaller than a batch, so nothing but linger would seal what is open, and nothing more can come.
    @Test
    @Tag("SEAL-5")
    void aShardThatHoldsItsShareSealsWhatItHas() throws Exception {
        var budget = new AdmissionBudget(100, 1L << 30, 0.5);
        var source = new Source(budget);
        var setup = new Shard.Setup();
        setup.maxRows = 100;
        setup.linger = 3_600_000;
        var spec = new ShardSpec(setup.settings(), new FakeSink(), List.of(URI.create("fake://replica")));
        var pool = new SinkPool(
                List.of(List.of(spec)),
                budget,
                TokenMint.perRun("run"),
                1,
                NanoClock.SYSTEM,
                DeadLetters.none(),
                new Pool.Listener());
        pool.start();
        try {
            for (var i = 0; i < 6; i++) {
                var chunk = source.chunk("orders", 0, 1, 10L * i, 10, 20, System.nanoTime());
                eventually("chunk " + i + " is taken", () -> pool.offer(Pool.TARGET, List.of(chunk)));
            }
            var counts = pool.status().getFirst().counts();
            assertThat(counts.sealedFor(SealReason.PRESSURE)).isPositive();
            pool.epochEnded(Source.partition("orders", 0), 1);
            eventually("all of it came back", () -> budget.rows() == 0);
        } finally {
            pool.close();
        }
        source.assertNothingLeaks();
    }
}
