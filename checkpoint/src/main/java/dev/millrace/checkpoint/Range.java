package dev.millrace.checkpoint;

/// What one poll gave of one partition in one epoch: offsets `[from, next)`, where `next` is the consumer's position
/// after the poll, so transaction markers and compacted holes lie inside a range, never between two.
///
/// A poll that moved the position and gave no record is a range too; it is done at once. The records of a range never
/// span two leader epochs. `leaderEpoch` is the one that the consumer's position has at `next` (−1 where unknown); it
/// goes into the commit, so that the broker can tell a truncated log. Behind the last record there may be markers of
/// a later epoch: its own with `next` would look truncated.
public record Range(SourcePartition partition, long epoch, int leaderEpoch, long from, long next) {
    public Range {
        if (from < 0 || next <= from)
            throw new IllegalArgumentException(partition + ": range [" + from + ", " + next + ") is empty or negative");
        if (leaderEpoch < -1) throw new IllegalArgumentException(partition + ": leader epoch " + leaderEpoch);
    }
}
