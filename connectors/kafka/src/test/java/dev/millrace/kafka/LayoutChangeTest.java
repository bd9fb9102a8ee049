package dev.millrace.kafka;

import static dev.millrace.kafka.Bench.MS;
import static dev.millrace.kafka.Bench.P0;
import static dev.millrace.kafka.Bench.P1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.Ending;
import dev.millrace.sinkpool.MemoryIntake;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What becomes of a partition's rows when a sink's table changes under way.
@Tag("CH-8")
final class LayoutChangeTest {
    /// Of this layout the table lacks what the row at offset 2 needs.
    private static final int LACKS = 7;

    /// Of this layout the table has no column for any row.
    private static final int REFUSES = 9;

    private static final long DRAIN_NANOS = 5_000 * MS;

    /// A row is the number of its layout.
    private record Numbered(int layout) implements RowEncoder {
        @Override
        public @Nullable String waitsFor(RecordView record) {
            return layout == LACKS && record.offset() == 2 ? "column x is gone" : null;
        }

        @Override
        public Encoded encode(RecordView record, RowBuffer row) {
            if (layout == REFUSES) return new Encoded.Poison("unknown_field", "at byte 1");
            row.putAscii(Integer.toString(layout));
            return Encoded.WRITTEN;
        }
    }

    private final AtomicInteger layout = new AtomicInteger(1);
    private final MemoryIntake intake = new MemoryIntake();
    private final Bench bench = bench(intake);

    private Bench bench(MemoryIntake of) {
        var feed = Bench.sink(1);
        var numbered = new SinkFeed(
                feed.name(),
                "orders"::equals,
                () -> new Numbered(layout.get()),
                feed.router(),
                feed.shards(),
                feed.lanes(),
                feed.slabs().slabBytes(),
                feed.chunkLingerNanos());
        var values = new KafkaSourceSettings.Values(
                ValueFormat.Kind.JSON, ValueFormat.OnTombstone.SKIP, KafkaSourceSettings.OnPoison.SKIP);
        return new Bench(Bench.settings().values(values.maxRate(0.01)), List.of(numbered), of);
    }

    private void change() {
        layout.incrementAndGet();
        bench.tell(new SourceEvent.LayoutChanged("sink"));
    }

    private List<String> written() {
        return intake.rows().stream()
                .map(row -> row.offset() + ":" + row.text())
                .toList();
    }

    @Test
    void whatIsDoneStaysAndTheRestIsReadAgainForTheNewTable() {
        bench.assign(P0, 10);
        bench.poll(P0, 10, 2);
        bench.emptyPoll();
        bench.after(MS);
        change();
        bench.after(MS);
        assertThat(bench.all(SourceCommand.ReadAgain.class))
                .containsExactly(new SourceCommand.ReadAgain(P0, new CommitEntry(12, 0, "t1." + Bench.ID.text())));
        bench.poll(P0, 12, 1);
        bench.emptyPoll();
        assertThat(written()).containsExactly("10:1", "11:1", "12:2");
        bench.acknowledge();
        bench.after(200 * MS);
        assertThat(Bench.entry(bench.acknowledge(), P0).offset()).isEqualTo(13);
        assertThat(bench.handles.count()).isZero();
    }

    @Test
    void whatIsOutGetsTheTimeOfARevokeAndIsThenGivenUp() {
        intake.hold();
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.emptyPoll();
        change();
        assertThat(intake.calls()).containsExactly("revoking orders-0 1");
        bench.after(DRAIN_NANOS - 1);
        assertThat(bench.all(SourceCommand.ReadAgain.class)).isEmpty();
        assertThat(bench.paused(P0)).isTrue();
        assertThat(bench.machine.wakeAtNanos()).isLessThanOrEqualTo(bench.now + 1);
        bench.after(1);
        assertThat(intake.calls()).containsExactly("revoking orders-0 1", "ended orders-0 1");
        assertThat(bench.all(SourceCommand.ReadAgain.class).getFirst().from().offset())
                .isZero();
        intake.settleHeld(Ending.ABANDONED);
        bench.after(200 * MS);
        assertThat(bench.paused(P0)).isFalse();
        intake.letGo();
        bench.poll(P0, 0, 3);
        bench.emptyPoll();
        assertThat(written()).containsExactly("0:2", "1:2", "2:2");
        assertThat(bench.handles.count()).isZero();
    }

    @Test
    void whatIsWrittenInThatTimeIsNotReadAgain() {
        intake.hold();
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.emptyPoll();
        change();
        intake.settleHeld(Ending.WRITTEN);
        bench.after(MS);
        assertThat(bench.all(SourceCommand.ReadAgain.class).getFirst().from().offset())
                .isEqualTo(3);
    }

    @Test
    void whatWaitsToBeEncodedIsGivenUpFromItsNextRecordOn() {
        var narrow = new MemoryIntake(new AdmissionBudget(1_000_000, 8192, 0.6)).hold();
        var few = bench(narrow);
        few.assign(P0, 0);
        few.poll(P0, 0, 20_000);
        few.after(MS);
        var encoded = narrow.heldRows();
        assertThat(encoded).isBetween(1000L, 19_000L);
        layout.incrementAndGet();
        few.tell(new SourceEvent.LayoutChanged("sink"));
        var view = few.accounts.of(P0).view(few.now, 1);
        assertThat(view.waiting()).isZero();
        assertThat(view.dropped()).isEqualTo(20_000 - narrow.heldRows());
        narrow.letGo();
        few.after(MS);
        assertThat(few.all(SourceCommand.ReadAgain.class).getFirst().from().offset())
                .as("what was encoded is not encoded again")
                .isEqualTo(view.polled() - view.dropped());
        assertThat(few.handles.count()).isZero();
    }

