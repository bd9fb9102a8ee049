package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.Ack;
import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;

/// Builders, slabs, batches and ladders against what they should be, under random input.
final class RowsTest {
    private record Expected(long offset, String text) {}

    /// One builder of a partition and, as a list of plain values, the rows it should have made.
    private static final class Lane {
        final PartitionTracker tracker;
        final ChunkBuilder builder;
        final List<EncodedChunk> chunks = new ArrayList<>();
        final List<Expected> expected = new ArrayList<>();
        Ack range;
        long offset;

        Lane(int partition, SlabSource slabs, AdmissionBudget budget, OpenHandles handles) {
            var source = Source.partition("orders", partition);
            tracker = new PartitionTracker(source, 1, 0, -1, 1_000_000, handles);
            builder = new ChunkBuilder(source, 1, new Target(0, 0, 0), slabs, budget, new RowTally(), chunks::add);
            range = begin();
        }

        private Ack begin() {
            var next = tracker.register(tracker.end(), tracker.end() + (1L << 40), -1, tracker::resolve);
            builder.begin(next, offset);
            return next;
        }

        void nextRange() {
            range.close();
            offset = tracker.end();
            range = begin();
        }
    }

    @Property(tries = 300, shrinking = ShrinkingMode.BOUNDED)
    @Tag("WRT-9")
    void buildersThatShareSlabsNeverTouchEachOthersRows(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 5000) int target) {
        var random = new SplittableRandom(seed);
        var handles = new OpenHandles();
        var budget = new AdmissionBudget(1000, 1_000_000, 0.5);
        var slabs = new SlabSource(target);
        var lanes = List.of(
                new Lane(0, slabs, budget, handles),
                new Lane(1, slabs, budget, handles),
                new Lane(2, slabs, budget, handles));
        for (var step = 0; step < 400; step++) {
            var lane = lanes.get(random.nextInt(lanes.size()));
            switch (random.nextInt(20)) {
                case 0 -> lane.builder.handOver();
                case 1 -> lane.nextRange();
                case 2 -> lanes.forEach(each -> each.builder.handOver());
                default -> append(lane, random);
            }
        }
        for (var lane : lanes) {
            lane.builder.handOver();
            lane.range.close();
            var made = new ArrayList<Expected>();
            for (var chunk : lane.chunks) {
                for (var row = 0; row < chunk.rows(); row++)
                    made.add(new Expected(chunk.offset(row), Bytes.text(Bytes.row(chunk, row))));
            }
            assertThat(made).isEqualTo(lane.expected);
            lane.chunks.forEach(chunk -> chunk.settle(Ending.WRITTEN));
            assertThat(lane.tracker.watermark()).isEqualTo(lane.tracker.end());
        }
        assertThat(handles.count()).isZero();
        assertThat(budget.rows()).isZero();
        assertThat(budget.bytes()).isZero();
    }

    /// A row of pieces: whole arrays, single bytes and text, now and then larger than a slab,
    /// skipped, or behind a gap.
    private static void append(Lane lane, SplittableRandom random) {
        lane.offset += random.nextInt(30) == 0 ? 1L << 32 : 1 + random.nextInt(3);
        var large = random.nextInt(25) == 0;
        var text = new StringBuilder();
        var pieces = new ArrayList<String>();
        for (var i = random.nextInt(4); i > 0; i--) {
            var piece = Character.toString('a' + random.nextInt(26)).repeat(random.nextInt(large ? 9000 : 60));
            pieces.add(piece);
            text.append(piece);
        }
        var skipped = random.nextInt(10) == 0;
        lane.builder.append(new FakeRecord("orders", 0, lane.offset, new byte[0]), (record, row) -> {
            for (var piece : pieces) {
                switch (piece.length() % 3) {
                    case 0 -> row.put(Bytes.of(piece), 0, piece.length());
                    case 1 -> row.putAscii(piece);
                    default -> {
                        for (var b : Bytes.of(piece)) row.put(b);
                    }
                }
            }
            return skipped ? new RowEncoder.Encoded.Skipped("filter") : RowEncoder.Encoded.WRITTEN;
        });
        if (!skipped) lane.expected.add(new Expected(lane.offset, text.toString()));
    }

    @Property(tries = 300, shrinking = ShrinkingMode.BOUNDED)
    @Tag("SEAL-6")
    void halvesAndSingleRowsOfABatchAddUpInOrder(@ForAll long seed) {
        var random = new Random(seed);
        var source = new Source();
        var chunks = new ArrayList<EncodedChunk>();
        for (var i = 1 + random.nextInt(6); i > 0; i--) {
            var partition = random.nextInt(3);
            var from = 100L * i;
            chunks.addFirst(
                    source.chunk("t" + partition, 0, 1 + partition, 10_000 - from, 1 + random.nextInt(9), 9, 0));
        }
        Collections.shuffle(chunks, random);
        var batch = BatchRows.of(chunks);
        var rows = Bytes.rows(batch);
        assertThat(batch.rows()).isEqualTo(rows.size());
        assertThat(batch.byteCount())
                .isEqualTo(rows.stream().mapToInt(String::length).sum());
        assertThat(Bytes.sent(batch)).isEqualTo(String.join("", rows));
        assertThat(halved(batch)).isEqualTo(rows);
        var low = random.nextInt(batch.rows());
        var high = low + 1 + random.nextInt(batch.rows() - low);
        var part = batch.part(low, high);
        assertThat(Bytes.rows(part)).isEqualTo(rows.subList(low, high));
        assertThat(part.rows()).isEqualTo(high - low);
        chunks.forEach(EncodedChunk::close);
        source.assertNothingLeaks();
    }

    private static List<String> halved(BatchRows batch) {
        if (batch.rows() == 1) return Bytes.rows(batch);
        var middle = batch.rows() / 2;
        var out = new ArrayList<>(halved(batch.part(0, middle)));
        out.addAll(halved(batch.part(middle, batch.rows())));
        return out;
    }

    @Property(tries = 500)
    @Tag("WRT-2")
    void everySleepIsPositiveWithinItsShareOfTheCapAndTheStepsNeverShrink(@ForAll long seed) {
        var random = new SplittableRandom(seed);
        var initial = logUniform(random, 1_000_000, 1e18);
        var most = Math.max(initial, logUniform(random, 1_000_000, 1e18));
        var multiplier = Math.exp(random.nextDouble() * Math.log(1000));
        var jitter = random.nextBoolean() ? 0 : random.nextDouble() * 0.99;
        var ladder =
                new RetryLadder(new ShardSettings.RetrySettings(initial, most, multiplier, jitter, 0), random.split());
        var bare = new RetryLadder(new ShardSettings.RetrySettings(initial, most, multiplier, 0, 0), random.split());
        var before = 0L;
        for (var failures : new int[] {1, 2, 3, 4, 10, 63, 64, 65, 1000, Integer.MAX_VALUE}) {
            var step = bare.sleepNanos(failures);
            assertThat(step).isBetween(1_000_000L, most).isGreaterThanOrEqualTo(before);
            before = step;
            var sleep = ladder.sleepNanos(failures);
            assertThat(sleep).isGreaterThanOrEqualTo(1_000_000L);
            assertThat((double) sleep).isLessThanOrEqualTo(step * (1 + jitter) + 1);
            if (sleep > 1_000_000) assertThat((double) sleep).isGreaterThanOrEqualTo(step * (1 - jitter) - 1);
        }
        assertThat(bare.longestNanos()).isGreaterThanOrEqualTo(before);
    }

    private static long logUniform(SplittableRandom random, double low, double high) {
        return (long) Math.exp(Math.log(low) + random.nextDouble() * Math.log(high / low)) + 1;
    }

    @Property(tries = 100)
    @Tag("WRT-2")
    void laddersOfNeighbouringSeedsDoNotSleepInStep(@ForAll @IntRange(min = 0, max = 100_000) int seed) {
        var settings = new ShardSettings.RetrySettings(100_000_000, 10_000_000_000L, 2, 0.2, 0);
        var sleeps = new long[16];
        for (var i = 0; i < sleeps.length; i++)
            sleeps[i] = new RetryLadder(settings, new SplittableRandom(seed + i)).sleepNanos(1);
        assertThat(Arrays.stream(sleeps).distinct().count()).isEqualTo(16);
        assertThat(Arrays.stream(sleeps).max().getAsLong()
                        - Arrays.stream(sleeps).min().getAsLong())
                .as("they spread over the share of jitter")
                .isGreaterThan(5_000_000L);
    }

    @Property(tries = 200, shrinking = ShrinkingMode.BOUNDED)
    @Tag("CH-9")
    void onlyTheRowsThatAreWantedAreTaken(@ForAll long seed) {
        var random = new SplittableRandom(seed);
        var lane = new Lane(
                0,
                new SlabSource(1 + random.nextInt(200)),
                new AdmissionBudget(1000, 1_000_000, 0.5),
                new OpenHandles());
        for (var i = 1 + random.nextInt(100); i > 0; i--) append(lane, random);
        lane.builder.handOver();
        if (lane.chunks.isEmpty()) return;
        var all = BatchRows.of(lane.chunks);
        var wanted = new BitSet();
        var expected = new ArrayList<String>();
        wanted.set(random.nextInt(all.rows()));
        for (var row = 0; row < all.rows(); row++) if (random.nextInt(3) == 0) wanted.set(row);
        wanted.stream().forEach(row -> expected.add(Bytes.sent(all.part(row, row + 1))));
        var only = all.only(wanted);
        assertThat(only.rows()).isEqualTo(wanted.cardinality());
        assertThat(Bytes.sent(only)).isEqualTo(String.join("", expected));
        lane.chunks.forEach(chunk -> chunk.settle(Ending.WRITTEN));
    }
}
