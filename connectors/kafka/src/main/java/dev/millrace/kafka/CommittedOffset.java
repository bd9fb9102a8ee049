package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitNote;
import dev.millrace.checkpoint.TopicId;
import org.jspecify.annotations.Nullable;

/// What a group has committed of one partition, beside what its log is.
///
/// `offset` is −1 where it has committed nothing. `end` is where the log ends for readers of what is
/// committed. `note` is what stands beside the offset, in so many `characters`. `topicId` is the
/// topic's of now.
public record CommittedOffset(
        String topic,
        int partition,
        long offset,
        long start,
        long end,
        CommitNote note,
        int characters,
        TopicId topicId) {
    public boolean committed() {
        return offset >= 0;
    }

    /// How many offsets are not done; null where nothing is committed.
    public @Nullable Long lag() {
        return committed() ? (Long) Math.max(0, end - offset) : null;
    }

    /// The offset counts in a topic of this name that was deleted.
    public boolean ofAnotherTopic() {
        var was = note.topic();
        return was != null && !topicId.equals(TopicId.UNKNOWN) && !was.equals(topicId);
    }
}