    @Test
    void whatComesFromTheSamePollIsCountedAndComesAgain() {
        intake.hold();
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.emptyPoll();
        change();
        bench.poll(P0, 3, 2);
        var view = bench.accounts.of(P0).view(bench.now, 1);
        assertThat(view.polled()).isEqualTo(5);
        assertThat(view.dropped()).isEqualTo(2);
        intake.letGo();
        bench.after(MS);
        assertThat(bench.all(SourceCommand.ReadAgain.class).getFirst().from().offset())
                .isEqualTo(3);
    }

    @Test
    void whoseTopicTheSinkDoesNotTakeGoesOn() {
        var other = new dev.millrace.checkpoint.SourcePartition("other", Bench.ID, 0);
        bench.assign(P1, 0);
        bench.assign(other, 0);
        change();
        bench.after(MS);
        assertThat(bench.all(SourceCommand.ReadAgain.class))
                .extracting(SourceCommand.ReadAgain::partition)
                .containsExactly(P1);
    }

    @Test
    void aDrainBeginsNothingAgain() {
        intake.hold();
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.emptyPoll();
        change();
        bench.tell(new SourceEvent.StopTaking(bench.now + 60_000 * MS));
        intake.letGo();
        bench.after(DRAIN_NANOS);
        assertThat(bench.all(SourceCommand.ReadAgain.class)).isEmpty();
        assertThat(bench.all(SourceCommand.InputFinished.class)).hasSize(1);
        bench.after(200 * MS);
        assertThat(Bench.entry(bench.acknowledge(), P0).offset()).isEqualTo(3);
    }

    @Test
    void aRevokeMeanwhileTakesItAway() {
        intake.hold();
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.emptyPoll();
        change();
        bench.tell(new SourceEvent.Revoking(bench.one(P0)));
        bench.after(DRAIN_NANOS);
        assertThat(bench.all(SourceCommand.ReadAgain.class)).isEmpty();
        bench.tell(new SourceEvent.Revoked(bench.one(P0)));
        bench.after(MS);
        assertThat(bench.all(SourceCommand.ReadAgain.class)).isEmpty();
        assertThat(bench.machine.owned()).isEmpty();
    }

    @Test
    void twoChangesInARowReadAgainOnceAndForTheLast() {
        intake.hold();
        bench.assign(P0, 0);
        bench.poll(P0, 0, 1);
        bench.emptyPoll();
        change();
        change();
        intake.letGo();
        bench.after(MS);
        bench.poll(P0, 1, 1);
        bench.emptyPoll();
        assertThat(bench.all(SourceCommand.ReadAgain.class)).hasSize(1);
        assertThat(written()).containsExactly("0:1", "1:3");
    }

    @Test
    void aRowThatNeedsWhatIsGoneWaitsForTheNextTable() {
        layout.set(LACKS - 1);
        bench.assign(P0, 0);
        change();
        bench.after(MS);
        bench.poll(P0, 0, 5);
        bench.emptyPoll();
        assertThat(written()).containsExactly("0:7", "1:7");
        assertThat(bench.paused(P0)).isTrue();
        assertThat(bench.accounts.of(P0).view(bench.now, 1).blockedBy()).isEqualTo("offset 2, sink: column x is gone");
        for (var i = 0; i < 3; i++) bench.after(100 * MS);
        assertThat(written()).hasSize(2);
        assertThat(Bench.entry(bench.acknowledge(), P0).offset()).isEqualTo(2);
        assertThat(bench.all(SourceCommand.Stop.class)).isEmpty();

        change();
        bench.after(MS);
        bench.after(MS);
        assertThat(bench.all(SourceCommand.ReadAgain.class).getLast().from().offset())
                .isEqualTo(2);
        bench.poll(P0, 2, 3);
        bench.emptyPoll();
        assertThat(written()).containsExactly("0:7", "1:7", "2:8", "3:8", "4:8");
        assertThat(bench.handles.count()).isZero();
    }

    @Test
    @Tag("POI-13")
    void aDriftIsOverWhenTheTableIsMended() {
        layout.set(REFUSES);
        var drifting = bench(intake);
        drifting.assign(P0, 0);
        drifting.poll(P0, 0, 200);
        drifting.emptyPoll();
        assertThat(drifting.accounts.of(P0).view(drifting.now, 1).blockedBy()).isEqualTo(Owned.DRIFT);
        layout.incrementAndGet();
        drifting.tell(new SourceEvent.LayoutChanged("sink"));
        drifting.after(MS);
        drifting.after(MS);
        var from = drifting.all(SourceCommand.ReadAgain.class).getLast().from().offset();
        assertThat(from).isBetween(100L, 199L);
        drifting.poll(P0, from, 50);
        drifting.emptyPoll();
        assertThat(written()).hasSize(50);
    }

    @Test
    void whatIsOutBehindARangeThatFailedGetsItsTimeToo() {
        intake.hold();
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.emptyPoll();
        bench.poll(P0, 3, 3);
        bench.emptyPoll();
        intake.settleOne(0, Ending.ABANDONED);
        bench.after(MS);
        change();
        bench.after(MS);
        assertThat(bench.all(SourceCommand.ReadAgain.class)).isEmpty();
        intake.settleOne(0, Ending.WRITTEN);
        bench.after(MS);
        assertThat(bench.all(SourceCommand.ReadAgain.class).getFirst().from().offset())
                .isZero();
    }
}
