package dev.millrace.sinkpool;

/// The segment `[from, to)` of its partition that a chunk's rows are of: all rows of one for one
/// shard are one batch, under a token that anybody who rebuilds the batch gets again.
///
/// `sinceNanos`: nobody sent a byte of it before then, on this process's monotonic clock; it may
/// be negative.
/// `replayed`: it was read from a plan, so it may have been sent before. `split`: parts of its
/// batches may have been, under tokens of their own.
public record PlannedSegment(long from, long to, long sinceNanos, boolean replayed, boolean split) {}
