package dev.millrace.checkpoint;

import java.util.Objects;

/// A partition of one incarnation of a topic. Ours, so that nothing below the source knows a Kafka class.
public record SourcePartition(String topic, TopicId topicId, int partition) implements Comparable<SourcePartition> {
    public SourcePartition {
        if (topic.isEmpty()) throw new IllegalArgumentException("a topic has a name");
        Objects.requireNonNull(topicId, "topicId");
        if (partition < 0) throw new IllegalArgumentException("partition " + partition + " < 0");
    }

    @Override
    public int compareTo(SourcePartition other) {
        var byTopic = topic.compareTo(other.topic);
        if (byTopic != 0) return byTopic;
        var byPartition = Integer.compare(partition, other.partition);
        return byPartition != 0 ? byPartition : topicId.text().compareTo(other.topicId.text());
    }

    /// `topic-partition`, as Kafka's own tools write it.
    @Override
    public String toString() {
        return topic + "-" + partition;
    }
}
