package dev.millrace.kafka;

import java.util.List;

/// The source as told to people, computed when asked. `ready`: every member has an assignment, which may be empty.
public record SourceView(
        boolean ready,
        long maxPollIntervalNanos,
        List<MemberView> members,
        List<PartitionView> partitions,
        SourceCounters counters) {
    public SourceView {
        members = List.copyOf(members);
        partitions = List.copyOf(partitions);
    }

    /// Since the slowest poll loop last turned: at half of `maxPollIntervalNanos` the process is ill (OPS-7).
    public long turnAgeNanos() {
        return members.stream().mapToLong(MemberView::turnAgeNanos).max().orElse(0);
    }
}
