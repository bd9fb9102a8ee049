package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.checkpoint.Ack;
import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.SourcePartition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How rows become chunks, down to the byte.
final class ChunkBuilderTest {
    private static final int TARGET = 256;
    private static final SourcePartition ORDERS = Source.partition("orders", 0);

    /// A builder over small slabs, and all that it handed over.
    private static final class Bench {
        final OpenHandles handles = new OpenHandles();
        final AdmissionBudget budget = new AdmissionBudget(1000, 1_000_000, 0.5);
        final RowTally tally = new RowTally();
        final PartitionTracker tracker = new PartitionTracker(ORDERS, 1, 0, -1, 1000, handles);
        final List<Resolution> resolutions = new ArrayList<>();
        final List<EncodedChunk> chunks = new ArrayList<>();
        final SlabSource slabs;
        final ChunkBuilder builder;

        Bench(int target) {
            slabs = new SlabSource(target);
            builder = new ChunkBuilder(ORDERS, 1, new Target(0, 0, 0), slabs, budget, tally, chunks::add);
        }

        Bench() {
            this(TARGET);
        }

        Ack range(long next, long polledNanos) {
            var range = tracker.register(tracker.end(), next, -1, (told, how) -> {
                tracker.resolve(told, how);
                resolutions.add(how);
            });
            builder.begin(range, polledNanos);
            return range;
        }

        RowEncoder.Encoded row(long offset, String value) {
            return row(offset, FakeRecord.AS_IS, Bytes.of(value));
        }

        RowEncoder.Encoded row(long offset, RowEncoder encoder, byte[] value) {
            return builder.append(new FakeRecord("orders", 0, offset, value), encoder);
        }

        List<String> rows() {
            return chunks.stream().flatMap(chunk -> Bytes.rows(chunk).stream()).toList();
        }

        void settleAll() {
            chunks.forEach(chunk -> assertThat(chunk.settle(Ending.WRITTEN)).isTrue());
            assertThat(handles.count()).isZero();
            assertThat(budget.rows()).isZero();
            assertThat(budget.bytes()).isZero();
            assertThat(tally.written()).isEqualTo(tally.encoded());
        }
    }

    private static long[] offsets(EncodedChunk chunk) {
        return LongStream.range(0, chunk.rows())
                .map(row -> chunk.offset((int) row))
                .toArray();
    }

    @Test
    void rowsKeepTheirBytesAndOffsets() {
        var bench = new Bench();
        var range = bench.range(100, 77);
        bench.row(3, "alpha");
        bench.row(4, "");
        bench.row(50, "omega");
        assertThat(bench.builder.rows()).isEqualTo(3);
        assertThat(bench.builder.oldestNanos()).isEqualTo(77);
        bench.builder.handOver();
        range.close();
        assertThat(bench.rows()).containsExactly("alpha", "", "omega");
        var chunk = bench.chunks.getFirst();
        assertThat(offsets(chunk)).containsExactly(3, 4, 50);
        assertThat(chunk.byteCount()).isEqualTo(10);
        assertThat(chunk.polledNanos()).isEqualTo(77);
        assertThat(bench.budget.rows()).isEqualTo(3);
        assertThat(bench.budget.bytes()).isEqualTo(10);
        bench.settleAll();
    }

    @Test
    void aChunkKeepsItsRowsWhileTheIndexOfItsSlabGrows() {
        var bench = new Bench(16 << 10);
        var range = bench.range(400, 0);
        var rows = new ArrayList<String>();
        for (var n = 0; n < 300; n++) {
            rows.add("row " + n);
            bench.row(n, rows.get(n));
            if (n % 30 == 29) bench.builder.handOver();
        }
        range.close();
        assertThat(bench.chunks).hasSize(10);
        assertThat(bench.chunks)
                .extracting(EncodedChunk::array)
                .containsOnly(bench.chunks.getFirst().array());
        assertThat(bench.rows()).isEqualTo(rows);
        assertThat(bench.chunks.stream().flatMapToLong(chunk -> Arrays.stream(offsets(chunk))))
                .containsExactlyElementsOf(LongStream.range(0, 300).boxed().toList());
        bench.settleAll();
    }

    @Test
    void aSlabTakesOnlySoManyRowsHoweverShortTheyAre() {
        var bench = new Bench(16 << 10);
        var range = bench.range(1000, 0);
        for (var n = 0; n < 1000; n++) bench.row(n, "x");
        bench.builder.handOver();
        range.close();
        assertThat(bench.chunks).extracting(EncodedChunk::rows).containsExactly(341, 341, 318);
        bench.settleAll();
    }

    @Test
    void aRowThatDoesNotFitGoesWholeIntoTheNextChunk() {
        var bench = new Bench();
        var range = bench.range(10, 0);
        bench.row(0, "a".repeat(200));
        bench.row(1, "b".repeat(100));
        bench.builder.handOver();
        range.close();
        assertThat(bench.chunks).hasSize(2);
        assertThat(bench.rows()).containsExactly("a".repeat(200), "b".repeat(100));
        assertThat(bench.chunks.getFirst().array())
                .isNotSameAs(bench.chunks.getLast().array());
        bench.settleAll();
    }

