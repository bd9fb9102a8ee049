package dev.millrace.kafka;

import java.util.List;

/// The source as told to people, computed when asked.
///
/// @param ready every member has an assignment, which may be empty
/// @param brokersSilentNanos for how long no broker has answered what is asked beside the poll loops; 0 where one has
public record SourceView(
        boolean ready,
        long brokersSilentNanos,
        long maxPollIntervalNanos,
        List<MemberView> members,
        List<PartitionView> partitions,
        SourceCounters counters) {
    public SourceView {
        members = List.copyOf(members);
        partitions = List.copyOf(partitions);
    }

    /// For how long no commit of some member was taken; 0 where they are.
    public long commitsFailNanos() {
        return members.stream().mapToLong(MemberView::commitsFailNanos).max().orElse(0);
    }

    /// Since the slowest poll loop last turned: at half of `maxPollIntervalNanos` the process is ill (OPS-7).
    public long turnAgeNanos() {
        return members.stream().mapToLong(MemberView::turnAgeNanos).max().orElse(0);
    }
}
