package dev.millrace.kafka;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// What a replay came to. Every row that was meant is replayed, skipped, failed or untried.
///
/// `replayed` rows were acknowledged by their topic; in a dry run they are those that would be sent. `unmarked` of
/// them could not be marked, and would be sent again. `untried` are those left when it was stopped, or when the
/// cluster took nothing more, which `stopped` tells. `failures` are lines for the first of those that failed.
public record ReplayReport(
        long replayed,
        Map<Skip, Long> skipped,
        long failed,
        long unmarked,
        long untried,
        List<String> failures,
        String stopped) {
    /// Why a row is not sent.
    public enum Skip {
        REPLAYED("replayed already; --force sends them again"),
        TOO_OFTEN("replayed --max-replays times; mend the cause, then --force"),
        GONE("the original is gone, the letter holds the row as it was encoded; --force sends that"),
        OTHER_SINK("the same record, set aside for another sink too; sent once"),
        NOT_READ("of a topic that this pipeline does not read"),
        NO_TOPIC("their topic is not there any more"),
        FOREIGN("not written by Millrace");

        private final String text;

        Skip(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    public ReplayReport {
        var copy = new EnumMap<Skip, Long>(Skip.class);
        copy.putAll(skipped);
        skipped = Collections.unmodifiableMap(copy);
        failures = List.copyOf(failures);
    }

    public long skippedRows() {
        return skipped.values().stream().mapToLong(Long::longValue).sum();
    }

    /// Nothing failed, nothing is left.
    public boolean whole() {
        return failed == 0 && unmarked == 0 && untried == 0;
    }
}
