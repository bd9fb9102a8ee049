package dev.millrace.pipeline;

import dev.millrace.kafka.KafkaSource;
import dev.millrace.kafka.PartitionView;
import dev.millrace.pipeline.AdminServer.Answer;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardView;
import dev.millrace.sinkpool.SinkPool;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What the admin endpoints of one pipeline answer, computed when they are asked.
///
/// `source` gives null until the sinks have said what they look like. `stuckNanos` is how long a
/// watermark may stand before it counts as stuck.
///
/// Thread ownership: any.
record AdminPages(
        String pipeline,
        Supplier<@Nullable KafkaSource> source,
        SinkPool pool,
        Supplier<List<AdvisoryView>> advisory,
        AdmissionBudget budget,
        NanoClock clock,
        long stuckNanos,
        Supplier<Map<String, Map<String, Long>>> unknownFields,
        Supplier<Map<String, Guarantee>> guarantees,
        BooleanSupplier stopping,
        Supplier<RunningFile> file,
        Supplier<Answer> metrics) {
    Map<String, Supplier<Answer>> pages() {
        return Map.of(
                "/healthz",
                this::health,
                "/readyz",
                this::readiness,
                "/status",
                this::status,
                "/stuck",
                this::stuck,
                "/metrics",
                metrics);
    }

    /// Looks at the process and the poll loop only: whoever restarts a process for an outage makes
    /// it worse (OPS-7).
    private Answer health() {
        var from = source.get();
        if (from == null) return Answer.text(200, "alive");
        var view = from.view();
        var turn = view.turnAgeNanos();
        if (turn > view.maxPollIntervalNanos() / 2)
            return Answer.text(503, "the poll loop has not turned for " + turn / 1_000_000 + " ms");
        return Answer.text(200, "alive");
    }

    private Answer readiness() {
        if (stopping.getAsBoolean()) return Answer.text(503, "draining");
        var from = source.get();
        if (from == null) return Answer.text(503, "starting: a sink can't be reached yet");
        if (!from.view().ready()) return Answer.text(503, "no assignment");
        for (var shard : pool.status()) {
            if (!shard.view().usable()) return Answer.text(503, shard.shard() + ": no usable replica");
            if (shard.view().blocked()) return Answer.text(503, shard.shard() + ": " + held(shard.view()));
        }
        for (var partition : from.view().partitions())
            if (partition.drifts()) return Answer.text(503, partition.partition() + ": " + partition.blockedBy());
        return Answer.text(200, "ready");
    }

    /// Refused, or its dead letters are not taken.
    private static String held(ShardView view) {
        for (var held : view.held()) {
            if (held.blocked() && held.failure() != null) return "a batch is held: " + held.failure();
        }
        return "a batch is held";
    }

    private Answer stuck() {
        var from = source.get();
        List<PartitionView> partitions = from == null ? List.of() : from.view().partitions();
        return Answer.json(StuckJson.of(partitions, pool.status(), stuckNanos, clock.nanoTime()));
    }

    private Answer status() {
        var from = source.get();
        var state = stopping.getAsBoolean() ? "draining" : from == null ? "starting" : "running";
        List<PartitionView> partitions = from == null ? List.of() : from.view().partitions();
        return Answer.json(StatusJson.of(
                pipeline,
                state,
                partitions,
                pool.status(),
                budget,
                unknownFields.get(),
                advisory.get(),
                guarantees.get(),
                file.get(),
                clock.nanoTime()));
    }
}
