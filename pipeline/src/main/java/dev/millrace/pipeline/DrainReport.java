package dev.millrace.pipeline;

import dev.millrace.config.Redaction;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a run did and what it left. A null is a truth that is not known; it is never told as zero
/// (DRN-3).
///
/// Where all is known, the rows of each sink add up: polled = delivered + skipped + deadLettered +
/// abandoned + inDoubt. Those of the run are the sums over its sinks, where a row counts once for each
/// sink that takes it, but for `polled`, which counts it once; with one sink they add up alike.
/// Advisory sinks are in none of these sums. `possibleDuplicates` is the most rows that this run
/// may have stored twice, those of its shards and those that its plans tell. `offsetsSkipped` were left unread by the
/// file's word, and are in no other sum. `drained` means that
/// nothing taken is left undone; `caughtUp` that no backlog is left.
/// `posted` is what an intake answered, and null where a log was read: of posted rows `rows.polled` are those taken in,
/// and what is abandoned or in doubt is lost.
public record DrainReport(
        String pipeline,
        String version,
        Instant startedAt,
        Instant endedAt,
        String reason,
        int exitCode,
        boolean cutShort,
        double drainSeconds,
        double drainBudgetSeconds,
        @Nullable Boolean drained,
        @Nullable Boolean caughtUp,
        Rows rows,
        long batchesDelivered,
        long possibleDuplicates,
        long offsetsSkipped,
        List<Partition> partitions,
        List<SinkEnd> sinks,
        List<AdvisoryEnd> advisory,
        @Nullable IntakeView posted) {
    /// The version of this shape, first in the document.
    public static final int SCHEMA = 1;

    public DrainReport {
        partitions = List.copyOf(partitions);
        sinks = List.copyOf(sinks);
        advisory = List.copyOf(advisory);
    }

    /// As one JSON document on one line, names in snake case.
    public String json() {
        return json(Redaction.NONE);
    }

    /// The same without these secrets: what a server answered may hold one.
    public String json(Redaction redaction) {
        return ReportJson.of(this, redaction);
    }

    /// Rows of this run. `delivered` includes `duplicate`, those the sink said it had; `abandoned` were
    /// given up and not stored by this run, `inDoubt` after an attempt of which nobody knows how it
    /// ended. Both replay.
    public record Rows(
            long polled,
            long delivered,
            long duplicate,
            long skipped,
            long deadLettered,
            @Nullable Long abandoned,
            @Nullable Long inDoubt) {}

    /// One partition that this run owned at its end. `taken` is one past the last offset polled.
    /// `undelivered` is `end` − `committed` in offsets, an upper bound of rows where the log has holes.
    public record Partition(
            String topic,
            int partition,
            @Nullable Long committed,
            @Nullable Long end,
            @Nullable Long undelivered,
            long taken,
            @Nullable String blockedBy) {}

    /// One sink that is waited for. `level` is what was promised of repeats at the end; null where
    /// the sink was not asked. `rows.polled` are those of the topics that it takes.
    public record SinkEnd(String name, @Nullable String level, Rows rows, List<ShardEnd> shards) {
        public SinkEnd {
            shards = List.copyOf(shards);
        }
    }

    /// One shard. With `lowerBound` its worker died or overran, and its counts are what is known
    /// at least.
    /// `possibleDuplicates` is the most rows that this run may have stored twice.
    public record ShardEnd(
            String shard,
            State state,
            boolean lowerBound,
            long rowsDelivered,
            long batchesDelivered,
            long possibleDuplicates,
            long rowsLeft,
            List<ReplicaEnd> replicas) {
        public ShardEnd {
            replicas = List.copyOf(replicas);
        }
    }

    /// One advisory sink. `rowsSeen` rows of its topics were looked at; what became of them is in
    /// `outcomes`, in order of the constants. What is missing in the sum is `rowsLeft`: nobody
    /// waited for it to end.
    public record AdvisoryEnd(
            String name, boolean reached, long rowsSeen, Map<AdvisoryOutcome, Long> outcomes, long rowsLeft) {
        public AdvisoryEnd {
            outcomes = Collections.unmodifiableMap(new EnumMap<>(outcomes));
        }
    }

    public enum State {
        /// It wrote all it had.
        FINISHED,
        /// The deadline came first.
        ABANDONED,
        /// Its worker did not stop.
        OVERRAN,
        /// Its worker ended by a fault.
        DIED,
        /// No time was given to wait for it.
        NOT_WAITED_FOR
    }

    public record ReplicaEnd(
            String endpoint,
            String breaker,
            long written,
            long failed,
            @Nullable String lastFailure) {}
}
