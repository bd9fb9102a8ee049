package dev.millrace.pipeline;

/// The figures of one shard while an audit goes through a partition.
///
/// Thread ownership: the thread that audits.
final class ShardAudit {
    private final String shard;
    private final OffsetRanges missingAt = new OffsetRanges();
    private final OffsetRanges doubledAt = new OffsetRanges();
    private final OffsetRanges extraAt = new OffsetRanges();
    private long found;
    private long missing;
    private long doubled;
    private long extra;
    private long skipped;
    private long deadLettered;

    ShardAudit(String shard) {
        this.shard = shard;
    }

    /// A record with so many rows, one or more.
    void found(long offset, int rows) {
        found++;
        if (rows == 1) return;
        doubled += rows - 1;
        doubledAt.add(offset);
    }

    void missing(long offset) {
        missing++;
        missingAt.add(offset);
    }

    void skipped() {
        skipped++;
    }

    void deadLettered() {
        deadLettered++;
    }

    void extra(long offset, int rows) {
        extra += rows;
        extraAt.add(offset);
    }

    VerifiedShard told() {
        return new VerifiedShard(
                shard,
                found + missing,
                found,
                missing,
                doubled,
                extra,
                skipped,
                deadLettered,
                missingAt.texts(),
                doubledAt.texts(),
                extraAt.texts());
    }
}
