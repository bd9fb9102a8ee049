package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.RowTally;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// One partition as told to people, also one that this process had and has no more. What is unknown is null.
///
/// Polled rows are, for each sink that takes the topic: encoded (its tally) + skipped + its letters + dropped +
/// waiting. Dropped rows were polled and never encoded; they replay. `position` is one past the last offset taken,
/// `watermark` what is
/// done contiguously, `headNanos` how long the head of the partition has been where it is (0 with nothing pending).
///
/// @param member the group member of this process that owns it, negative for none
/// @param lag offsets between the watermark and the log's end as last seen, null where that is unknown; what is behind
///     a transaction that is open counts in none
/// @param transaction one that hangs there, null for none
public record PartitionView(
        SourcePartition partition,
        int member,
        long polled,
        long dropped,
        long waiting,
        List<SinkRows> sinks,
        @Nullable Long watermark,
        @Nullable Long position,
        @Nullable Long committed,
        int pending,
        long headNanos,
        @Nullable String blockedBy,
        @Nullable Long lag,
        @Nullable HangingTransaction transaction) {
    public PartitionView {
        sinks = List.copyOf(sinks);
    }

    /// Too many of its rows are poison: nothing more of it is taken until somebody changes something (POI-13).
    public boolean drifts() {
        return Owned.DRIFT.equals(blockedBy);
    }

    /// The rows of one sink; the tally is alive, and goes on counting.
    ///
    /// `deadLettered`, `lettersOut` and `lettersLeft` are rows that never became one of the sink: in
    /// the dead-letter topic, on their way there, and given up before it had them. `poison` tells by
    /// their reasons what `skipped` or these hold.
    public record SinkRows(
            String sink,
            RowTally tally,
            SortedMap<String, Long> skipped,
            SortedMap<String, Long> poison,
            long deadLettered,
            long lettersOut,
            long lettersLeft) {
        public SinkRows {
            skipped = Collections.unmodifiableSortedMap(new TreeMap<>(skipped));
            poison = Collections.unmodifiableSortedMap(new TreeMap<>(poison));
        }

        public long skippedRows() {
            return skipped.values().stream().mapToLong(Long::longValue).sum();
        }
    }
}
