package dev.millrace.checkpoint;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// What is committed beside an offset under effectively-once delivery: which segments from there
/// on are cut, in order and without a hole, and what they were cut for.
///
/// `fingerprint` is of the settings that decide which rows a batch has; `cluster` of the Kafka
/// cluster whose offsets these are. `newestTokens` has, for each shard that keeps tokens for ever,
/// by the hash of its name, the first eight bytes of the newest token that was acknowledged.
public record Plan(
        long fingerprint, TopicId topicId, int cluster, SortedMap<Integer, Long> newestTokens, List<Segment> segments) {
    public Plan {
        newestTokens = Collections.unmodifiableSortedMap(new TreeMap<>(newestTokens));
        segments = List.copyOf(segments);
        for (var i = 1; i < segments.size(); i++)
            if (segments.get(i).from() != segments.get(i - 1).to())
                throw new IllegalArgumentException(
                        "segment " + segments.get(i) + " does not follow " + segments.get(i - 1));
    }
}
