package dev.millrace.kafka;

import dev.millrace.kafka.DeadLetterEntry.Foreign;
import dev.millrace.kafka.DeadLetterEntry.Letter;
import dev.millrace.kafka.DeadLetterEntry.Origin;
import dev.millrace.kafka.DeadLetterEntry.Replayed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// All that a dead-letter topic held when it was read, a row for each record and sink.
///
/// Repeats are folded: letters of the same topic, partition, offset, timestamp and sink are one row (decision of the
/// format: the key of a letter is the original's, so that repeats are told by headers). Bounded by rows; payloads are
/// not kept.
///
/// Thread ownership: who reads the topic.
public final class DeadRows {
    /// About 200 MB of heap at the worst.
    static final int MOST_ROWS = 500_000;

    private static final int MOST_FOREIGN = 1000;

    private record Key(Origin origin, String sink) {}

    private final int mostRows;
    private final Map<Key, DeadRow> newest = new HashMap<>();
    private final Set<Origin> replayed = new HashSet<>();
    private final List<RecordPlace> foreign = new ArrayList<>();
    private final Map<String, String> known = new HashMap<>();
    private long foreignCount;
    private long letters;

    DeadRows(int mostRows) {
        this.mostRows = mostRows;
    }

    /// Returns false where there are more rows than it holds.
    boolean add(DeadLetterEntry entry) {
        switch (entry) {
            case Letter letter -> letter(letter);
            case Replayed(var _, var origin) -> replayed.add(shared(origin));
            case Foreign(var at, var _) -> {
                foreignCount++;
                if (foreign.size() < MOST_FOREIGN) foreign.add(at);
            }
        }
        return newest.size() <= mostRows && replayed.size() <= mostRows;
    }

    private void letter(Letter letter) {
        letters++;
        var slim = slim(letter);
        newest.compute(
                new Key(slim.origin(), slim.sink()),
                (_, before) -> DeadRow.of(slim, before == null ? 0 : before.repeats() + 1, false));
    }

    // A topic names the same few topics, sinks and codes over and over.
    private Letter slim(Letter letter) {
        var reason = letter.reason();
        return new Letter(
                letter.at(),
                shared(letter.origin()),
                shared(letter.pipeline()),
                shared(letter.sink()),
                letter.shard() == null ? null : shared(letter.shard()),
                shared(letter.code()),
                reason.length() <= DeadRow.REASON_LIMIT ? reason : reason.substring(0, DeadRow.REASON_LIMIT - 1) + "…",
                letter.attempts(),
                letter.replays(),
                letter.gone());
    }

    private Origin shared(Origin origin) {
        var place = origin.place();
        return new Origin(
                new RecordPlace(shared(place.topic()), place.partition(), place.offset()), origin.timestamp());
    }

    private String shared(String text) {
        if (known.size() > MOST_FOREIGN) return text;
        return known.computeIfAbsent(text, same -> same);
    }

    /// Those that match, by topic, partition, offset and sink.
    public List<DeadRow> where(DeadLetterWhere where) {
        return newest.entrySet().stream()
                .map(entry -> marked(entry.getValue(), entry.getKey().origin()))
                .filter(where::matches)
                .sorted(Comparator.comparing(DeadRow::origin)
                        .thenComparingLong(DeadRow::timestamp)
                        .thenComparing(DeadRow::sink))
                .toList();
    }

    private DeadRow marked(DeadRow row, Origin origin) {
        if (!replayed.contains(origin)) return row;
        return new DeadRow(
                row.origin(),
                row.timestamp(),
                row.pipeline(),
                row.sink(),
                row.shard(),
                row.code(),
                row.reason(),
                row.attempts(),
                row.replays(),
                row.gone(),
                row.at(),
                row.repeats(),
                true);
    }

    /// The first of the records in the topic that are no dead letters.
    public List<RecordPlace> foreign() {
        return List.copyOf(foreign);
    }

    public long foreignCount() {
        return foreignCount;
    }

    /// Repeats included.
    public long letters() {
        return letters;
    }
}
