package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A report as a reader sees it, who knows its shape from its documentation alone: no key more, none less.
record Report(
        int schema,
        String pipeline,
        String version,
        String startedAt,
        String endedAt,
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
        List<Sink> sinks,
        List<Advisory> advisory) {

    record Rows(
            long polled,
            long delivered,
            long duplicate,
            long skipped,
            long deadLettered,
            @Nullable Long abandoned,
            @Nullable Long inDoubt) {
        /// Polled = delivered + skipped + dead-lettered + abandoned + in doubt, where all is known.
        void addUp(Object of) {
            if (abandoned == null || inDoubt == null) return;
            assertThat(polled)
                    .as("polled, of %s", of)
                    .isEqualTo(delivered + skipped + deadLettered + abandoned + inDoubt);
        }
    }

    record Partition(
            String topic,
            int partition,
            @Nullable Long committed,
            @Nullable Long end,
            @Nullable Long undelivered,
            long taken,
            @Nullable String blockedBy) {
        boolean done() {
            return committed != null && committed == taken;
        }
    }

    /// `level` is null where the run ended before the sink was asked.
    record Sink(String name, @Nullable String level, Rows rows, List<Shard> shards) {}

    /// Its rows by what became of them.
    record Advisory(
            String name,
            boolean reached,
            long rowsSeen,
            long rowsWritten,
            long rowsFailed,
            long rowsNoRoom,
            long rowsNotAccepted,
            long rowsNotDone,
            long rowsNotEncoded,
            long rowsUnreached,
            long rowsStopped,
            long rowsLeft) {
        void addsUp() {
            assertThat(rowsSeen)
                    .as("seen, of %s", this)
                    .isEqualTo(rowsWritten
                            + rowsFailed
                            + rowsNoRoom
                            + rowsNotAccepted
                            + rowsNotDone
                            + rowsNotEncoded
                            + rowsUnreached
                            + rowsStopped
                            + rowsLeft);
        }
    }

    record Shard(
            String shard,
            String state,
            boolean lowerBound,
            long rowsDelivered,
            long batchesDelivered,
            long possibleDuplicates,
            long rowsLeft,
            List<Replica> replicas) {}

    record Replica(
            String endpoint,
            String breaker,
            long written,
            long failed,
            @Nullable String lastFailure) {}

    /// Of one document and nothing else.
    static Report parse(String text) throws IOException {
        var mapper = JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build();
        return mapper.readValue(text, Report.class);
    }

    List<Shard> shards() {
        return sinks.stream().flatMap(sink -> sink.shards().stream()).toList();
    }

    Stream<Replica> replicas() {
        return shards().stream().flatMap(shard -> shard.replicas().stream());
    }

    /// Abandoned and in doubt together; the report must know both.
    long left() {
        var abandoned = rows.abandoned();
        var inDoubt = rows.inDoubt();
        if (abandoned == null || inDoubt == null) throw new AssertionError("what is left is not known: " + this);
        return abandoned + inDoubt;
    }

    /// What one figure says must be what the others add up to.
    void addsUp() {
        assertThat(schema).isEqualTo(1);
        for (var sink : sinks) {
            sink.rows().addUp(this);
            assertThat(sink.shards().stream().mapToLong(Shard::rowsDelivered).sum())
                    .as("delivered by the shards of %s", sink)
                    .isEqualTo(sink.rows().delivered());
        }
        if (sinks.size() == 1) assertThat(rows).isEqualTo(sinks.getFirst().rows());
        assertThat(sinks.stream().mapToLong(sink -> sink.rows().skipped()).sum())
                .isEqualTo(rows.skipped());
        assertThat(sinks.stream().mapToLong(sink -> sink.rows().deadLettered()).sum())
                .isEqualTo(rows.deadLettered());
        advisory.forEach(Advisory::addsUp);
        assertThat(rows.duplicate()).isLessThanOrEqualTo(rows.delivered());
        assertThat(shards().stream().mapToLong(Shard::rowsDelivered).sum()).isEqualTo(rows.delivered());
        assertThat(shards().stream().mapToLong(Shard::batchesDelivered).sum()).isEqualTo(batchesDelivered);
        for (var shard : shards())
            assertThat(shard.replicas().stream().mapToLong(Replica::written).sum())
                    .as("written to the replicas of %s", shard)
                    .isEqualTo(shard.rowsDelivered());
        for (var partition : partitions) {
            if (partition.end() != null && partition.committed() != null)
                assertThat(partition.undelivered())
                        .as("undelivered of %s", partition)
                        .isEqualTo(partition.end() - partition.committed());
            assertThat(partition.blockedBy() == null)
                    .as("something blocks %s exactly if it is not done", partition)
                    .isEqualTo(partition.done());
        }
        if (drained != null)
            assertThat(partitions.stream().allMatch(Partition::done))
                    .as("drained, of %s", this)
                    .isEqualTo(drained);
        if (caughtUp != null)
            assertThat(partitions.stream()
                            .allMatch(p -> p.end() != null && p.end().equals(p.committed())))
                    .as("caught up, of %s", this)
                    .isEqualTo(caughtUp);
    }
}
