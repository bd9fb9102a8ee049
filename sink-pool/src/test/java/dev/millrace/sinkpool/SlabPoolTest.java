package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class SlabPoolTest {
    /// A chunk as it was when it was cut, and the attempts that have it.
    private static final class Out {
        final EncodedChunk chunk;
        final BatchRows rows;
        final String bytes;
        int attempts;
        boolean settled;

        Out(EncodedChunk chunk) {
            this.chunk = chunk;
            rows = BatchRows.of(List.of(chunk));
            bytes = Bytes.sent(rows);
        }

        void compare() {
            assertThat(Bytes.sent(rows)).isEqualTo(bytes);
            for (var row = 1; row < chunk.rows(); row++)
                assertThat(chunk.offset(row)).isEqualTo(chunk.offset(row - 1) + 1);
        }
    }

    private static final class Bench {
        final List<Out> out = new ArrayList<>();
        final Set<byte[]> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
        final SlabPool pool;
        final ChunkBuilder builder;
        private long offset;

        Bench(int slabBytes, long keptBytes) {
            pool = new SlabPool(slabBytes, keptBytes);
            var partition = Source.partition("orders", 0);
            builder = new ChunkBuilder(
                    partition,
                    1,
                    new Target(0, 0, 0),
                    new SlabSource(pool),
                    new AdmissionBudget(1_000_000, 1L << 40, 0.5),
                    new RowTally(),
                    chunk -> {
                        out.add(new Out(chunk));
                        arrays.add(chunk.array());
                    });
            var tracker = new PartitionTracker(partition, 1, 0, -1, 1_000_000, new OpenHandles());
            builder.begin(tracker.register(0, 1L << 40, -1, tracker::resolve), 0);
        }

        void row(String text) {
            builder.append(new FakeRecord("orders", 0, offset++, Bytes.of(text)), FakeRecord.AS_IS);
        }
    }

    @Property(tries = 300, shrinking = ShrinkingMode.BOUNDED)
    @Tag("WRT-9")
    void noSlabIsFilledAgainWhileSomebodyMayReadIt(
            @ForAll long seed, @ForAll @IntRange(min = 200, max = 4000) int slabBytes) {
        var random = new SplittableRandom(seed);
        var bench = new Bench(slabBytes, 1 << 20);
        for (var step = 0; step < 600; step++) {
            var one = bench.out.isEmpty() ? null : bench.out.get(random.nextInt(bench.out.size()));
            switch (random.nextInt(10)) {
                case 0 -> bench.builder.handOver();
                case 1, 2 -> {
                    if (one != null && !one.settled) {
                        one.rows.reading();
                        one.attempts++;
                    }
                }
                case 3 -> {
                    if (one != null && one.attempts > 0) {
                        one.compare();
                        one.attempts--;
                        one.rows.readNoMore();
                    }
                }
                case 4, 5 -> {
                    if (one != null && !one.settled) {
                        one.compare();
                        one.settled = true;
                        one.chunk.settle(random.nextInt(8) == 0 ? Ending.ABANDONED : Ending.WRITTEN);
                    }
                }
                default -> {
                    var length = random.nextInt(30) == 0 ? 2 * slabBytes : 1 + random.nextInt(60);
                    bench.row(Character.toString('a' + random.nextInt(26)).repeat(length));
                }
            }
            bench.out.removeIf(each -> each.settled && each.attempts == 0);
        }
        bench.out.forEach(Out::compare);
    }

    @Test
    @DisplayName("what a peak took is given up once as much as is kept came back without it")
    void thePeaksSlabsAreGivenUp() {
        var pool = new SlabPool(1024, 8 * 1024);
        var peak = new ArrayList<Slab>();
        for (var i = 0; i < 8; i++) peak.add(pool.take(1, 1));
        peak.forEach(pool::give);
        assertThat(pool.keptBytes()).isEqualTo(8 * 1024);
        for (var turn = 0; turn < 4; turn++) {
            assertThat(pool.keptBytes()).as("turn " + turn).isEqualTo(8 * 1024);
            var two = List.of(pool.take(1, 1), pool.take(1, 1));
            two.forEach(pool::give);
        }
        assertThat(pool.keptBytes()).as("what was in use at once").isEqualTo(2 * 1024);
    }

    @Test
    @DisplayName("WRT-9: a slab whose chunks are written and not read is filled again, and no other")
    void slabsAreFilledAgain() {
        var bench = new Bench(2048, 1 << 20);
        for (var batch = 0; batch < 100; batch++) {
            for (var i = 0; i < 100; i++) bench.row("x".repeat(40));
            bench.builder.handOver();
            bench.out.forEach(each -> each.chunk.settle(Ending.WRITTEN));
            bench.out.clear();
        }
        assertThat(bench.arrays).hasSizeLessThan(10);

        // What is given up may be on its way to somewhere.
        var before = bench.arrays.size();
        for (var batch = 0; batch < 100; batch++) {
            for (var i = 0; i < 100; i++) bench.row("x".repeat(40));
            bench.builder.handOver();
            bench.out.forEach(each -> each.chunk.settle(Ending.ABANDONED));
            bench.out.clear();
        }
        assertThat(bench.arrays).hasSizeGreaterThan(before + 150);
    }

    @Test
    @DisplayName("ADM-1: no more slabs are kept than the bound says")
    void keepsNoMoreThanItsBound() {
        var bench = new Bench(2048, 3 * 2048);
        for (var i = 0; i < 10_000; i++) bench.row("x".repeat(40));
        bench.builder.handOver();
        assertThat(bench.pool.keptBytes()).isZero();
        bench.out.forEach(each -> each.chunk.settle(Ending.WRITTEN));
        assertThat(bench.pool.keptBytes()).isEqualTo(3 * 2048);
    }
}
