package dev.millrace.sinkpool;

import static dev.millrace.sinkpool.Shard.MS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// When chunks become a batch, and in what order batches and rows go.
final class SealingTest {

    @Test
    @Tag("SEAL-1")
    void chunksMergeUntilTheirRowsAreEnough() {
        var shard = new Shard(s -> s.maxRows = 10);
        assertThat(shard.arrive(shard.rows(0, 4)).quiet()).isTrue();
        assertThat(shard.arrive(shard.rows(4, 5)).quiet()).isTrue();
        var start = shard.arrive(shard.rows(9, 1)).start();
        assertThat(start.rows().rows()).isEqualTo(10);
        assertThat(start.batch().reason()).isEqualTo(SealReason.ROWS);
        assertThat(shard.counts.sealedFor(SealReason.ROWS)).isOne();
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-1")
    void chunksMergeUntilTheirBytesAreEnough() {
        var shard = new Shard(s -> s.maxBytes = 100);
        assertThat(shard.arrive(shard.chunk("orders", 0, 1, 0, 3, 33, 0)).quiet())
                .isTrue();
        var start = shard.arrive(shard.chunk("orders", 0, 1, 3, 1, 1, 0)).start();
        assertThat(start.rows().byteCount()).isEqualTo(100);
        assertThat(start.batch().reason()).isEqualTo(SealReason.BYTES);
        assertThat(shard.counts.sealedFor(SealReason.BYTES)).isOne();
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-1")
    void lingerCountsFromThePollOfTheOldestRowWhicheverChunkCameFirst() {
        var shard = new Shard(s -> s.linger = 1000);
        shard.at(700);
        shard.arrive(shard.chunk("orders", 0, 1, 0, 1, 20, 600));
        assertThat(shard.wakeMs()).isEqualTo(1600);
        shard.arrive(shard.chunk("orders", 1, 1, 0, 1, 20, 250), shard.chunk("orders", 2, 1, 0, 1, 20, 650));
        assertThat(shard.wakeMs()).isEqualTo(1250);
        assertThat(shard.atNanos(shard.nanosAt(1250) - 1)
                        .on(new ShardEvent.Tick())
                        .quiet())
                .isTrue();
        var start = shard.tickAt(1250).start();
        assertThat(start.batch().reason()).isEqualTo(SealReason.LINGER);
        assertThat(start.rows().rows()).isEqualTo(3);
        assertThat(shard.counts.sealedFor(SealReason.LINGER)).isOne();
        shard.written(start);
        shard.assertAtRest();
    }

    /// Takes the value for the row, of a second layout.
    private static final RowEncoder ANEW = new RowEncoder() {
        @Override
        public Encoded encode(RecordView record, RowBuffer row) {
            return FakeRecord.AS_IS.encode(record, row);
        }

        @Override
        public int layout() {
            return 2;
        }
    };

    @Test
    @Tag("CH-8")
    void rowsOfTwoLayoutsAreNeverInOneBatch() {
        var shard = new Shard(s -> s.maxRows = 10);
        shard.arrive(shard.rows(0, 4));
        var before = shard.arrive(shard.source.chunk(ANEW, "orders", 1, 1, 0, 3, 20, shard.now()))
                .start();
        assertThat(before.batch().reason()).isEqualTo(SealReason.LAYOUT);
        assertThat(before.batch().layout()).isZero();
        assertThat(before.rows().rows()).isEqualTo(4);
        var after = shard.tickAt(1000).start();
        assertThat(after.batch().layout()).isEqualTo(2);
        assertThat(after.rows().part(1, 2).slices().getFirst().chunk().layout()).isEqualTo(2);
        shard.written(before);
        shard.written(after);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-1")
    void theNextBatchLingersFromItsOwnOldestRow() {
        var shard = new Shard(s -> s.maxRows = 10);
        shard.arrive(shard.chunk("orders", 0, 1, 0, 9, 20, 0));
        shard.at(500);
        var first = shard.arrive(shard.rows(9, 1)).start();
        shard.at(600);
        shard.arrive(shard.chunk("orders", 0, 1, 10, 1, 20, 550));
        var second = shard.tickAt(1550).start();
        assertThat(second.batch().reason()).isEqualTo(SealReason.LINGER);
        shard.written(first);
        shard.written(second);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-1")
    void aBatchThatArrivesOlderThanItsLingerIsSealedAtOnce() {
        var shard = new Shard(s -> {});
        shard.at(5000);
        var start = shard.arrive(shard.chunk("orders", 0, 1, 0, 1, 20, 100)).start();
        assertThat(start.batch().reason()).isEqualTo(SealReason.LINGER);
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-1")
    void eachReasonIsCountedApart() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxBytes = 1000;
            s.maxInFlight = 10;
        });
        var sent = new ArrayList<ShardCommand.StartAttempt>();
        sent.add(shard.arrive(shard.rows(0, 10)).start());
        sent.add(shard.arrive(shard.chunk("orders", 0, 1, 10, 1, 1000, 0)).start());
        shard.arrive(shard.rows(11, 5));
        sent.add(shard.on(new ShardEvent.Pressure()).start());
        shard.arrive(shard.rows(16, 1), shard.chunk("orders", 1, 1, 0, 1, 20, 0));
        sent.add(shard.on(new ShardEvent.Revoking(Source.partition("orders", 1), 1))
                .start());
        shard.arrive(shard.rows(17, 1));
        sent.add(shard.tickAt(1000).start());
        shard.arrive(shard.rows(18, 1));
        sent.add(shard.arrive(shard.source.chunk(ANEW, "orders", 2, 1, 0, 1, 20, shard.now()))
                .start());
        sent.add(shard.drainBy(9000).start());
        assertThat(sent.stream().map(start -> start.batch().reason()))
                .containsExactly(
                        SealReason.ROWS,
                        SealReason.BYTES,
                        SealReason.PRESSURE,
                        SealReason.REBALANCE,
                        SealReason.LINGER,
                        SealReason.LAYOUT,
                        SealReason.DRAIN);
        for (var reason : SealReason.values())
            assertThat(shard.counts.sealedFor(reason))
                    .as("%s", reason)
                    .isEqualTo(reason == SealReason.SEGMENT || reason == SealReason.SETTLE ? 0 : 1);
        sent.forEach(shard::written);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-2")
    void aBatchOvershootsByAtMostOneChunk() {
        var shard = new Shard(s -> s.maxRows = 10);
        shard.arrive(shard.rows(0, 9));
        var start = shard.arrive(shard.rows(9, 9)).start();
        assertThat(start.rows().rows()).isEqualTo(18);
        assertThat(shard.view().openRows()).isZero();
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-2")
    void aChunkThatIsABatchOfItsOwnSealsWhatIsOpenThenGoesAlone() {
        var shard = new Shard(s -> s.maxRows = 10);
        shard.arrive(shard.rows(0, 3));
        var started = shard.arrive(shard.rows(3, 25)).started();
        assertThat(started.stream().map(start -> start.rows().rows())).containsExactly(3, 25);
        assertThat(started.stream().map(start -> start.batch().reason()))
                .containsExactly(SealReason.ROWS, SealReason.ROWS);
        started.forEach(shard::written);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-2")
    void aRowLargerThanABatchGoesAlone() {
        var shard = new Shard(s -> s.maxBytes = 50);
        shard.arrive(shard.rows(0, 1));
        var started = shard.arrive(shard.chunk("orders", 0, 1, 1, 1, 5000, 0)).started();
        assertThat(started.stream().map(start -> start.rows().byteCount())).containsExactly(20L, 5000L);
        started.forEach(shard::written);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-3")
    void aLullStrandsNothing() {
        var shard = new Shard(s -> {});
        var chunk = shard.rows(0, 1);
        shard.at(400);
        shard.arrive(chunk);
        assertThat(shard.wakeMs()).isEqualTo(1000);
        var start = shard.tickWhenDue().start();
        assertThat(shard.wakeMs()).as("then only the attempt's deadline").isEqualTo(1000 + 30_000);
        shard.written(start);
        assertThat(shard.wakeMs()).isEqualTo(-1);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-3")
    void lingerSealsAlsoWhileNoPermitIsFreeAndDoesNotSpin() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 1;
        });
        var first = shard.fullBatch(0).start();
        shard.arrive(shard.rows(10, 1));
        assertThat(shard.tickAt(1000).sealed()).hasSize(1);
        assertThat(shard.wakeMs()).isEqualTo(30_000);
        var second = shard.written(first).start();
        assertThat(second.batch().reason()).isEqualTo(SealReason.LINGER);
        shard.written(second);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-4")
    void everyRepeatSendsTheSameBytesUnderTheSameTokenAndLaterRowsNeverJoin() {
        var shard = new Shard(s -> {
            s.replicas = 3;
            s.maxRows = 10;
            s.linger = 3_600_000;
            s.maxInFlight = 1;
        });
        var start = shard.fullBatch(0).start();
        var bytes = Bytes.sent(start.rows());
        var replicas = new HashSet<Integer>();
        for (var round = 0; round < 6; round++) {
            replicas.add(start.replica());
            shard.arrive(shard.rows(10 + round, 1));
            shard.sick(start);
            var again = shard.tickWhenDue();
            while (again.started().isEmpty()) again = shard.tickWhenDue();
            assertThat(again.start().token()).isEqualTo(start.token());
            assertThat(Bytes.sent(again.start().rows())).isEqualTo(bytes);
            start = again.start();
        }
        assertThat(replicas).as("on whichever replica").containsExactlyInAnyOrder(0, 1, 2);
        shard.written(start);
        var rest = shard.on(new ShardEvent.Revoking(Source.partition("orders", 0), 1))
                .start();
        assertThat(rest.rows().rows()).isEqualTo(6);
        assertThat(rest.token()).isNotEqualTo(start.token());
        shard.written(rest);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-5")
    void whileASealedBatchWaitsForAPermitTheShardTakesNoChunks() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 2;
        });
        var first = shard.fullBatch(0).start();
        var second = shard.fullBatch(1).start();
        assertThat(shard.machine.wantsChunks()).isTrue();
        assertThat(shard.fullBatch(2).started()).isEmpty();
        assertThat(shard.machine.wantsChunks()).isFalse();
        var third = shard.written(first).start();
        assertThat(shard.machine.wantsChunks()).isTrue();
        shard.written(second);
        shard.written(third);
        shard.assertAtRest();
    }

    @Test
    @Tag("ADM-7")
    void whatSomebodyWaitsForDoesNotLingerAndWhatTheNewsOvertookNeither() {
        var shard = new Shard(s -> s.maxInFlight = 4);
        shard.arrive(shard.chunk("orders", 0, 1, 0, 3, 20, 0));
        var first = shard.on(new ShardEvent.SealUpTo(2)).start();
        assertThat(first.batch().reason()).isEqualTo(SealReason.SETTLE);
        var overtaken = shard.arrive(shard.chunk("payments", 0, 2, 0, 1, 20, 0)).start();
        assertThat(overtaken.batch().reason()).isEqualTo(SealReason.SETTLE);
        assertThat(shard.arrive(shard.chunk("orders", 0, 3, 3, 1, 20, 0)).started())
                .as("nobody waits for what came later")
                .isEmpty();
        assertThat(shard.on(new ShardEvent.SealUpTo(1)).started()).isEmpty();
        var last = shard.tickAt(1000).start();
        assertThat(last.batch().reason()).isEqualTo(SealReason.LINGER);
        for (var start : List.of(first, overtaken, last)) shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-5")
    void pressureSealsWhatIsAQuarterFull() {
        var shard = new Shard(s -> s.maxRows = 100);
        shard.arrive(shard.rows(0, 24));
        assertThat(shard.on(new ShardEvent.Pressure()).quiet()).isTrue();
        shard.arrive(shard.rows(24, 1));
        var start = shard.on(new ShardEvent.Pressure()).start();
        assertThat(start.batch().reason()).isEqualTo(SealReason.PRESSURE);
        assertThat(shard.on(new ShardEvent.Pressure()).quiet())
                .as("nothing is open")
                .isTrue();
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-5")
    void pressureSealsWhatHasHalfItsLingerBehindIt() {
        var shard = new Shard(s -> {});
        shard.arrive(shard.rows(0, 1));
        assertThat(shard.atNanos(shard.nanosAt(500) - 1)
                        .on(new ShardEvent.Pressure())
                        .quiet())
                .isTrue();
        var start = shard.at(500).on(new ShardEvent.Pressure()).start();
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-6")
    void rowsAreOrderedByTopicPartitionEpochAndOffsetWhateverOrderChunksCameIn() {
        var shard = new Shard(s -> s.maxRows = 8);
        var chunks = new ArrayList<>(List.of(
                shard.chunk("a", 2, 1, 5, 1, 12, 0),
                shard.chunk("a", 10, 1, 0, 1, 12, 0),
                shard.chunk("a", 2, 1, 6, 1, 12, 0),
                shard.chunk("a", 2, 2, 3, 1, 12, 0),
                shard.chunk("b", 0, 1, 9, 2, 12, 0),
                shard.chunk("a", 2, 1, 7, 1, 12, 0),
                shard.chunk("b", 0, 1, 11, 1, 12, 0)));
        Collections.shuffle(chunks, new Random(7));
        var start = shard.arrive(chunks.toArray(EncodedChunk[]::new)).start();
        assertThat(Bytes.rows(start.rows()).stream().map(row -> row.substring(0, row.indexOf(';'))))
                .containsExactly("a-2@5", "a-2@6", "a-2@7", "a-2@3", "a-10@0", "b-0@9", "b-0@10", "b-0@11");
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-7")
    void aBatchKeepsItsPermitThroughBackoffAndOthersStartInTheOrderOfTheirSealing() {
        var shard = new Shard(s -> {
            s.replicas = 2;
            s.maxRows = 10;
            s.maxInFlight = 1;
        });
        var first = shard.fullBatch(0).start();
        shard.fullBatch(1);
        shard.fullBatch(2);
        assertThat(shard.sick(first).started())
                .as("its backoff frees no permit")
                .isEmpty();
        var again = shard.tickWhenDue().start();
        assertThat(again.batch().id()).isEqualTo(first.batch().id());
        var second = shard.written(again).start();
        assertThat(Bytes.rows(second.rows()).getFirst()).startsWith("orders-0@10;");
        var third = shard.written(second).start();
        assertThat(Bytes.rows(third.rows()).getFirst()).startsWith("orders-0@20;");
        shard.written(third);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-7")
    void aBatchKeepsItsPermitWhileItWaitsForABreaker() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 1;
            s.failures = 1;
        });
        var first = shard.fullBatch(0).start();
        shard.fullBatch(1);
        shard.sick(first);
        shard.tickAt(4000);
        var probe = shard.tickAt(5000).start();
        assertThat(probe.batch().id()).isEqualTo(first.batch().id());
        shard.written(shard.written(probe).start());
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-9")
    void aDrainDoesNotLinger() {
        var shard = new Shard(s -> {});
        shard.arrive(shard.rows(0, 1));
        var start = shard.drainBy(25_000).start();
        assertThat(start.batch().reason()).isEqualTo(SealReason.DRAIN);
        shard.written(start);
        var later = shard.arrive(shard.rows(1, 1)).start();
        shard.written(later);
        assertThat(shard.closeInput().finished()).isTrue();
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-9")
    void aRepeatDoesNotLinger() {
        var shard = new Shard(s -> s.linger = 60_000);
        shard.arrive(shard.rows(0, 1));
        var start = shard.tickAt(60_000).start();
        shard.sick(start);
        var again = shard.tickWhenDue();
        assertThat(shard.wakeMs()).isGreaterThan(60_000 + 80);
        shard.written(again.start());
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-9")
    void whatIsOpenMayGrowDuringADrainWhileNoPermitIsFree() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 1;
        });
        var first = shard.fullBatch(0).start();
        shard.arrive(shard.rows(10, 2));
        assertThat(shard.drainBy(25_000).sealed()).isEmpty();
        shard.arrive(shard.rows(12, 2));
        var rest = shard.written(first).start();
        assertThat(rest.rows().rows()).isEqualTo(4);
        shard.closeInput();
        assertThat(shard.written(rest).finished()).isTrue();
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-1")
    void lingerIsInNanosecondsAndZeroLingersNot() {
        var shard = new Shard(s -> s.linger = 0);
        var start = shard.arrive(shard.source.chunk("orders", 0, 1, 0, 1, 20, shard.nanosAt(0)))
                .start();
        assertThat(start.deadlineNanos()).isEqualTo(shard.nanosAt(0) + 30_000 * MS);
        shard.written(start);
        shard.assertAtRest();
    }
}
