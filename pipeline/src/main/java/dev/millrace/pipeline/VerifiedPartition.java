package dev.millrace.pipeline;

import dev.millrace.kafka.LogStretch;
import java.util.List;

/// What an audit found of one partition in one sink.
///
/// `records` is what the log has there. `unknown` offsets are no more in the log, so nothing is
/// said of them, nor of `compactedRows`: the log of a compacted topic has no record of these, and
/// may have had one. `notCommitted` of the missing are at or above what the group has committed:
/// nobody said that they are done.
public record VerifiedPartition(
        String sink,
        LogStretch stretch,
        long records,
        long unknown,
        long compactedRows,
        long notCommitted,
        List<VerifiedShard> shards) {
    public VerifiedPartition {
        shards = List.copyOf(shards);
    }

    public boolean clean() {
        return shards.stream().allMatch(VerifiedShard::clean);
    }
}
