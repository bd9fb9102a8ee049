package dev.millrace.kafka;

/// How much of the budget one segment of one partition may take: what waits for plans, all
/// partitions together, is less than half of it, which a dead shard leaves over, and a partition
/// whose plans nobody commits must leave room for the others.
public record SegmentShare(long rows, long bytes) {
    /// Of a partition's part of the budget.
    static final long PARTS = 2 * (Segments.MOST_WAITING + 1L);

    /// `partitions` are those of one process.
    public static SegmentShare of(long budgetRows, long budgetBytes, int partitions) {
        var parts = PARTS * (partitions + 1L);
        return new SegmentShare(Math.max(1, budgetRows / parts), Math.max(1, budgetBytes / parts));
    }
}
