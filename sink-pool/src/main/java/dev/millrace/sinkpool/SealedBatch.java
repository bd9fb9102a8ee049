package dev.millrace.sinkpool;

import org.jspecify.annotations.Nullable;

/// Rows, bytes and token, frozen. Every attempt on every replica sends exactly this (SEAL-4).
///
/// `id` counts the shard's batches of this run, from 1.
public record SealedBatch(
        long id, ShardId shard, int lane, SealReason reason, BatchRows rows, Token token, long sealedNanos) {
    /// Of all its rows: see [RowEncoder#layout].
    public int layout() {
        return rows.slices().getFirst().chunk().layout();
    }

    /// Whose rows for this shard they are; null for a batch that is of no segment.
    public @Nullable PlannedSegment segment() {
        return rows.slices().getFirst().chunk().segment();
    }
}
