package dev.millrace.kafka;

import dev.millrace.checkpoint.TopicId;

/// What stands beside an offset in a commit: the identity of the topic that it counts in. So a topic that was deleted
/// and made again while nobody looked is told from the one that was read.
///
/// A broker keeps it as an opaque text. `s1.` is what a plan of segments begins with; anything else is somebody
/// else's.
public sealed interface TopicNote {
    record Nothing() implements TopicNote {}

    record Of(TopicId topicId) implements TopicNote {}

    /// A plan of segments, by a run with `delivery: effectively_once`.
    record Plan() implements TopicNote {}

    record Foreign() implements TopicNote {}

    String PREFIX = "t1.";
    int ID_LENGTH = 22;
    String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    static String of(TopicId topicId) {
        return topicId.equals(TopicId.UNKNOWN) ? "" : PREFIX + topicId.text();
    }

    static TopicNote read(String metadata) {
        if (metadata.isEmpty()) return new Nothing();
        if (metadata.startsWith("s1.")) return new Plan();
        if (!metadata.startsWith(PREFIX) || metadata.length() != PREFIX.length() + ID_LENGTH) return new Foreign();
        var id = metadata.substring(PREFIX.length());
        return id.chars().allMatch(c -> ALPHABET.indexOf(c) >= 0) ? new Of(new TopicId(id)) : new Foreign();
    }
}
