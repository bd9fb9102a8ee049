package dev.millrace.testkit;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.EncodedChunk;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// O5: with one batch in flight and no end of its attempts, the rows of one partition and shard land for the first time
/// in the order of their offsets, within one epoch.
///
/// Thread ownership: the run.
final class OrderOracle {
    private record Stream(SourcePartition partition, long epoch, int shard) {}

    private record Piece(EncodedChunk chunk, int fromRow) {}

    private final boolean promised;
    private final Set<Piece> seen = new HashSet<>();
    private final Map<Stream, Long> landed = new HashMap<>();

    OrderOracle(Scenario scenario) {
        promised = scenario.sink().maxInFlight() == 1 && scenario.sink().retry().maxAttempts() == 0;
    }

    void landed(int shard, BatchRows rows) {
        if (!promised) return;
        for (var slice : rows.slices()) {
            var chunk = slice.chunk();
            if (!seen.add(new Piece(chunk, slice.fromRow()))) continue;
            var stream = new Stream(chunk.partition(), chunk.epoch(), shard);
            var highest = landed.getOrDefault(stream, -1L);
            var first = chunk.offset(slice.fromRow());
            var last = chunk.offset(slice.toRow() - 1);
            if (first <= highest)
                throw new Violation("O5", chunk + " lands for the first time after " + highest + " had landed");
            landed.put(stream, last);
        }
    }
}
