package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.Resolution;
import java.util.ArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the machine does to acknowledgements, and to rows whose partition went to somebody else.
final class EpochTest {
    private static Shard small() {
        return new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 1;
        });
    }

    @Test
    @Tag("CKP-3")
    void aChunkThatIsDroppedFailsItsRange() {
        var source = new Source();
        source.chunk("orders", 0, 1, 0, 5, 20, 0).close();
        assertThat(source.resolutions()).containsExactly(Resolution.FAILED);
        source.assertNothingLeaks();
    }

    @Test
    @Tag("CKP-3")
    void whatAMachineHoldsCanBeFailedWhereverItStands() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 2;
        });
        shard.sick(shard.fullBatch(0).start());
        shard.fullBatch(1);
        shard.fullBatch(2);
        shard.arrive(shard.rows(30, 3));
        var held = shard.machine.held();
        assertThat(held).hasSize(4);
        held.forEach(EncodedChunk::close);
        assertThat(shard.source.resolutions()).containsOnly(Resolution.FAILED).hasSize(4);
        shard.source.assertNothingLeaks();
    }

    @Test
    @Tag("CKP-3")
    void aMachineThatFailsWhileItSealsStillTellsAllItHolds() {
        var mints = new int[1];
        TokenMint failsOnce = (shard, sequence, _) -> {
            if (sequence == 2 && mints[0]++ == 0) throw new IllegalStateException("no token");
            return new Token(shard + "/" + sequence);
        };
        var shard = new Shard(s -> s.maxRows = 10, new Source(), failsOnce);
        shard.fullBatch(0);
        var chunks = new EncodedChunk[] {
            shard.rows(10, 3), shard.rows(13, 10), shard.rows(23, 1),
        };
        try {
            shard.arrive(chunks);
        } catch (IllegalStateException expected) {
            assertThat(expected).hasMessage("no token");
        }
        assertThat(shard.machine.held()).contains(chunks).hasSize(4);
        shard.machine.held().forEach(EncodedChunk::close);
        for (var chunk : chunks) chunk.close();
        assertThat(shard.source.handles.count()).as("only the first batch's").isLessThanOrEqualTo(1);
    }

    @Test
    @Tag("CKP-3")
    void aRangeInTwoBatchesFailsIfOneOfThemIsAbandoned() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 1;
        });
        var source = shard.source;
        var first = source.chunk("orders", 0, 1, 0, 10, 20, shard.nanosAt(0));
        var second = source.chunk("orders", 0, 1, 10, 10, 20, shard.nanosAt(0));
        var start = shard.arrive(first, second).start();
        shard.drainBy(1000);
        shard.written(start);
        shard.tickAt(1000);
        assertThat(source.watermark("orders", 0, 1)).isEqualTo(10);
        assertThat(source.tracker("orders", 0, 1).stalled()).isTrue();
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-6")
    void chunksOfAnEndedEpochAreTakenOutOfWhatIsOpen() {
        var shard = small();
        shard.arrive(
                shard.chunk("orders", 0, 1, 0, 3, 20, 0),
                shard.chunk("orders", 1, 1, 0, 3, 20, 0),
                shard.chunk("orders", 0, 1, 3, 2, 20, 0));
        assertThat(shard.epochEnded("orders", 0, 1).endings()).containsExactly(Ending.ABANDONED, Ending.ABANDONED);
        assertThat(shard.view().openRows()).isEqualTo(3);
        var start = shard.tickAt(1000).start();
        assertThat(Bytes.rows(start.rows())).allMatch(row -> row.startsWith("orders-1@"));
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-6")
    void theLingerOfWhatIsLeftCountsFromItsOwnOldestRow() {
        var shard = small();
        shard.at(500);
        shard.arrive(shard.chunk("orders", 0, 1, 0, 3, 20, 100), shard.chunk("orders", 1, 1, 0, 3, 20, 400));
        shard.epochEnded("orders", 0, 1);
        assertThat(shard.wakeMs()).isEqualTo(1400);
        shard.epochEnded("orders", 1, 1);
        assertThat(shard.wakeMs()).isEqualTo(-1);
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-6")
    void chunksOfAnEndedEpochLeaveASealedBatchOfWhichNoAttemptHasBegun() {
        var shard = small();
        var first = shard.fullBatch(0).start();
        shard.arrive(shard.chunk("orders", 1, 1, 0, 6, 20, 0), shard.chunk("orders", 2, 1, 0, 6, 20, 0));
        var ended = shard.epochEnded("orders", 1, 1);
        assertThat(ended.endings()).containsExactly(Ending.ABANDONED);
        var rest = shard.written(first).start();
        assertThat(rest.rows().rows()).isEqualTo(6);
        assertThat(Bytes.rows(rest.rows())).allMatch(row -> row.startsWith("orders-2@"));
        shard.written(rest);
        assertThat(shard.source.watermark("orders", 2, 1)).isEqualTo(6);
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-6")
    void aSealedBatchThatIsWhollyOfAnEndedEpochGoesAndTheShardTakesChunksAgain() {
        var shard = small();
        var first = shard.fullBatch(0).start();
        shard.arrive(shard.chunk("orders", 1, 1, 0, 10, 20, 0));
        assertThat(shard.machine.wantsChunks()).isFalse();
        shard.epochEnded("orders", 1, 1);
        assertThat(shard.machine.wantsChunks()).isTrue();
        assertThat(shard.view().held()).hasSize(1);
        shard.written(first);
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-6")
    void aBatchWithAPermitThatWaitsForABreakerHasNotBegun() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.failures = 1;
            s.maxInFlight = 2;
        });
        shard.sick(shard.fullBatch(0).start());
        shard.arrive(shard.chunk("orders", 1, 1, 0, 6, 20, 0), shard.chunk("orders", 2, 1, 0, 6, 20, 0));
        shard.epochEnded("orders", 1, 1);
        var probe = shard.tickAt(5000).start();
        var rest = shard.written(probe).start();
        assertThat(rest.rows().rows()).isEqualTo(6);
        shard.written(rest);
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-6")
    void aBatchThatIsBeingWrittenEndsWithThatAttemptAndIsNotRepeated() {
        var shard = small();
        var start = shard.fullBatch(0).start();
        assertThat(shard.epochEnded("orders", 0, 1).settled()).isEmpty();
        assertThat(shard.end(start.attempt(), Shard.sick(false)).endings()).containsExactly(Ending.ABANDONED);
        assertThat(shard.wakeMs()).as("no repeat is planned").isEqualTo(-1);
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-6")
    void aBatchOfAnEndedEpochThatIsWrittenCountsAsWritten() {
        var shard = small();
        var start = shard.fullBatch(0).start();
        shard.epochEnded("orders", 0, 1);
        assertThat(shard.written(start).endings()).containsExactly(Ending.WRITTEN);
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-6")
    void aBatchOfAnEndedEpochThatTimesOutIsInDoubtAndNotRepeated() {
        var shard = small();
        shard.fullBatch(0);
        shard.epochEnded("orders", 0, 1);
        assertThat(shard.tickAt(30_000).endings()).containsExactly(Ending.IN_DOUBT);
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-6")
    void aBatchInBackoffIsGivenUpAtOnceAndFreesItsPermit() {
        var shard = small();
        shard.sick(shard.fullBatch(0).start());
        shard.arrive(shard.chunk("orders", 1, 1, 0, 10, 20, 0));
        var step = shard.epochEnded("orders", 0, 1);
        assertThat(step.endings()).containsExactly(Ending.ABANDONED);
        shard.written(step.start());
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-6")
    void aMixedBatchThatHasBegunGoesOnWithTheSameBytes() {
        var shard = small();
        var start = shard.arrive(shard.chunk("orders", 0, 1, 0, 6, 20, 0), shard.chunk("orders", 1, 1, 0, 6, 20, 0))
                .start();
        shard.sick(start);
        assertThat(shard.epochEnded("orders", 0, 1).settled()).isEmpty();
        var again = shard.tickWhenDue().start();
        assertThat(again.rows().rows()).isEqualTo(12);
        assertThat(again.token()).isEqualTo(start.token());
        shard.sick(again);
        assertThat(shard.epochEnded("orders", 1, 1).endings())
                .as("nobody waits for it any more")
                .containsExactly(Ending.ABANDONED, Ending.ABANDONED);
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-6")
    void chunksOfAnEndedEpochThatArriveLaterAreAbandonedAndThoseOfTheNextAreTaken() {
        var shard = small();
        shard.epochEnded("orders", 0, 3);
        assertThat(shard.arrive(shard.chunk("orders", 0, 3, 0, 10, 20, 0)).endings())
                .containsExactly(Ending.ABANDONED);
        assertThat(shard.arrive(shard.chunk("orders", 0, 2, 0, 10, 20, 0)).endings())
                .as("an earlier one")
                .containsExactly(Ending.ABANDONED);
        shard.epochEnded("orders", 0, 1);
        assertThat(shard.arrive(shard.chunk("orders", 0, 3, 10, 10, 20, 0)).endings())
                .as("told late, an earlier end undoes nothing")
                .containsExactly(Ending.ABANDONED);
        var start = shard.arrive(shard.chunk("orders", 0, 4, 0, 10, 20, 0)).start();
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-6")
    void rebalancesDuringAnOutageLeaveNothingThatNobodyWaitsFor() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.failures = 1;
            s.maxInFlight = 2;
        });
        for (var epoch = 1; epoch <= 20; epoch++) {
            for (var i = 0; i < 3; i++)
                for (var start : shard.arrive(shard.chunk("orders", 0, epoch, 10L * i, 10, 20, 0))
                        .started()) shard.sick(start);
            for (var start : shard.epochEnded("orders", 0, epoch).started()) shard.sick(start);
            assertThat(shard.view().held()).isEmpty();
            shard.source.assertNothingLeaks();
        }
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-6")
    void aRevokeSealsWhatIsOpenOfThePartitionAndLeavesTheRest() {
        var shard = small();
        shard.arrive(shard.chunk("orders", 1, 1, 0, 2, 20, 0));
        assertThat(shard.on(new ShardEvent.Revoking(Source.partition("orders", 0), 1))
                        .commands())
                .isEmpty();
        assertThat(shard.on(new ShardEvent.Revoking(Source.partition("orders", 1), 2))
                        .commands())
                .as("of another epoch")
                .isEmpty();
        var start = shard.on(new ShardEvent.Revoking(Source.partition("orders", 1), 1))
                .start();
        assertThat(start.batch().reason()).isEqualTo(SealReason.REBALANCE);
        shard.written(start);
        shard.assertAtRest();
    }

    @Test
    @Tag("SEAL-3")
    void chunksThatARevokeOvertookAreSealedAsTheyArriveAndDoNotLinger() {
        var shard = small();
        shard.on(new ShardEvent.Revoking(Source.partition("orders", 1), 1));
        assertThat(shard.arrive(shard.chunk("orders", 0, 1, 0, 2, 20, 0)).started())
                .as("another partition's")
                .isEmpty();
        var start = shard.arrive(shard.chunk("orders", 1, 1, 0, 2, 20, 0)).start();
        assertThat(start.batch().reason()).isEqualTo(SealReason.REBALANCE);
        shard.written(start);
        shard.epochEnded("orders", 1, 1);
        assertThat(shard.arrive(shard.chunk("orders", 1, 2, 0, 2, 20, 0)).started())
                .as("it came back, and lingers")
                .isEmpty();
        shard.written(shard.tickAt(1000).start());
        shard.assertAtRest();
    }

    @Test
    @Tag("CKP-7")
    void acknowledgingOneBatchNeverWaitsForAnother() {
        var shard = new Shard(s -> {
            s.maxRows = 10;
            s.maxInFlight = 3;
        });
        var starts = new ArrayList<ShardCommand.StartAttempt>();
        for (var i = 0; i < 5; i++) starts.addAll(shard.fullBatch(i).started());
        assertThat(shard.written(starts.get(2)).endings()).containsExactly(Ending.WRITTEN);
        assertThat(shard.source.resolutions()).containsExactly(Resolution.DONE);
        assertThat(shard.source.watermark("orders", 0, 1)).isZero();
        shard.drainBy(10);
        shard.written(starts.get(0));
        shard.written(starts.get(1));
        assertThat(shard.source.watermark("orders", 0, 1)).isEqualTo(30);
        shard.tickAt(10);
        shard.assertAtRest();
    }
}
