package dev.millrace.checkpoint;

/// What one poll gave of one partition in one epoch: offsets `[from, next)`, where `next` is the consumer's position
/// after the poll, so
/// transaction markers and compacted holes lie inside a range, never between two.
///
/// A poll that moved the position and gave no record is a range too; it is done at once. A range never spans two leader
/// epochs
/// (`leaderEpoch` is −1 where unknown): that of its last record goes into the commit, so that the broker can tell a
/// truncated log.
public record Range(SourcePartition partition, long epoch, int leaderEpoch, long from, long next) {
    public Range {
        if (from < 0 || next <= from)
            throw new IllegalArgumentException(partition + ": range [" + from + ", " + next + ") is empty or negative");
        if (leaderEpoch < -1) throw new IllegalArgumentException(partition + ": leader epoch " + leaderEpoch);
    }
}
