package dev.millrace.kafka;

import org.jspecify.annotations.Nullable;

/// A poison row as a person sees it: all letters of one record and one sink, told by the newest of them.
///
/// `timestamp` is the original record's, in milliseconds, or -1; `at` is where the newest letter stands in the
/// dead-letter topic; `repeats` counts the letters beside it, which a crash before a commit leaves; `replays` is how
/// often the row was replayed before it came here; `replayed` says that it was sent to its topic again since. `reason`
/// is cut to [#REASON_LIMIT] characters. `shard` is null where no shard has seen it; `gone` where the letter holds the
/// row as it was encoded, without key and headers.
public record DeadRow(
        RecordPlace origin,
        long timestamp,
        String pipeline,
        String sink,
        @Nullable String shard,
        String code,
        String reason,
        int attempts,
        int replays,
        boolean gone,
        RecordPlace at,
        int repeats,
        boolean replayed) {
    public static final int REASON_LIMIT = 160;

    static DeadRow of(DeadLetterEntry.Letter letter, int repeats, boolean replayed) {
        return new DeadRow(
                letter.origin().place(),
                letter.origin().timestamp(),
                letter.pipeline(),
                letter.sink(),
                letter.shard(),
                letter.code(),
                letter.reason(),
                letter.attempts(),
                letter.replays(),
                letter.gone(),
                letter.at(),
                repeats,
                replayed);
    }

    DeadLetterEntry.Origin key() {
        return new DeadLetterEntry.Origin(origin, timestamp);
    }
}
