package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.Ack;
import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.Range;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// The source's side of the tests: real trackers, acknowledgements, builders and budget, and each
/// range that was told.
///
/// Thread ownership: the test's thread; ranges are told from any thread.
final class Source {
    private record Owned(SourcePartition partition, long epoch) {}

    final OpenHandles handles = new OpenHandles();
    final AdmissionBudget budget;
    final RowTally tally = new RowTally();
    final LinkedBlockingQueue<Map.Entry<Range, Resolution>> resolved = new LinkedBlockingQueue<>();
    private final Map<Owned, PartitionTracker> trackers = new HashMap<>();
    private final List<Ack> acks = new ArrayList<>();
    private SlabSource slabs = new SlabSource(1 << 20);

    Source(AdmissionBudget budget) {
        this.budget = budget;
    }

    Source() {
        this(new AdmissionBudget(1_000_000, 1L << 32, 0.5));
    }

    /// Each chunk has a slab of so many bytes, which is filled again as soon as nobody reads it.
    void fillAgain(int slabBytes) {
        slabs = new SlabSource(new SlabPool(slabBytes, 1 << 20));
    }

    static SourcePartition partition(String topic, int partition) {
        return new SourcePartition(topic, TopicId.UNKNOWN, partition);
    }

    /// One chunk of `rows` rows of `bytesEach` bytes from offset `from` on, in a range of its own. A hole
    /// before it is part of that range.
    EncodedChunk chunk(String topic, int partition, long epoch, long from, int rows, int bytesEach, long polledNanos) {
        return chunk(FakeRecord.AS_IS, topic, partition, epoch, from, rows, bytesEach, polledNanos);
    }

    /// The same, of rows that this encoder makes.
    EncodedChunk chunk(
            RowEncoder encoder,
            String topic,
            int partition,
            long epoch,
            long from,
            int rows,
            int bytesEach,
            long polledNanos) {
        return chunk(0, encoder, topic, partition, epoch, from, rows, bytesEach, polledNanos);
    }

    /// The same, for a lane of the shard.
    EncodedChunk chunk(
            int lane,
            RowEncoder encoder,
            String topic,
            int partition,
            long epoch,
            long from,
            int rows,
            int bytesEach,
            long polledNanos) {
        var source = partition(topic, partition);
        var tracker = trackers.computeIfAbsent(
                new Owned(source, epoch), _ -> new PartitionTracker(source, epoch, from, -1, 1_000_000, handles));
        var range = tracker.register(tracker.end(), from + rows, -1, (told, how) -> resolved.add(Map.entry(told, how)));
        var out = new ArrayList<EncodedChunk>(1);
        var builder = new ChunkBuilder(source, epoch, new Target(0, 0, lane), slabs, budget, tally, out::add);
        builder.begin(range, polledNanos);
        for (var i = 0; i < rows; i++) {
            builder.append(
                    new FakeRecord(topic, partition, from + i, row(topic, partition, from + i, bytesEach)), encoder);
        }
        builder.handOver();
        acks.add(range);
        range.close();
        assertThat(out).as("chunks").hasSize(1);
        return out.getFirst();
    }

    /// The same, and nobody waits for it.
    EncodedChunk unawaited(String topic, int partition, long epoch, long from, int rows, int bytesEach) {
        var out = new ArrayList<EncodedChunk>(1);
        var builder = new ChunkBuilder(
                partition(topic, partition), epoch, new Target(0, 0, 0), slabs, budget, tally, out::add);
        builder.beginUnawaited(0);
        for (var i = 0; i < rows; i++)
            builder.append(
                    new FakeRecord(topic, partition, from + i, row(topic, partition, from + i, bytesEach)),
                    FakeRecord.AS_IS);
        builder.handOver();
        return out.getFirst();
    }

    /// Offsets that their ranges know to be in no sink.
    List<Long> leftOut() {
        return acks.stream().flatMap(range -> range.leftOut().stream()).sorted().toList();
    }

    /// `topic-partition@offset;`, cut or filled up to `size`.
    private static byte[] row(String topic, int partition, long offset, int size) {
        var text = new StringBuilder(topic + "-" + partition + "@" + offset + ";");
        while (text.length() < size) text.append('.');
        return Bytes.of(text.substring(0, size));
    }

    /// How the partition stands after all that was told so far.
    PartitionTracker tracker(String topic, int partition, long epoch) {
        for (var told = resolved.poll(); told != null; told = resolved.poll()) {
            var range = told.getKey();
            var tracker = Objects.requireNonNull(trackers.get(new Owned(range.partition(), range.epoch())));
            assertThat(tracker.resolve(range, told.getValue()))
                    .as("%s told once", range)
                    .isNotInstanceOf(PartitionTracker.Moved.Stale.class);
        }
        return Objects.requireNonNull(trackers.get(new Owned(partition(topic, partition), epoch)));
    }

    long watermark(String topic, int partition, long epoch) {
        return tracker(topic, partition, epoch).watermark();
    }

    /// Takes the next range that is told, from whichever thread, within half a minute.
    Resolution awaitResolved() throws InterruptedException {
        var told = resolved.poll(30, TimeUnit.SECONDS);
        if (told == null) throw new AssertionError("no range was resolved in time");
        return told.getValue();
    }

    List<Resolution> resolutions() {
        return resolved.stream().map(Map.Entry::getValue).toList();
    }

    /// No handle is open, no lease is out, no row is in flight.
    void assertNothingLeaks() {
        assertThat(handles.count()).as("open handles").isZero();
        assertThat(budget.rows()).as("rows in the budget").isZero();
        assertThat(budget.bytes()).as("bytes in the budget").isZero();
        assertThat(tally.inFlight()).as("rows in flight").isZero();
        assertThat(tally.written() + tally.deadLettered() + tally.skipped() + tally.abandoned() + tally.inDoubt())
                .as("rows ended")
                .isEqualTo(tally.encoded());
    }
}
