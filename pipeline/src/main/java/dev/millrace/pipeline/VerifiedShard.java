package dev.millrace.pipeline;

import java.util.List;

/// What an audit found of one shard in some offsets of one partition.
///
/// `expected` are records that should have a row there: all that the log has and that are routed
/// there, but for those `skipped` by policy and those `deadLettered`. `found` have one, `missing`
/// have none. `doubled` are rows beyond the first of a record, `extra` rows of no record in the log
/// or of one that belongs to another shard. The lists name offsets: examples, as `17` or `40-42`.
public record VerifiedShard(
        String shard,
        long expected,
        long found,
        long missing,
        long doubled,
        long extra,
        long skipped,
        long deadLettered,
        List<String> missingAt,
        List<String> doubledAt,
        List<String> extraAt) {
    public VerifiedShard {
        missingAt = List.copyOf(missingAt);
        doubledAt = List.copyOf(doubledAt);
        extraAt = List.copyOf(extraAt);
    }

    public boolean clean() {
        return missing == 0 && doubled == 0 && extra == 0;
    }
}