    @Test
    void aChunkIsHandedOverWhenItReachedItsTarget() {
        var bench = new Bench();
        var range = bench.range(10, 0);
        bench.row(0, "a".repeat(TARGET - 1));
        assertThat(bench.chunks).isEmpty();
        bench.row(1, "b");
        assertThat(bench.chunks).hasSize(1);
        range.close();
        assertThat(bench.rows()).containsExactly("a".repeat(TARGET - 1), "b");
        bench.settleAll();
    }

    @Test
    @Tag("SRC-5")
    void aRecordOfTenMegabytesIsAChunkOfItsOwn() {
        var bench = new Bench();
        var range = bench.range(10, 0);
        var huge = new byte[10 << 20];
        Arrays.fill(huge, (byte) 'x');
        huge[0] = 'y';
        bench.row(0, "before");
        bench.row(1, FakeRecord.AS_IS, huge);
        bench.row(2, "after");
        bench.builder.handOver();
        range.close();
        assertThat(bench.chunks).hasSize(3);
        assertThat(Bytes.row(bench.chunks.get(1), 0)).isEqualTo(huge);
        assertThat(bench.chunks.get(2).array().length)
                .as("a small chunk pins no large slab")
                .isEqualTo(TARGET);
        assertThat(offsets(bench.chunks.get(1))).containsExactly(1);
        bench.settleAll();
    }

    @Test
    @Tag("SRC-14")
    void aRowThatGrewALargeSlabLeavesItToNobody() {
        var bench = new Bench(4096);
        var range = bench.range(10, 0);
        RowEncoder dribbles = (record, row) -> {
            for (var i = 0; i < 100_000; i++) row.put((byte) ('a' + i % 26));
            return RowEncoder.Encoded.WRITTEN;
        };
        bench.row(0, dribbles, new byte[0]);
        RowEncoder poison = (record, row) -> {
            for (var i = 0; i < 100_000; i++) row.put((byte) '!');
            return new RowEncoder.Encoded.Poison("size", "");
        };
        bench.row(1, poison, new byte[0]);
        for (var i = 2; i < 9; i++) {
            bench.row(i, "tiny");
            bench.builder.handOver();
        }
        range.close();
        assertThat(bench.chunks).hasSize(8);
        var large = bench.chunks.getFirst();
        assertThat(large.byteCount()).isEqualTo(100_000);
        for (var row = 0; row < 100_000; row += 997)
            assertThat(large.array()[large.start(0) + row]).isEqualTo((byte) ('a' + row % 26));
        for (var small : bench.chunks.subList(1, 8))
            assertThat(small.array().length).isEqualTo(4096);
        bench.settleAll();
    }

    @Test
    void aRowThatGrowsByteByByteThroughSeveralSlabsIsWhole() {
        for (var size = 1; size < 3 * TARGET; size += 7) {
            var bench = new Bench();
            var range = bench.range(10, 0);
            var length = size;
            RowEncoder dribbles = (record, row) -> {
                for (var i = 0; i < length; i++) row.put((byte) ('a' + i % 26));
                row.putAscii("|end");
                return RowEncoder.Encoded.WRITTEN;
            };
            bench.row(0, "first");
            bench.row(1, dribbles, new byte[0]);
            bench.row(2, "last");
            bench.builder.handOver();
            range.close();
            var expected = new StringBuilder();
            for (var i = 0; i < length; i++) expected.append((char) ('a' + i % 26));
            assertThat(bench.rows()).containsExactly("first", expected + "|end", "last");
            bench.settleAll();
        }
    }

    @Test
    @Tag("CKP-2")
    void skippedAndPoisonRowsLeaveNoByteBehind() {
        var bench = new Bench();
        var range = bench.range(10, 0);
        RowEncoder skips = (record, row) -> {
            row.putAscii("half a row");
            return new RowEncoder.Encoded.Skipped("tombstone");
        };
        RowEncoder poison = (record, row) -> {
            row.putAscii("x".repeat(2 * TARGET));
            return new RowEncoder.Encoded.Poison("decode", "at 4");
        };
        bench.row(0, skips, new byte[0]);
        bench.row(1, "one");
        assertThat(bench.row(2, poison, new byte[0])).isEqualTo(new RowEncoder.Encoded.Poison("decode", "at 4"));
        bench.row(3, skips, new byte[0]);
        bench.row(4, "two");
        bench.row(5, poison, new byte[0]);
        bench.builder.handOver();
        range.close();
        assertThat(bench.rows()).containsExactly("one", "two");
        assertThat(bench.budget.bytes()).isEqualTo(6);
        bench.settleAll();
        assertThat(bench.tracker.watermark()).isEqualTo(10);
    }

