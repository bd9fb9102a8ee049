package dev.millrace.config;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Offsets of one partition, `first` to `last`, that are left unread by a person's decision: `orders-3@200`, or
/// `orders-3@200-263` for several.
public record SkippedOffsets(String topic, int partition, long first, long last) {
    static final String RULE = "TOPIC-PARTITION@OFFSET or TOPIC-PARTITION@FIRST-LAST, such as orders-3@200";
    private static final Pattern FORM =
            Pattern.compile("([a-zA-Z0-9._-]{1,249})-([0-9]{1,6})@([0-9]{1,18})(?:-([0-9]{1,18}))?");

    public SkippedOffsets {
        Require.matches("topic", Names.isTopic(topic), topic);
        Require.atLeast("partition", partition, 0);
        Require.atLeast("first", first, 0);
        Require.atLeast("last", last, first);
    }

    /// Null for anything else.
    static @Nullable SkippedOffsets parse(String text) {
        var match = FORM.matcher(text);
        if (!match.matches() || !Names.isTopic(match.group(1))) return null;
        var first = Long.parseLong(match.group(3));
        var last = match.group(4) == null ? first : Long.parseLong(match.group(4));
        return last < first ? null : new SkippedOffsets(match.group(1), Integer.parseInt(match.group(2)), first, last);
    }

    @Override
    public String toString() {
        return topic + "-" + partition + "@" + first + (last > first ? "-" + last : "");
    }
}
