package dev.millrace.kafka;

import dev.millrace.checkpoint.TopicId;

/// What stands beside an offset in a commit: the identity of the topic that it counts in. So a topic that was deleted and
/// made again while nobody looked is told from the one that was read.
///
/// A broker keeps it as an opaque text. `s1.` is what a plan of segments begins with; anything else is somebody else's.
sealed interface TopicNote {
    record Nothing() implements TopicNote {}

    record Of(TopicId topicId) implements TopicNote {}

    /// A plan of segments, by a run with `delivery: effectively_once`.
    record Plan() implements TopicNote {}

    record Foreign() implements TopicNote {}

    String PREFIX = "t1.";
    int ID_LENGTH = 22;

    static String of(TopicId topicId) {
        return topicId.equals(TopicId.UNKNOWN) ? "" : PREFIX + topicId.text();
    }

    static TopicNote read(String metadata) {
        if (metadata.isEmpty()) return new Nothing();
        if (metadata.startsWith("s1.")) return new Plan();
        if (!metadata.startsWith(PREFIX) || metadata.length() != PREFIX.length() + ID_LENGTH) return new Foreign();
        for (var i = PREFIX.length(); i < metadata.length(); i++) {
            var c = metadata.charAt(i);
            if (!(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'))
                return new Foreign();
        }
        return new Of(new TopicId(metadata.substring(PREFIX.length())));
    }
}
