package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How items become chunks, and what these hold of the heap.
final class ItemChunksTest {
    private static final int SLAB = 64 << 10;
    private static final long MIB = 1 << 20;

    private final List<EncodedChunk> done = new ArrayList<>();
    private final AdmissionBudget budget = new AdmissionBudget(1_000_000, 64 * MIB, 0.5);
    private final ItemChunks<String> chunks = chunks(0);

    /// Of two shards.
    private ItemChunks<String> chunks(int lanes) {
        return new ItemChunks<>(
                new Fronted.Encoder(),
                budget,
                new SlabPool(SLAB, 0),
                List.of(lanes, lanes),
                (_, _, _, _) -> {},
                (_, chunk, _) -> done.add(chunk),
                null);
    }

    private void add(String tenant, String item, long nowNanos) {
        assertThat(chunks.add(Way.STAGED, new Link.Item<>(tenant, item, 10), 1, nowNanos))
                .isEqualTo(RowEncoder.Encoded.WRITTEN);
    }

    /// Bytes of all slabs that hold a chunk.
    private long pinned() {
        var slabs = Collections.<byte[]>newSetFromMap(new IdentityHashMap<>());
        for (var chunk : done) slabs.add(chunk.array());
        return slabs.stream().mapToLong(slab -> slab.length).sum();
    }

    @Test
    @Tag("ADM-1")
    void manyTenantsWithARowEachHoldLittleMoreThanTheirRows() {
        for (var turn = 0; turn < 200; turn++) {
            for (var tenant = 0; tenant < 500; tenant++) add("tenant " + tenant, tenant % 2 + ":row", turn);
            chunks.handOver(turn);
        }
        assertThat(done.stream().mapToLong(EncodedChunk::rows).sum()).isEqualTo(100_000);
        assertThat(budget.rows()).isEqualTo(100_000);
        // 600 KB of rows, and at most 64 slabs of each shard that are not full.
        assertThat(pinned()).isLessThan(MIB + 2 * 64 * SLAB);
    }

    private static Link.Item<String> item(String text) {
        return new Link.Item<>("orders", text, 10);
    }

    @Test
    @Tag("SEAL-8")
    void whatComesInAnotherLayoutGoesBehindWhatIsOpenOfItsLane() {
        var ordered = chunks(64);
        for (var text : List.of("a", "new a", "b", "a", "new b", "new a")) ordered.add(Way.STAGED, item(text), 1, 5);
        ordered.handOver(5);
        assertThat(done)
                .extracting(chunk -> chunk.target().lane(), EncodedChunk::layout)
                .as("a as it is, new, as it is and new again; b in a lane of its own")
                .containsExactly(
                        tuple(lane("a"), 0),
                        tuple(lane("a"), 1),
                        tuple(lane("b"), 0),
                        tuple(lane("a"), 0),
                        tuple(lane("b"), 1),
                        tuple(lane("a"), 1));
        assertThat(lane("a")).isNotEqualTo(lane("b"));
    }

    private static int lane(String key) {
        return KeyLane.of(key.hashCode(), 64);
    }

    @Test
    void withoutOrderLayoutsAreOpenSideBySide() {
        for (var text : List.of("a", "new a", "a", "new a")) chunks.add(Way.STAGED, item(text), 1, 5);
        chunks.handOver(5);
        assertThat(done).extracting(EncodedChunk::rows, EncodedChunk::layout).containsExactly(tuple(2, 0), tuple(2, 1));
    }

    @Test
    void oneTenantsRowsAreOneChunkUntilItIsHandedOver() {
        for (var row = 0; row < 10; row++) add("orders", "row " + row, 5);
        assertThat(chunks.oldestNanos()).isEqualTo(5);
        chunks.handOver(4);
        assertThat(done).isEmpty();
        chunks.handOver(5);
        assertThat(done).hasSize(1);
        assertThat(done.getFirst().rows()).isEqualTo(10);
        assertThat(chunks.oldestNanos()).isEqualTo(NanoClock.NEVER);
    }
}
