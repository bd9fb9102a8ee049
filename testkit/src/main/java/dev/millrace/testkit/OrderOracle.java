package dev.millrace.testkit;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// O5: with one batch in flight and no end of its attempts, the rows of one partition and shard land for the first time
/// in the order of their offsets, within one epoch. What a store loses and is sent again does not count.
///
/// Thread ownership: the run.
final class OrderOracle {
    /// Epochs number stretches of owning one partition.
    private record Stream(SentBatch.Sender sender, long epoch) {}

    private static final class Landed {
        final Set<Long> offsets = new HashSet<>();
        long highest = -1;
    }

    private final Map<Stream, Landed> streams = new HashMap<>();

    void stored(SentBatch batch, int block) {
        if (!batch.sender.inOrder()) return;
        Landed of = null;
        var epoch = -1L;
        for (var row = batch.from(block); row < batch.to(block); row++) {
            if (of == null || batch.epochs[row] != epoch) {
                epoch = batch.epochs[row];
                of = streams.computeIfAbsent(new Stream(batch.sender, epoch), _ -> new Landed());
            }
            var offset = batch.offsets[row];
            if (!of.offsets.add(offset)) continue;
            if (offset < of.highest)
                throw new Violation(
                        "O5",
                        batch.partitions[row] + "@" + offset + " lands for the first time after " + of.highest
                                + " had landed");
            of.highest = offset;
        }
    }
}
