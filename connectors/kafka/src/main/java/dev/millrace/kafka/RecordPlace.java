package dev.millrace.kafka;

import java.util.Comparator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Where one record stands, written `topic-partition@offset`.
public record RecordPlace(String topic, int partition, long offset) implements Comparable<RecordPlace> {
    private static final Pattern FORM = Pattern.compile("(.+)-([0-9]{1,9})@([0-9]{1,18})");
    private static final Comparator<RecordPlace> ORDER = Comparator.comparing(RecordPlace::topic)
            .thenComparingInt(RecordPlace::partition)
            .thenComparingLong(RecordPlace::offset);

    public RecordPlace {
        if (topic.isEmpty()) throw new IllegalArgumentException("topic is empty");
        if (partition < 0) throw new IllegalArgumentException("partition " + partition + " < 0");
        if (offset < 0) throw new IllegalArgumentException("offset " + offset + " < 0");
    }

    /// Null for a text that names no place.
    public static @Nullable RecordPlace parse(String text) {
        var match = FORM.matcher(text);
        if (!match.matches()) return null;
        return new RecordPlace(match.group(1), Integer.parseInt(match.group(2)), Long.parseLong(match.group(3)));
    }

    @Override
    public int compareTo(RecordPlace other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return topic + "-" + partition + "@" + offset;
    }
}
