package dev.millrace.checkpoint;

import java.util.Objects;

/// The identity of a topic, which outlives its name: a topic that is deleted and created again has another.
///
/// `text` is the broker's own spelling (22 characters of base64); [#UNKNOWN] where the broker told none.
public record TopicId(String text) {
    public static final TopicId UNKNOWN = new TopicId("");

    public TopicId {
        Objects.requireNonNull(text, "text");
    }

    @Override
    public String toString() {
        return text.isEmpty() ? "unknown" : text;
    }
}
