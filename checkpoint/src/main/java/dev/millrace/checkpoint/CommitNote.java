package dev.millrace.checkpoint;

import org.jspecify.annotations.Nullable;

/// What stands beside a committed offset. A broker keeps it as an opaque text, and anybody may
/// write there.
///
/// Under at-least-once delivery it is the identity of the topic that the offset counts in (`t1.`),
/// so that a topic that was deleted and made again while nobody looked is told from the one that
/// was read. Under effectively-once delivery it is a plan (`s1.`), which names the topic too.
public sealed interface CommitNote {
    /// None: a first start, or an operator's reset.
    record Nothing() implements CommitNote {}

    record Of(TopicId topicId) implements CommitNote {}

    record Planned(Plan plan) implements CommitNote {}

    /// Ours, and it can't be read: what was open is not known (I9).
    record Unreadable(String why) implements CommitNote {}

    /// Somebody else's.
    record Foreign() implements CommitNote {}

    String PREFIX = "t1.";

    /// The topic that the offset counts in; null where none is told.
    default @Nullable TopicId topic() {
        return switch (this) {
            case Of(var id) -> id;
            case Planned(var plan) -> plan.topicId().equals(TopicId.UNKNOWN) ? null : plan.topicId();
            case Nothing _, Unreadable _, Foreign _ -> null;
        };
    }

    /// What is written beside an offset without a plan.
    static String of(TopicId topicId) {
        return topicId.equals(TopicId.UNKNOWN) ? "" : PREFIX + topicId.text();
    }

    static CommitNote read(CommitEntry entry) {
        return read(entry.metadata(), entry.offset());
    }

    /// What `text` says beside this offset. Never throws.
    static CommitNote read(String text, long offset) {
        if (text.isEmpty()) return new Nothing();
        if (text.startsWith(PlanCodec.PREFIX)) return PlanCodec.decode(text, offset);
        if (!text.startsWith(PREFIX)) return new Foreign();
        var id = text.substring(PREFIX.length());
        return PlanCodec.topicBytes(id) == null ? new Foreign() : new Of(new TopicId(id));
    }
}
