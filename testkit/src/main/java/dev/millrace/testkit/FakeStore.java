package dev.millrace.testkit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The store of one shard, of one [SinkKind]: which blocks it takes for repeats, and what it loses.
///
/// Thread ownership: the run.
final class FakeStore {
    private record Block(SentBatch batch, int number) {}

    private record Known(Block block, long atNanos) {}

    private record Landed(Block block, int replica, long atNanos) {}

    /// What a store remembers of the blocks that it was sent.
    private final class Memory {
        private final ArrayDeque<Known> order = new ArrayDeque<>();
        private final Set<Block> known = new HashSet<>();

        boolean knows(Block block) {
            return known.contains(block);
        }

        void remember(Block block) {
            known.add(block);
            order.addLast(new Known(block, world.agenda.elapsed()));
        }

        void forget(Block block) {
            known.remove(block);
            order.removeIf(entry -> entry.block.equals(block));
        }

        /// By their number and by time.
        void expire() {
            var since = world.agenda.elapsed() - settings.windowNanos();
            while (!order.isEmpty() && (order.size() > settings.windowTokens() || order.getFirst().atNanos < since)) {
                var block = order.removeFirst().block;
                known.remove(block);
                block.batch.expire();
            }
        }
    }

    private final World world;
    private final Scenario.Store settings;
    private final RepeatOracle repeats;
    private final List<Memory> memories = new ArrayList<>();
    private final Map<String, Set<Long>> rowsOf = new HashMap<>();
    private final ArrayDeque<Landed> young = new ArrayDeque<>();

    FakeStore(World world, int replicas, RepeatOracle repeats) {
        this.world = world;
        this.settings = world.scenario.sink().store();
        this.repeats = repeats;
        for (var i = 0; i < (settings.kind() == SinkKind.UNSHARED ? replicas : 1); i++) memories.add(new Memory());
    }

    /// Stores a block that came through a replica, unless it is known for a repeat. Returns how
    /// many rows it stored.
    int store(SentBatch batch, int number, int replica) {
        var block = new Block(batch.takenFor(), number);
        var memory = memories.get(replica % memories.size());
        if (settings.kind() == SinkKind.WINDOWED) memory.expire();
        if (batch.wasStored(number)) world.reached(Sometimes.TOKEN_SEEN_AGAIN);
        if (settings.kind() != SinkKind.AT_LEAST_ONCE) {
            if (memory.knows(block)) {
                world.reached(Sometimes.REPEAT_REFUSED);
                return 0;
            }
            memory.remember(block);
        }
        if (batch.wasStored(number)) {
            if (settings.kind() == SinkKind.WINDOWED) world.reached(Sometimes.TOKEN_EXPIRED_THEN_REPEATED);
            if (settings.kind() == SinkKind.UNSHARED) world.reached(Sometimes.UNSHARED_LOG_REPEAT);
        }
        var known = known(batch);
        repeats.stored(batch, number, known);
        world.order.stored(batch, number);
        if (settings.kind() == SinkKind.LAGGING) young.addLast(new Landed(block, replica, world.agenda.elapsed()));
        return batch.to(number) - batch.from(number) - known.cardinality();
    }

    /// Rows that came in already with other parts of the same batch: what commits tokens with rows
    /// can tell.
    private BitSet known(SentBatch batch) {
        var known = new BitSet();
        if (settings.kind() != SinkKind.TRANSACTIONAL || !world.scenario.planned()) return known;
        var places = rowsOf.computeIfAbsent(batch.root, _ -> new HashSet<>());
        for (var row = 0; row < batch.offsets.length; row++) if (!places.add(batch.offsets[row])) known.set(row);
        if (!known.isEmpty()) world.reached(Sometimes.ROWS_KNOWN_BY_OTHER_PARTS);
        return known;
    }

    /// A replica is lost, with what it alone has.
    void lose(int replica) {
        var since = world.agenda.elapsed() - settings.lagNanos();
        while (!young.isEmpty() && young.getFirst().atNanos < since) young.removeFirst();
        for (Iterator<Landed> all = young.iterator(); all.hasNext(); ) {
            var one = all.next();
            if (one.replica != replica) continue;
            all.remove();
            memories.getFirst().forget(one.block);
            repeats.lost(one.block.batch, one.block.number);
        }
    }
}
