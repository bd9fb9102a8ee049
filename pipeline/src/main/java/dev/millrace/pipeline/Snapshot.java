package dev.millrace.pipeline;

import dev.millrace.kafka.PartitionView;
import dev.millrace.kafka.SourceView;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.ShardStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A pipeline at one moment: what every page, every text and every trouble is made from.
///
/// @param source null until the sinks have said what they look like, and where no log is read
/// @param posted null until rows may be posted, and where none are
/// @param stuckNanos how long a watermark may stand before it counts as stuck
record Snapshot(
        Who who,
        Course course,
        @Nullable SourceView source,
        @Nullable IntakeView posted,
        List<ShardStatus> shards,
        List<AdvisoryView> advisory,
        InFlight inFlight,
        Map<String, Guarantee> guarantees,
        Map<String, Map<String, Long>> unknownFields,
        long stuckNanos,
        long nowNanos) {
    Snapshot {
        shards = List.copyOf(shards);
        advisory = List.copyOf(advisory);
    }

    /// Which pipeline it is, since when it runs, and by which file.
    record Who(String pipeline, String version, Instant startedAt, RunningFile file) {}

    /// What it is about to do.
    ///
    /// @param waitsFor why nothing is read yet, while it starts
    /// @param pausedSinceNanos when a person paused it, null for not paused
    /// @param endsNanos by when a drain ends, null while it runs
    record Course(
            @Nullable String waitsFor,
            @Nullable Long pausedSinceNanos,
            @Nullable Long endsNanos) {}

    /// What counts in the admission budget, and its bounds.
    record InFlight(long rows, long bytes, long maxRows, long maxBytes) {}

    List<PartitionView> partitions() {
        return source == null ? List.of() : source.partitions();
    }

    /// Rows are read, or may be posted.
    boolean started() {
        return source != null || posted != null;
    }

    boolean paused() {
        return course.pausedSinceNanos() != null;
    }

    boolean draining() {
        return course.endsNanos() != null;
    }

    /// One of starting, running, paused and draining.
    String state() {
        if (draining()) return "draining";
        if (!started()) return "starting";
        return paused() ? "paused" : "running";
    }

    /// What holds a partition up, null for nothing. A pause takes the budget: that is how it is told.
    @Nullable
    String blockedBy(PartitionView partition) {
        var by = partition.blockedBy();
        return paused() && "budget".equals(by) ? "paused" : by;
    }

    /// The shard that has rows of the partition and cannot be rid of them, null for none.
    @Nullable
    String waitsFor(PartitionView partition) {
        for (var shard : shards) {
            var view = shard.view();
            for (var held : view.held())
                if ((!view.usable() || held.blocked()) && held.partitions().contains(partition.partition()))
                    return shard.shard().toString();
        }
        return null;
    }

    /// Rows that came: polled, or posted and taken in.
    long polled() {
        if (posted != null) return posted.admitted();
        return partitions().stream().mapToLong(PartitionView::polled).sum();
    }

    /// Rows that sinks have: of two sinks that take a row, each counts it.
    long durable() {
        return shards.stream().mapToLong(shard -> shard.counts().rowsWritten()).sum();
    }

    long deadLettered() {
        return partitions().stream()
                .flatMap(partition -> partition.sinks().stream())
                .mapToLong(sink -> sink.deadLettered() + sink.tally().deadLettered())
                .sum();
    }

    /// Null where it is not known of every partition that is read here.
    @Nullable
    Long lag() {
        var sum = 0L;
        for (var partition : partitions()) {
            if (partition.member() < 0) continue;
            var lag = partition.lag();
            if (lag == null) return null;
            sum += lag;
        }
        return sum;
    }
}
