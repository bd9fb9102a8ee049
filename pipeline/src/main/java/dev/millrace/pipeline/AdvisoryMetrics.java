package dev.millrace.pipeline;

import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/// The meters of one advisory sink, under names of their own, so that no sum and no alert over the acknowledged sinks
/// counts it.
///
/// Thread ownership: the thread that starts the pipeline.
final class AdvisoryMetrics {
    private final MeterRegistry registry;
    private final Supplier<AdvisoryView> view;

    private AdvisoryMetrics(MeterRegistry registry, Supplier<AdvisoryView> view) {
        this.registry = registry;
        this.view = view;
    }

    static void register(MeterRegistry registry, Supplier<AdvisoryView> view) {
        new AdvisoryMetrics(registry, view).sink(view.get());
    }

    private void sink(AdvisoryView sink) {
        var tags = Tags.of("sink", sink.sink());
        counter("millrace.advisory.rows.seen", "rows the advisory sink was to see", tags, AdvisoryView::seen);
        for (var outcome : AdvisoryOutcome.values())
            counter(
                    "millrace.advisory.rows",
                    "what became of them",
                    tags.and("outcome", outcome.word()),
                    now -> now.rows(outcome));
        gauge("millrace.advisory.inflight.rows", "rows kept for it or on their way", tags, AdvisoryView::inFlight);
        gauge(
                "millrace.advisory.inflight.bytes",
                "their bytes",
                tags,
                now -> now.budget().bytes());
        gauge("millrace.advisory.reached", "1 once it has said what it looks like", tags, now -> now.reached() ? 1 : 0);
        for (var i = 0; i < sink.shards().size(); i++) shard(i, sink.shards().get(i), tags);
    }

    private void shard(int index, ShardStatus shard, Tags ofSink) {
        var tags = ofSink.and("shard", shard.shard().shard());
        for (var how : ShardCounts.Attempt.values())
            counter(
                    "millrace.advisory.attempts",
                    "attempts ended",
                    tags.and("outcome", how.name().toLowerCase(Locale.ROOT)),
                    now -> now.shards().get(index).counts().attempts(how));
        gauge(
                "millrace.advisory.usable",
                "1 if a replica takes writes",
                tags,
                now -> now.shards().get(index).view().usable() ? 1 : 0);
    }

    private void counter(String name, String what, Tags tags, ToDoubleFunction<AdvisoryView> count) {
        FunctionCounter.builder(name, view, from -> count.applyAsDouble(from.get()))
                .description(what)
                .tags(tags)
                .register(registry);
    }

    private void gauge(String name, String what, Tags tags, ToDoubleFunction<AdvisoryView> value) {
        Gauge.builder(name, () -> value.applyAsDouble(view.get()))
                .description(what)
                .tags(tags)
                .register(registry);
    }
}
