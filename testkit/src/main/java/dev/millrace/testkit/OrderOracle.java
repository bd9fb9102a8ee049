package dev.millrace.testkit;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// O5: rows land for the first time in the order of their offsets. With order by key, those of one key, whoever sends
/// them; without, with one batch in flight and no end of its attempts, those of one partition and shard within one
/// epoch.
///
/// What a store loses and is sent again does not count, nor does a row that was set aside. Nor do rows of a topic that
/// was made anew, which are read from where the one before was, and rows that the log has no more: nobody could read
/// one again of which a request was still on its way when others went on behind the gap.
///
/// Thread ownership: the run.
final class OrderOracle {
    private sealed interface Stream {
        /// Epochs number stretches of owning one partition.
        record OfSender(SentBatch.Sender sender, long epoch) implements Stream {}

        /// Of one life of a partition.
        record OfKey(int partition, int shard, int key) implements Stream {}
    }

    private record Row(int partition, long offset) {}

    private static final class Landed {
        final Set<Long> offsets = new HashSet<>();
        long highest = -1;
    }

    private final World world;
    private final Map<Stream, Landed> streams = new HashMap<>();
    private final Set<Row> setAside = new HashSet<>();

    OrderOracle(World world) {
        this.world = world;
    }

    /// It is poison, and rows behind it go on.
    void setAside(int partition, long offset) {
        setAside.add(new Row(partition, offset));
    }

    void stored(SentBatch batch, int block) {
        var byKey = world.scenario.source().ordered();
        if (!byKey && !batch.sender.inOrder()) return;
        Landed of = null;
        var epoch = -1L;
        for (var row = batch.from(block); row < batch.to(block); row++) {
            if (byKey) {
                var key = key(batch.partitions[row], batch.offsets[row], batch.sender.route());
                landed(streams.computeIfAbsent(key, _ -> new Landed()), batch, row);
                continue;
            }
            if (of == null || batch.epochs[row] != epoch) {
                epoch = batch.epochs[row];
                of = streams.computeIfAbsent(new Stream.OfSender(batch.sender, epoch), _ -> new Landed());
            }
            landed(of, batch, row);
        }
    }

    private Stream key(int p, long offset, int route) {
        return new Stream.OfKey(p, world.log.shardOf(p, offset, route), world.log.keyOf(p, offset));
    }

    private void landed(Landed of, SentBatch batch, int row) {
        var offset = batch.offsets[row];
        if (!of.offsets.add(offset)) return;
        if (offset > of.highest) {
            of.highest = offset;
            return;
        }
        var p = batch.partitions[row];
        if (setAside.contains(new Row(p, offset)) || world.log.life(p).anew || !world.log.isReadable(p, offset)) return;
        throw new Violation("O5", p + "@" + offset + " lands for the first time after " + of.highest + " had landed");
    }
}