    @Test
    void anEncoderThatThrowsLeavesNoByteBehindEither() {
        var bench = new Bench();
        var range = bench.range(10, 0);
        RowEncoder throwing = (record, row) -> {
            row.putAscii("half a row");
            throw new IllegalStateException("a bug");
        };
        bench.row(0, "one");
        assertThatThrownBy(() -> bench.row(1, throwing, new byte[0])).isInstanceOf(IllegalStateException.class);
        bench.row(2, "two");
        bench.builder.handOver();
        range.close();
        assertThat(bench.rows()).containsExactly("one", "two");
        bench.settleAll();
    }

    @Test
    @Tag("CKP-2")
    void aRangeOfSkippedRowsIsDoneWhenTheSourceClosesIt() {
        var bench = new Bench();
        var range = bench.range(10, 0);
        bench.row(0, (record, row) -> new RowEncoder.Encoded.Skipped("filter"), new byte[0]);
        range.close();
        bench.builder.handOver();
        assertThat(bench.chunks).isEmpty();
        assertThat(bench.tracker.watermark()).isEqualTo(10);
        bench.settleAll();
    }

    @Test
    @Tag("CKP-5")
    void offsetGapsBeyondTwoBillionBeginANewChunk() {
        var bench = new Bench();
        var range = bench.range(Long.MAX_VALUE, 0);
        var edge = 5L + Integer.MAX_VALUE;
        bench.row(5, "a");
        bench.row(edge, "b");
        bench.row(edge + 1, "c");
        bench.row(Long.MAX_VALUE - 1, "d");
        bench.builder.handOver();
        range.close();
        assertThat(bench.chunks).hasSize(3);
        assertThat(offsets(bench.chunks.get(0))).containsExactly(5, edge);
        assertThat(offsets(bench.chunks.get(1))).containsExactly(edge + 1);
        assertThat(offsets(bench.chunks.get(2))).containsExactly(Long.MAX_VALUE - 1);
        bench.settleAll();
    }

    @Test
    void aFullIndexEndsAChunkAndEmptyRowsAreRows() {
        var bench = new Bench();
        var range = bench.range(1000, 0);
        for (var i = 0; i < 200; i++) bench.row(i, "");
        bench.builder.handOver();
        range.close();
        assertThat(bench.chunks.stream().mapToInt(EncodedChunk::rows).sum()).isEqualTo(200);
        assertThat(bench.chunks.stream().flatMapToLong(chunk -> Arrays.stream(offsets(chunk))))
                .containsExactlyElementsOf(LongStream.range(0, 200).boxed().toList());
        bench.settleAll();
    }

    @Test
    @Tag("CKP-3")
    void aChunkThatSpansRangesHoldsAPartOfEachAndEachResolvesWithIt() {
        var bench = new Bench();
        bench.range(10, 100).close();
        var second = bench.range(20, 200);
        bench.row(10, "a");
        second.close();
        var third = bench.range(30, 300);
        bench.row(20, "b");
        third.close();
        bench.builder.handOver();
        assertThat(bench.chunks).hasSize(1);
        assertThat(bench.chunks.getFirst().polledNanos())
                .as("of its oldest row")
                .isEqualTo(200);
        assertThat(bench.tracker.watermark()).as("only the empty range").isEqualTo(10);
        bench.settleAll();
        assertThat(bench.tracker.watermark()).isEqualTo(30);
        assertThat(bench.resolutions).hasSize(3);
    }

    @Test
    @Tag("CKP-3")
    void aRangeThatIsSplitOverChunksResolvesWithTheLast() {
        var bench = new Bench();
        var range = bench.range(10, 0);
        bench.row(0, "a".repeat(TARGET));
        bench.row(1, "b".repeat(TARGET));
        bench.row(2, "c");
        bench.builder.handOver();
        range.close();
        assertThat(bench.chunks).hasSize(3);
        bench.chunks.get(2).settle(Ending.WRITTEN);
        bench.chunks.get(0).settle(Ending.ABANDONED);
        assertThat(bench.resolutions).isEmpty();
        bench.chunks.get(1).settle(Ending.WRITTEN);
        assertThat(bench.resolutions).as("the worst of its parts").containsExactly(Resolution.FAILED);
        assertThat(bench.handles.count()).isZero();
    }

    @Test
    void aRowBeforeItsRangeIsABug() {
        var bench = new Bench();
        assertThatThrownBy(() -> bench.row(0, "a")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Tag("ADM-1")
    void aChunkHasOneLeaseAndItsSecondEndingChangesNothing() {
        var bench = new Bench();
        var range = bench.range(10, 0);
        bench.row(0, "abc");
        bench.builder.handOver();
        range.close();
        var chunk = bench.chunks.getFirst();
        assertThat(chunk.settle(Ending.WRITTEN)).isTrue();
        assertThat(chunk.settle(Ending.ABANDONED)).isFalse();
        chunk.close();
        assertThat(bench.budget.rows()).isZero();
        assertThat(bench.resolutions).containsExactly(Resolution.DONE);
        assertThat(bench.tally.abandoned()).isZero();
        assertThat(bench.handles.count()).isZero();
    }
}
