package dev.millrace.pipeline;

import dev.millrace.kafka.PartitionView;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// What a pipeline did not take of its records: poison rows by their reasons, and fields that no column was there for
/// (FMT-3).
///
/// Invariant: a reason is one of an encoder's own words. The names of fields come from records, so they are in no label
/// (OPS-10).
///
/// Thread ownership: one caller of `refresh` at a time.
final class RefusedMeters {
    private record Cause(String sink, String reason) {}

    private final MeterRegistry registry;
    private final Map<Cause, AtomicLong> poison = new HashMap<>();

    /// `unknownFields` tells of each sink how often it left out which field.
    RefusedMeters(MeterRegistry registry, Supplier<Map<String, Map<String, Long>>> unknownFields) {
        this.registry = registry;
        for (var sink : unknownFields.get().keySet())
            Metric.UNKNOWN_FIELDS.counter(
                    registry, Tags.of("sink", sink), unknownFields, fields -> leftOut(fields.get(), sink));
    }

    private static double leftOut(Map<String, Map<String, Long>> fields, String sink) {
        return fields.getOrDefault(sink, Map.of()).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /// Begins a counter for each reason that was not seen before.
    void refresh(List<PartitionView> partitions) {
        var sums = new HashMap<Cause, Long>();
        for (var partition : partitions)
            for (var sink : partition.sinks())
                sink.poison().forEach((reason, rows) -> sums.merge(new Cause(sink.sink(), reason), rows, Long::sum));
        sums.forEach(
                (cause, rows) -> poison.computeIfAbsent(cause, this::counted).set(rows));
    }

    private AtomicLong counted(Cause cause) {
        var rows = new AtomicLong();
        Metric.POISON.counter(
                registry, Tags.of("sink", cause.sink(), "reason", cause.reason()), rows, AtomicLong::doubleValue);
        return rows;
    }
}
