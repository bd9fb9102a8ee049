package dev.millrace.kafka;

import static dev.millrace.kafka.Bench.MS;
import static dev.millrace.kafka.Bench.P0;
import static dev.millrace.kafka.Bench.P1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight.Answer;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.kafka.KafkaSourceSettings.OnLostOffset;
import dev.millrace.kafka.KafkaSourceSettings.OnPoison;
import dev.millrace.kafka.KafkaSourceSettings.Values;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.Ending;
import dev.millrace.sinkpool.MemoryIntake;
import dev.millrace.sinkpool.Target;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class SourceMachineTest {
    private static final Target SHARD = new Target(0, 0, 0);

    private static Bench skipping() {
        var values = new Values(ValueFormat.Kind.JSON, ValueFormat.OnTombstone.SKIP, OnPoison.SKIP);
        return new Bench(Bench.settings().values(values), List.of(Bench.sink(1)), new MemoryIntake());
    }

    private static Bench pending(MemoryIntake intake, int maxPending) {
        var checkpoint = new KafkaSourceSettings.Checkpoint(100 * MS, maxPending, 120_000 * MS, 1_000 * MS);
        return new Bench(Bench.settings().checkpoint(checkpoint), List.of(Bench.sink(1)), intake);
    }

    @Test
    @Tag("SEAL-3")
    void aChunkWaitsForMoreUntilItsLingerIsOver() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        assertThat(bench.intake.rows()).isEmpty();
        assertThat(bench.machine.wakeAtNanos()).isLessThanOrEqualTo(bench.now + 20 * MS);
        bench.after(20 * MS - 1);
        assertThat(bench.intake.rows()).isEmpty();
        bench.after(1);
        assertThat(bench.intake.rows()).hasSize(3);
        assertThat(bench.intake.rows().getFirst().text()).isEqualTo("{\"n\":0}\n");
    }

    @Test
    @Tag("SEAL-3")
    void anEmptyPollHandsOverWhatThereIs() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.emptyPoll();
        assertThat(bench.intake.rows()).hasSize(3);
    }

    @Test
    @Tag("SEAL-3")
    void chunksGoOverInBulk() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 0);
        var records = new TestRecords("orders", 0);
        var value = "{\"text\":\"" + "x".repeat(1000) + "\"}";
        for (var i = 0; i < 1100; i++) records.add(i, null, value);
        bench.polled(P0, records, 1100);
        assertThat(bench.intake.offers()).isEqualTo(1);
        assertThat(bench.intake.rows().size()).isBetween(1000, 1099);
    }

    @Test
    @Tag("CKP-8")
    void theWatermarkIsCommittedAtTheIntervalOnce() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 10);
        bench.poll(P0, 10, 5);
        bench.emptyPoll();
        bench.after(MS);
        var send = bench.acknowledge();
        assertThat(send.entries().get(P0)).isEqualTo(new CommitEntry(15, 0, "t1.aaaaaaaaaaaaaaaaaaaaaa"));
        assertThat(bench.committed(P0)).isEqualTo(15);
        bench.after(500 * MS);
        assertThat(bench.all(SourceCommand.Commit.class)).hasSize(1);
    }

    @Test
    @Tag("CKP-8")
    void itIsAtRestOnceWhatItTookIsCommitted() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 10);
        bench.emptyPoll();
        bench.poll(P0, 10, 5);
        assertThat(bench.machine.atRest()).as("rows wait").isFalse();
        bench.emptyPoll();
        bench.after(100 * MS);
        assertThat(bench.machine.atRest()).as("a commit is out").isFalse();
        bench.acknowledge();
        assertThat(bench.machine.atRest()).isTrue();
    }

    @Test
    @Tag("CKP-2")
    void whatIsSkippedOnPurposeIsDoneAndCounted() {
        var bench = skipping();
        bench.assign(P0, 0);
        var records = new TestRecords("orders", 0)
                .add(0, "k", null)
                .add(1, "k", "{\"a\":1}")
                .add(2, "k", "{broken")
                .add(3, "k", "")
                .add(4, "k", "{\"a\":2} x");
        bench.polled(P0, records, 5);
        bench.emptyPoll();
        bench.after(MS);
        bench.acknowledge();
        assertThat(bench.committed(P0)).isEqualTo(5);
        var view = bench.accounts.of(P0).view(bench.now, 1);
        assertThat(view.polled()).isEqualTo(5);
        assertThat(view.sinks().getFirst().skipped())
                .containsEntry("tombstone", 1L)
                .containsEntry("syntax", 1L)
                .containsEntry("empty", 1L)
                .containsEntry("trailing", 1L);
        assertThat(view.sinks().getFirst().tally().written()).isEqualTo(1);
        assertThat(bench.handles.count()).isZero();
    }

    @Test
    @Tag("CKP-2")
    void aPollOfSkippedRowsAloneIsDoneAtOnce() {
        var bench = skipping();
        bench.assign(P0, 0);
        bench.polled(P0, new TestRecords("orders", 0).add(0, "k", null).add(7, "k", null), 9);
        bench.after(MS);
        assertThat(Bench.entry(bench.acknowledge(), P0).offset()).isEqualTo(9);
    }

    @Test
    @Tag("POI-6")
    void skippedRowsAreLoggedOnceASecondWithTheNumberNotTold() {
        var bench = skipping();
        bench.assign(P0, 0);
        var records = new TestRecords("orders", 0);
        for (var i = 0; i < 50; i++) records.add(i, "k", "{secret");
        bench.polled(P0, records, 50);
        bench.now += 1_000 * MS;
        bench.polled(P0, new TestRecords("orders", 0).add(50, "k", "{secret"), 51);
        var lines = bench.all(SourceCommand.Tell.class);
        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst().text()).contains("orders-0@0").doesNotContain("secret");
        assertThat(lines.getLast().text()).contains("orders-0@50").contains("49 more");
    }

    @Test
    @Tag("FMT-2")
    void aPoisonRowUnderStopFailsFromItsOffsetOnAndNamesIt() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 100);
        bench.assign(P1, 0);
        bench.poll(P0, 100, 3);
        var records = new TestRecords("orders", 0)
                .add(103, "k", "{\"a\":1}")
                .add(104, "k", "{\"a\":01}")
                .add(105, "k", "{}");
        bench.polled(P0, records, 106);
        bench.poll(P1, 0, 2);
        bench.emptyPoll();
        bench.after(MS);
        var stop = bench.all(SourceCommand.Stop.class);
        assertThat(stop).hasSize(1);
        assertThat(stop.getFirst().exitCode()).isEqualTo(5);
        assertThat(stop.getFirst().reason())
                .contains("orders-0@104")
                .contains("bad_number")
                .contains("byte 6");
        var send = bench.acknowledge();
        assertThat(Bench.entry(send, P0).offset()).as("what is before the row").isEqualTo(104);
        assertThat(Bench.entry(send, P1).offset()).as("the other partition").isEqualTo(2);
        assertThat(bench.paused(P0)).isTrue();
        bench.machine.close();
        assertThat(bench.handles.count()).isZero();
    }

    @Test
    @Tag("OPS-9")
    void rowsOfARevokedPartitionAreCountedOnce() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 7);
        var before = bench.accounts.of(P0).view(bench.now, MS);
        assertThat(before.waiting())
                .as("rows in a chunk that is not handed over")
                .isEqualTo(7);
        bench.tell(new SourceEvent.Revoking(Set.of(P0)));
        bench.tell(new SourceEvent.Revoked(Set.of(P0)));
        var view = bench.accounts.of(P0).view(bench.now, MS);
        var encoded = view.sinks().getFirst().tally().encoded();
        assertThat(encoded + view.dropped()).isEqualTo(7);
        assertThat(view.waiting()).isZero();
    }

    @Test
    @Tag("CKP-5")
    void gapsLieInsideRangesAndAreCommittedOnlyWithWhatIsBeforeThem() {
        var bench = Bench.of(new MemoryIntake().hold());
        bench.assign(P0, 0);
        var records = new TestRecords("orders", 0)
                .add(0, null, "{}")
                .add(2, null, "{}")
                .add(4, null, "{}")
                .add(6, null, "{}");
        bench.polled(P0, records, 7);
        bench.emptyPoll();
        bench.tell(new SourceEvent.Polled(List.of(new SourceEvent.Batch(P0, null, 13, 0))));
        bench.tell(new SourceEvent.Polled(List.of(new SourceEvent.Batch(P0, null, 1_000_013, 0))));
        bench.after(200 * MS);
        assertThat(bench.all(SourceCommand.Commit.class))
                .as("nothing past rows that are not done")
                .isEmpty();
        bench.intake.settleHeld(Ending.WRITTEN);
        bench.after(200 * MS);
        assertThat(Bench.entry(bench.acknowledge(), P0).offset()).isEqualTo(1_000_013);
    }

    @Test
    @Tag("SRC-10")
    void aRangeNeverSpansTwoLeaderEpochs() {
        var bench = Bench.of(new MemoryIntake().hold());
        bench.assign(P0, 0);
        var records = new TestRecords("orders", 0)
                .add(0, null, "{}", 3)
                .add(1, null, "{}", 3)
                .add(5, null, "{}", 4)
                .add(6, null, "{}", 6);
        bench.tell(new SourceEvent.Polled(List.of(new SourceEvent.Batch(P0, records, 9, 7))));
        bench.intake.letGo();
        bench.emptyPoll();
        var ranges = bench.inbox.stream()
                .map(event -> ((SourceEvent.RangeResolved) event).range())
                .map(range -> range.leaderEpoch() + ":" + range.from() + "-" + range.next())
                .toList();
        assertThat(ranges).containsExactlyInAnyOrder("3:0-5", "4:5-6", "6:6-7", "7:7-9");
        bench.after(MS);
        assertThat(Bench.entry(bench.acknowledge(), P0).leaderEpoch()).isEqualTo(7);
    }

    @Test
    @Tag("SRC-2")
    void aFullBudgetPausesAndOnlyRoomResumes() {
        var bench = Bench.of(new MemoryIntake(Bench.rows(100)).hold());
        bench.assign(P0, 0);
        bench.emptyPoll();
        assertThat(bench.paused(P0)).isFalse();
        for (var i = 0; i < 5; i++) bench.poll(P0, i * 20L, 20);
        bench.emptyPoll();
        bench.after(MS);
        assertThat(bench.paused(P0)).isTrue();
        assertThat(bench.counters.pauses(PauseReason.BUDGET)).isEqualTo(1);
        assertThat(bench.intake.pressures())
                .as("shards are told that nothing more comes")
                .isPositive();
        assertThat(bench.intake.heldRows()).isEqualTo(100);
        bench.after(200 * MS);
        assertThat(bench.paused(P0)).isTrue();
        bench.intake.letGo();
        bench.after(MS);
        assertThat(bench.paused(P0)).isFalse();
        assertThat(bench.counters.flapping()).as("201 ms").isEqualTo(1);
    }

    @Test
    @Tag("SRC-2")
    void betweenTheMarksNothingChanges() {
        var bench = Bench.of(new MemoryIntake(Bench.rows(100)).hold());
        bench.assign(P0, 0);
        for (var i = 0; i < 10; i++) {
            bench.poll(P0, i * 10L, 10);
            bench.emptyPoll();
        }
        bench.after(MS);
        assertThat(bench.paused(P0)).isTrue();
        for (var i = 0; i < 4; i++) bench.intake.settleOne(0, Ending.WRITTEN);
        bench.after(2_000 * MS);
        assertThat(bench.paused(P0)).as("60 rows are not below 60 %").isTrue();
        bench.intake.settleOne(0, Ending.WRITTEN);
        bench.after(MS);
        assertThat(bench.paused(P0)).isFalse();
        assertThat(bench.counters.flapping())
                .as("more than a second is a pause")
                .isZero();
    }

    @Test
    @Tag("SRC-2")
    void aPauseLastsATenthOfASecond() {
        var bench = Bench.of(new MemoryIntake(Bench.rows(10)).hold());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 10);
        bench.emptyPoll();
        bench.after(0);
        bench.intake.letGo();
        bench.after(100 * MS - 1);
        assertThat(bench.paused(P0)).isTrue();
        bench.after(1);
        assertThat(bench.paused(P0)).isFalse();
    }

    @Test
    @Tag("ADM-1")
    void aFullBudgetStopsInTheMiddleOfAPollAndGoesOnFromTheSameRecord() {
        var bench = Bench.of(new MemoryIntake(new AdmissionBudget(1_000_000, 8192, 0.6)).hold());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3000);
        bench.after(MS);
        var first = bench.intake.heldRows();
        assertThat(first).isBetween(500L, 1500L);
        assertThat(bench.intake.budget().bytes()).as("one chunk over at most").isLessThan(8192 + 2 * 4096);
        var view = bench.accounts.of(P0).view(bench.now, 1);
        assertThat(view.waiting()).isEqualTo(3000 - first);
        assertThat(bench.paused(P0)).isTrue();
        bench.intake.letGo();
        for (var i = 0; i < 50; i++) bench.after(100 * MS);
        assertThat(bench.intake.writes())
                .hasSize(3000)
                .allSatisfy((_, times) -> assertThat(times).isEqualTo(1));
        bench.after(100 * MS);
        assertThat(Bench.entry(bench.acknowledge(), P0).offset()).isEqualTo(3000);
    }

    @Test
    @Tag("SRC-5")
    void aRecordLargerThanTheBudgetPassesAlone() {
        var bench = Bench.of(new MemoryIntake(new AdmissionBudget(1_000_000, 1024, 0.6)));
        bench.assign(P0, 0);
        var records = new TestRecords("orders", 0)
                .add(0, null, "{\"a\":\"" + "x".repeat(100_000) + "\"}")
                .add(1, null, "{\"a\":\"" + "y".repeat(100_000) + "\"}");
        bench.polled(P0, records, 2);
        for (var i = 0; i < 5; i++) {
            bench.emptyPoll();
            bench.after(100 * MS);
        }
        assertThat(bench.intake.rows()).hasSize(2);
    }

    @Test
    @Tag("SRC-1")
    void aTargetWithoutRoomPausesOnlyWhatHasRowsForIt() {
        var bench = new Bench(
                Bench.settings(),
                List.of(new SinkFeed(
                        "sink", _ -> true, PassThroughEncoder::exact, new PartitionRouter(2), 2, 1, 4096, 20 * MS)),
                new MemoryIntake());
        bench.assign(P0, 0);
        bench.assign(P1, 0);
        bench.intake.refuse(SHARD, true);
        bench.poll(P0, 0, 3);
        bench.emptyPoll();
        bench.poll(P0, 3, 2000);
        bench.poll(P1, 0, 3);
        bench.emptyPoll();
        assertThat(bench.paused(P0)).isTrue();
        assertThat(bench.paused(P1)).isFalse();
        assertThat(bench.counters.pauses(PauseReason.TARGET)).isEqualTo(1);
        assertThat(bench.machine.held()).isTrue();
        assertThat(bench.intake.rows()).hasSize(3);
        bench.intake.refuse(SHARD, false);
        bench.after(100 * MS);
        bench.emptyPoll();
        assertThat(bench.paused(P0)).isFalse();
        assertThat(bench.intake.writes()).hasSize(2006);
        bench.emptyPoll();
        assertThat(bench.machine.held()).isFalse();
    }

    @Test
    @Tag("CKP-9")
    void atThePendingBoundOnlyThatPartitionPauses() {
        var bench = pending(new MemoryIntake().hold(), 4);
        bench.assign(P0, 0);
        bench.assign(P1, 0);
        for (var i = 0; i < 4; i++) bench.poll(P0, i, 1);
        bench.poll(P1, 0, 1);
        bench.after(MS);
        assertThat(bench.paused(P0)).isTrue();
        assertThat(bench.paused(P1)).isFalse();
        assertThat(bench.counters.pauses(PauseReason.PENDING)).isEqualTo(1);
        assertThat(bench.intake.heldRows())
                .as("what it waits for was handed over")
                .isGreaterThanOrEqualTo(4);
        assertThat(bench.intake.pressures()).isEqualTo(1);
        bench.intake.letGo();
        bench.after(100 * MS);
        assertThat(bench.paused(P0)).isFalse();
    }

    @Test
    @Tag("CKP-4")
    void aFailedRangeHoldsItsPartitionAndEndsTheProcessAfterItsTime() {
        var bench = Bench.of(new MemoryIntake().hold());
        bench.assign(P0, 0);
        for (var i = 0; i < 3; i++) {
            bench.poll(P0, i, 1);
            bench.emptyPoll();
        }
        bench.intake.settleOne(1, Ending.IN_DOUBT);
        bench.after(200_000 * MS);
        assertThat(bench.all(SourceCommand.Stop.class))
                .as("an earlier range is open: no stall yet")
                .isEmpty();
        bench.intake.letGo();
        bench.after(MS);
        assertThat(Bench.entry(bench.acknowledge(), P0).offset())
                .as("everything before it")
                .isEqualTo(1);
        bench.after(119_999 * MS);
        assertThat(bench.all(SourceCommand.Stop.class)).isEmpty();
        var view = bench.accounts.of(P0).view(bench.now, 1);
        assertThat(view.headNanos()).as("from the moment the head failed").isEqualTo(119_999 * MS);
        bench.after(MS);
        var stop = bench.all(SourceCommand.Stop.class).getFirst();
        assertThat(stop.exitCode()).isEqualTo(5);
        assertThat(stop.reason()).contains("orders-0@1");
        assertThat(bench.all(SourceCommand.Commit.class)).hasSize(1);
    }

    @Test
    @Tag("CKP-6")
    void anAcknowledgementOfAnEndedEpochIsStale() {
        var bench = Bench.of(new MemoryIntake().hold());
        bench.assign(P0, 10);
        bench.poll(P0, 10, 10);
        bench.emptyPoll();
        bench.tell(new SourceEvent.Lost(bench.one(P0)));
        bench.assign(P0, 10);
        bench.poll(P0, 10, 5);
        bench.emptyPoll();
        bench.intake.settleOne(0, Ending.WRITTEN);
        bench.after(200 * MS);
        assertThat(bench.counters.staleAcks()).isEqualTo(1);
        assertThat(bench.all(SourceCommand.Commit.class)).isEmpty();
        bench.intake.letGo();
        bench.after(200 * MS);
        assertThat(Bench.entry(bench.acknowledge(), P0).offset()).isEqualTo(15);
        assertThat(bench.intake.calls()).containsExactly("ended orders-0 1");
    }

    @Test
    @Tag("SRC-4")
    void whatIsLostIsNotCommitted() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 10);
        bench.emptyPoll();
        bench.takeInbox();
        bench.tell(new SourceEvent.Lost(bench.one(P0)));
        bench.after(1_000 * MS);
        bench.tell(new SourceEvent.CommitNow(null));
        assertThat(bench.all(SourceCommand.Commit.class)).isEmpty();
        assertThat(bench.handles.count()).isZero();
    }

    /// Whatever order the client's collection has: a seed of the simulation is the same run everywhere.
    @Test
    @Tag("SRC-3")
    void partitionsAreRevokedInOrder() {
        var bench = Bench.of(new MemoryIntake());
        var partitions = new ArrayList<SourcePartition>();
        for (var n = 0; n < 12; n++) partitions.add(new SourcePartition("orders", P0.topicId(), n));
        for (var partition : partitions) bench.assign(partition, 0);
        bench.tell(new SourceEvent.Revoking(new LinkedHashSet<>(partitions.reversed())));
        var expected = new ArrayList<String>();
        for (var n = 0; n < 12; n++) expected.add("revoking orders-" + n + " " + (n + 1));
        assertThat(bench.intake.calls()).isEqualTo(expected);
    }

    @Test
    @Tag("SRC-3")
    void aRevokeHandsOverDropsWhatIsNotEncodedAndCommitsWhatIsDone() {
        var bench = Bench.of(new MemoryIntake().hold());
        bench.assign(P0, 0);
        bench.assign(P1, 0);
        bench.poll(P0, 0, 5);
        bench.poll(P1, 0, 5);
        bench.tell(new SourceEvent.Revoking(bench.one(P0)));
        assertThat(bench.intake.heldRows()).isEqualTo(5);
        assertThat(bench.intake.calls()).containsExactly("revoking orders-0 1");
        assertThat(bench.machine.idle(bench.one(P0))).isFalse();
        bench.intake.settleHeld(Ending.WRITTEN);
        bench.takeInbox();
        assertThat(bench.machine.idle(bench.one(P0))).isTrue();
        bench.tell(new SourceEvent.CommitNow(bench.one(P0)));
        var commit = bench.all(SourceCommand.Commit.class).getLast();
        assertThat(commit.andWait()).isTrue();
        assertThat(commit.send().entries()).containsOnlyKeys(P0);
        assertThat(Bench.entry(bench.acknowledge(), P0).offset()).isEqualTo(5);
        bench.tell(new SourceEvent.Revoked(bench.one(P0)));
        assertThat(bench.intake.calls()).contains("ended orders-0 1");
        bench.emptyPoll();
        bench.intake.letGo();
        bench.after(200 * MS);
        assertThat(Bench.entry(bench.acknowledge(), P1).offset())
                .as("the kept one goes on")
                .isEqualTo(5);
        assertThat(bench.handles.count()).isZero();
    }

    @Test
    @Tag("SRC-3")
    void anAnswerAfterTheTimeOutIsReplayedOnce() {
        var bench = Bench.of(new MemoryIntake().hold());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 5);
        bench.tell(new SourceEvent.Revoking(bench.one(P0)));
        bench.tell(new SourceEvent.CommitNow(bench.one(P0)));
        bench.tell(new SourceEvent.Revoked(bench.one(P0)));
        assertThat(bench.all(SourceCommand.Commit.class)).isEmpty();
        bench.intake.letGo();
        bench.after(MS);
        assertThat(bench.counters.staleAcks()).isEqualTo(1);
        bench.assign(P0, 0);
        bench.poll(P0, 0, 5);
        bench.emptyPoll();
        assertThat(bench.intake.writes())
                .allSatisfy((_, times) -> assertThat(times).isEqualTo(2));
    }

    @Test
    @Tag("CKP-12")
    void aCommitRefusedByARebalanceIsNoFailureAndOnlyFencingDropsState() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 5);
        bench.emptyPoll();
        bench.after(MS);
        var refused = bench.all(SourceCommand.Commit.class).getLast().send();
        bench.tell(new SourceEvent.CommitAnswered(refused.attempt(), new Answer.Later()));
        bench.poll(P0, 5, 5);
        bench.emptyPoll();
        bench.after(200 * MS);
        var next = bench.acknowledge();
        assertThat(next.attempt()).isNotEqualTo(refused.attempt());
        assertThat(Bench.entry(next, P0).offset()).isEqualTo(10);
        assertThat(bench.all(SourceCommand.Stop.class)).isEmpty();
        bench.poll(P0, 10, 5);
        bench.emptyPoll();
        bench.after(200 * MS);
        var fenced = bench.all(SourceCommand.Commit.class).getLast().send();
        bench.tell(new SourceEvent.CommitAnswered(fenced.attempt(), new Answer.Fenced()));
        assertThat(bench.machine.owned()).isEmpty();
        assertThat(bench.all(SourceCommand.Stop.class)).hasSize(1);
    }

    @Test
    @Tag("SRC-6")
    void aChangedTopicIsCommittedNoFurtherAndItsNeighboursAre() {
        var bench = Bench.of(new MemoryIntake().hold());
        var other = new dev.millrace.checkpoint.SourcePartition("payments", Bench.ID, 0);
        bench.assign(P0, 0);
        bench.assign(other, 0);
        bench.poll(P0, 0, 5);
        bench.poll(other, 0, 5);
        bench.emptyPoll();
        bench.tell(new SourceEvent.TopicChanged("orders", Bench.ID, new TopicId("bbbbbbbbbbbbbbbbbbbbbb")));
        bench.poll(P0, 5, 5);
        bench.intake.letGo();
        bench.after(200 * MS);
        var stop = bench.all(SourceCommand.Stop.class).getFirst();
        assertThat(stop.exitCode()).isEqualTo(5);
        assertThat(stop.reason()).contains("aaaaaaaaaaaaaaaaaaaaaa").contains("bbbbbbbbbbbbbbbbbbbbbb");
        assertThat(bench.acknowledge().entries()).containsOnlyKeys(other);
        assertThat(bench.paused(P0)).isTrue();
        bench.machine.close();
        assertThat(bench.handles.count()).isZero();
    }

    @Test
    @Tag("SRC-6")
    void offsetsThatRetentionTookHaltWithTheirExactCount() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 100);
        bench.tell(new SourceEvent.OffsetsLost(P0, 100, 500));
        var stop = bench.all(SourceCommand.Stop.class).getFirst();
        assertThat(stop.exitCode()).isEqualTo(5);
        assertThat(stop.reason()).contains("400 offsets").contains("[100, 500)");
        bench.after(MS);
        assertThat(bench.paused(P0)).isTrue();
    }

    @Test
    @Tag("SRC-6")
    void underContinueTheLossIsCountedAndReadingGoesOnBehindIt() {
        var bench = new Bench(
                Bench.settings().onLostOffset(OnLostOffset.CONTINUE), List.of(Bench.sink(1)), new MemoryIntake());
        bench.assign(P0, 100);
        bench.tell(new SourceEvent.OffsetsLost(P0, 100, 500));
        assertThat(bench.all(SourceCommand.SeekTo.class)).containsExactly(new SourceCommand.SeekTo(P0, 500));
        assertThat(bench.counters.offsetsLost()).isEqualTo(400);
        bench.poll(P0, 500, 5);
        bench.emptyPoll();
        bench.after(MS);
        assertThat(Bench.entry(bench.acknowledge(), P0).offset()).isEqualTo(505);
    }

    @Test
    @Tag("SRC-14")
    @DisplayName("SRC-14: offsets that a person leaves out are passed over as a gap, counted and told")
    void whatAPersonLeavesOutIsPassedOver() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 100);
        bench.poll(P0, 100, 5);
        bench.tell(new SourceEvent.Skipped(P0, 108));
        assertThat(bench.all(SourceCommand.SeekTo.class)).containsExactly(new SourceCommand.SeekTo(P0, 108));
        assertThat(bench.all(SourceCommand.Tell.class))
                .extracting(SourceCommand.Tell::event)
                .containsExactly("offsets_skipped");
        assertThat(bench.counters.offsetsSkipped()).isEqualTo(3);
        bench.poll(P0, 108, 2);
        bench.emptyPoll();
        bench.after(MS);
        assertThat(bench.intake.writes()).hasSize(7);
        assertThat(Bench.entry(bench.acknowledge(), P0).offset()).isEqualTo(110);
    }

    @Test
    @Tag("SRC-14")
    void nothingBehindWhatIsLeftOutIsNeededToCommitPastIt() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 100);
        bench.tell(new SourceEvent.Skipped(P0, 101));
        bench.emptyPoll();
        bench.after(MS);
        assertThat(Bench.entry(bench.acknowledge(), P0).offset()).isEqualTo(101);
    }

    @Test
    @Tag("SRC-14")
    @DisplayName(
            "SRC-14: what a poll gives behind a hole and a person leaves out is a gap, counted and told, and no seek")
    void whatAPollGivesAllTheSameIsPassedOver() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 199);
        bench.tell(new SourceEvent.Polled(List.of(
                new SourceEvent.Batch(P0, null, 200, -1),
                SourceEvent.Batch.leftOut(P0, 201),
                new SourceEvent.Batch(P0, TestRecords.of("orders", 0, 201, 2), 203, 0))));
        assertThat(bench.all(SourceCommand.SeekTo.class)).isEmpty();
        assertThat(bench.all(SourceCommand.Tell.class))
                .singleElement()
                .satisfies(told -> assertThat(told.text()).contains("[200, 201)"));
        assertThat(bench.counters.offsetsSkipped()).isOne();
        bench.emptyPoll();
        bench.after(MS);
        assertThat(bench.intake.writes()).hasSize(2);
        assertThat(Bench.entry(bench.acknowledge(), P0).offset()).isEqualTo(203);
    }

    @Test
    @DisplayName("OPS-5: behind a revoke nothing is left to commit of what is another member's by now")
    void behindARevokeNothingIsLeftToCommit() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 100);
        assertThat(bench.machine.nothingToCommit()).isTrue();
        bench.tell(new SourceEvent.Skipped(P0, 101));
        bench.after(MS);
        assertThat(bench.machine.nothingToCommit()).isFalse();
        bench.tell(new SourceEvent.Lost(Set.of(P0)));
        var send = bench.all(SourceCommand.Commit.class).getLast().send();
        bench.tell(new SourceEvent.CommitAnswered(send.attempt(), new Answer.Unknown()));
        assertThat(bench.machine.nothingToCommit()).isTrue();
    }

    @Test
    @Tag("SRC-10")
    void aTruncatedLogHaltsWithBothOffsets() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 100);
        bench.tell(new SourceEvent.LogTruncated(P0, 100, 60));
        assertThat(bench.all(SourceCommand.Stop.class).getFirst().reason())
                .contains("100")
                .contains("60");
    }

    @Test
    @Tag("DRN-1")
    void aStopPausesEncodesWhatWasPolledAndSaysWhenTheInputIsFinished() {
        var bench = Bench.of(new MemoryIntake(new AdmissionBudget(1_000_000, 8192, 0.6)).hold());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 2000);
        bench.tell(new SourceEvent.StopTaking(bench.now + 10_000 * MS));
        assertThat(bench.paused(P0)).isTrue();
        assertThat(bench.all(SourceCommand.InputFinished.class)).isEmpty();
        bench.intake.letGo();
        for (var i = 0; i < 30; i++) bench.after(100 * MS);
        assertThat(bench.intake.writes()).hasSize(2000);
        assertThat(bench.all(SourceCommand.InputFinished.class)).hasSize(1);
        bench.tell(new SourceEvent.CommitNow(null));
        assertThat(Bench.entry(bench.acknowledge(), P0).offset()).isEqualTo(2000);
    }

    @Test
    @Tag("DRN-1")
    void atTheEndOfItsTimeAStopGivesUpWhatHasNoRoom() {
        var bench = Bench.of(new MemoryIntake(new AdmissionBudget(1_000_000, 8192, 0.6)).hold());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 2000);
        bench.tell(new SourceEvent.StopTaking(bench.now + 1_000 * MS));
        bench.after(999 * MS);
        assertThat(bench.all(SourceCommand.InputFinished.class)).isEmpty();
        assertThat(bench.machine.wakeAtNanos()).isLessThanOrEqualTo(bench.now + MS);
        bench.after(MS);
        assertThat(bench.all(SourceCommand.InputFinished.class)).hasSize(1);
        var view = bench.accounts.of(P0).view(bench.now, 1);
        assertThat(view.waiting()).isZero();
        assertThat(view.polled())
                .isEqualTo(view.sinks().getFirst().tally().encoded() + view.dropped())
                .isEqualTo(2000);
        bench.machine.close();
        bench.intake.settleHeld(Ending.ABANDONED);
        assertThat(bench.handles.count()).isZero();
    }

    @Test
    @Tag("OPS-9")
    void conservationHoldsAtEveryTurn() {
        var bench = new Bench(
                Bench.settings().values(new Values(ValueFormat.Kind.JSON, ValueFormat.OnTombstone.SKIP, OnPoison.SKIP)),
                List.of(Bench.sink(2)),
                new MemoryIntake(Bench.rows(300)).hold());
        var random = new java.util.Random(7);
        var epoch = 0;
        var at = 0L;
        bench.assign(P0, 0);
        for (var turn = 0; turn < 2000; turn++) {
            var action = random.nextInt(10);
            if (action < 4 && !bench.paused(P0)) {
                var records = new TestRecords("orders", 0);
                var count = 1 + random.nextInt(40);
                for (var i = 0; i < count; i++) {
                    at += 1 + (random.nextInt(10) == 0 ? 3 : 0);
                    records.add(at - 1, "k" + at, random.nextInt(8) == 0 ? null : random.nextInt(8) == 0 ? "{" : "{}");
                }
                bench.polled(P0, records, at);
            } else if (action < 7) {
                bench.after(random.nextInt(60) * MS);
            } else if (action < 9 && bench.intake.heldChunks() > 0) {
                var ending = random.nextInt(40) == 0 ? Ending.ABANDONED : Ending.WRITTEN;
                bench.intake.settleOne(random.nextInt(bench.intake.heldChunks()), ending);
            } else if (random.nextInt(20) == 0) {
                bench.tell(new SourceEvent.Lost(bench.one(P0)));
                bench.assign(P0, at);
                epoch++;
            }
            bench.after(0);
            var view = bench.accounts.of(P0).view(bench.now, 1);
            var sink = view.sinks().getFirst();
            var tally = sink.tally();
            assertThat(view.polled())
                    .as("turn " + turn)
                    .isEqualTo(tally.encoded() + sink.skippedRows() + view.dropped() + view.waiting());
            assertThat(tally.encoded())
                    .isEqualTo(tally.written() + tally.abandoned() + tally.inDoubt() + tally.inFlight());
        }
        assertThat(epoch).isPositive();
        bench.machine.close();
        bench.intake.settleHeld(Ending.ABANDONED);
        assertThat(bench.handles.count()).isZero();
        assertThat(bench.intake.budget().rows()).isZero();
    }

    @Test
    @Tag("CKP-11")
    @DisplayName("CASE-4: what the consumer delivers a second time in an epoch is refused loudly, and joins no batch")
    void anOffsetIsTakenOnceInAnEpoch() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 10);
        bench.poll(P0, 10, 5);
        assertThatThrownBy(() -> bench.poll(P0, 14, 5)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> bench.poll(P0, 10, 5)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> bench.polled(P0, TestRecords.of("orders", 0, 15, 5), 18))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void recordsOfAPartitionThatIsNotOwnedAreAnErrorAndNeverDropped() {
        var bench = Bench.of(new MemoryIntake());
        assertThatThrownBy(() -> bench.poll(P0, 0, 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Tag("ADM-1")
    void manyThinPartitionsHoldABoundedNumberOfSlabs() {
        var bench = Bench.of(new MemoryIntake());
        var batches = new java.util.ArrayList<SourceEvent.Batch>();
        for (var n = 0; n < 200; n++) {
            var partition = new dev.millrace.checkpoint.SourcePartition("orders", Bench.ID, n);
            bench.assign(partition, 0);
            batches.add(new SourceEvent.Batch(partition, TestRecords.of("orders", n, 0, 1), 1, 0));
        }
        bench.tell(new SourceEvent.Polled(batches));
        bench.after(0);
        var waiting = bench.accounts.all().stream()
                .mapToLong(account -> account.view(bench.now, 1).waiting())
                .sum();
        assertThat(waiting).isLessThanOrEqualTo(64);
    }

    @Test
    @Tag("DRN-2")
    void rowsThatWaitedAtARevokeAreCountedOnce() {
        var intake = new MemoryIntake();
        intake.refuse(SHARD, true);
        var bench = Bench.of(intake);
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.after(20 * MS);
        bench.poll(P0, 3, 4);
        assertThat(bench.accounts.of(P0).view(bench.now, 1).waiting()).isEqualTo(4);
        bench.tell(new SourceEvent.Revoking(bench.one(P0)));
        bench.tell(new SourceEvent.Revoked(bench.one(P0)));
        var view = bench.accounts.of(P0).view(bench.now, 1);
        var encoded = view.sinks().getFirst().tally().encoded();
        assertThat(view.waiting()).isZero();
        assertThat(encoded + view.dropped()).isEqualTo(view.polled());
    }

    @Test
    @Tag("DRN-3")
    void whatIsClosedSaysHowFarItHadTaken() {
        var bench = Bench.of(new MemoryIntake().hold());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.machine.close();
        var view = bench.accounts.of(P0).view(bench.now, 1);
        assertThat(view.waiting()).isZero();
        assertThat(view.position()).isEqualTo(3);
        assertThat(view.sinks().getFirst().tally().encoded() + view.dropped()).isEqualTo(3);
    }

    @Test
    @Tag("DRN-1")
    void whatAHaltedPartitionHadTakenIsEncodedAndDoesNotHoldUpTheDrain() {
        var intake = new MemoryIntake();
        intake.refuse(SHARD, true);
        var bench = Bench.of(intake);
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.after(20 * MS);
        bench.poll(P0, 3, 4);
        bench.tell(new SourceEvent.LogTruncated(P0, 7, 5));
        assertThat(bench.all(SourceCommand.Stop.class)).hasSize(1);
        intake.refuse(SHARD, false);
        bench.tell(new SourceEvent.StopTaking(bench.now + 25_000 * MS));
        bench.after(100 * MS);
        assertThat(bench.all(SourceCommand.InputFinished.class)).hasSize(1);
        assertThat(intake.rows()).hasSize(7);
    }

    @Test
    @Tag("ADM-6")
    void whatADeadShardIsOwedInTheSourceIsASmallPartOfTheBudget() {
        var intake = new MemoryIntake(Bench.rows(1_600));
        intake.refuse(new Target(0, 0, 0), true);
        var bench = Bench.of(intake);
        bench.assign(P0, 0);
        // Within one linger, so that nothing else than a bulk would be offered.
        for (var n = 0; n < 20; n++) bench.poll(P0, 50L * n, 50);
        assertThat(intake.budget().rows()).isLessThanOrEqualTo(1_600 / 16 + 100);
    }
}
