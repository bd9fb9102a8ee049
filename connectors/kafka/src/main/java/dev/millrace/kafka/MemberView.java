package dev.millrace.kafka;

/// One group member as told to people.
///
/// @param turnAgeNanos since its poll loop last turned; 0 for one that has ended
/// @param unassignedNanos since it lost its partitions or began to join without an assignment since; 0 with one, an
///     empty one included
/// @param commitsFailNanos for how long no commit was taken though some were sent, once that is no rebalance any more;
///     0 otherwise
public record MemberView(
        int member, Phase phase, int partitions, long turnAgeNanos, long unassignedNanos, long commitsFailNanos) {
    /// What it is doing.
    public enum Phase {
        /// In the group or on the way into it, without an assignment so far.
        JOINING,
        /// Has an assignment, which may be empty.
        ASSIGNED,
        /// Without an assignment for too long.
        UNREADY,
        /// A stop was asked for.
        DRAINING,
        ENDED,
        FAILED
    }
}
