package dev.millrace.kafka;

import java.util.Set;

/// Which offsets are asked about: of these topics and partitions, all that the source reads where
/// there are none, between two bounds.
public record StretchesAsked(Set<String> topics, Set<Integer> partitions, OffsetBound from, OffsetBound to) {
    public StretchesAsked {
        topics = Set.copyOf(topics);
        partitions = Set.copyOf(partitions);
    }

    boolean asks(int partition) {
        return partitions.isEmpty() || partitions.contains(partition);
    }
}
