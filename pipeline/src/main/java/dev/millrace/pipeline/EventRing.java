package dev.millrace.pipeline;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/// The last events of a pipeline, by the names that its log has for them. One that comes again takes the place of the
/// earlier one and counts on, so that a replica that flaps, or a thousand poison rows, push nothing else out.
///
/// Independent of `logging.level`. Texts are cut.
///
/// Thread ownership: shared.
final class EventRing {
    private static final int MOST = 64;
    private static final int LONGEST = 300;

    /// Events of one name at one place. `text` is what the last said.
    record Entry(String event, String where, String text, Instant firstAt, Instant at, long count) {}

    private record Key(String event, String where) {}

    private final LinkedHashMap<Key, Entry> entries = new LinkedHashMap<>();

    synchronized void tell(String event, String where, String text, Instant at) {
        var key = new Key(event, where);
        var before = entries.remove(key);
        entries.put(
                key,
                new Entry(
                        event,
                        where,
                        cut(text),
                        before == null ? at : before.firstAt(),
                        at,
                        before == null ? 1 : before.count() + 1));
        if (entries.size() > MOST) entries.pollFirstEntry();
    }

    synchronized List<Entry> newestFirst() {
        return new ArrayList<>(entries.sequencedValues().reversed());
    }

    /// At most [#LONGEST] characters, never half of one.
    static String cut(String text) {
        if (text.length() <= LONGEST) return text;
        var end = LONGEST - 1;
        if (Character.isHighSurrogate(text.charAt(end - 1))) end--;
        return text.substring(0, end) + "…";
    }
}
