package dev.millrace.pipeline;

import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardStatus;
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
        counter(Metric.ADVISORY_SEEN, tags, AdvisoryView::seen);
        for (var outcome : AdvisoryOutcome.values())
            counter(Metric.ADVISORY_ROWS, tags.and("outcome", outcome.word()), now -> now.rows(outcome));
        gauge(Metric.ADVISORY_IN_FLIGHT, tags, AdvisoryView::inFlight);
        gauge(Metric.ADVISORY_BYTES, tags, now -> now.budget().bytes());
        gauge(Metric.ADVISORY_REACHED, tags, now -> now.reached() ? 1 : 0);
        for (var i = 0; i < sink.shards().size(); i++) shard(i, sink.shards().get(i), tags);
    }

    private void shard(int index, ShardStatus shard, Tags ofSink) {
        var tags = ofSink.and("shard", shard.shard().shard());
        for (var how : ShardCounts.Attempt.values())
            counter(
                    Metric.ADVISORY_ATTEMPTS,
                    tags.and("outcome", how.name().toLowerCase(Locale.ROOT)),
                    now -> now.shards().get(index).counts().attempts(how));
        gauge(
                Metric.ADVISORY_USABLE,
                tags,
                now -> now.shards().get(index).view().usable() ? 1 : 0);
    }

    private void counter(Metric metric, Tags tags, ToDoubleFunction<AdvisoryView> count) {
        metric.counter(registry, tags, view, from -> count.applyAsDouble(from.get()));
    }

    private void gauge(Metric metric, Tags tags, ToDoubleFunction<AdvisoryView> value) {
        metric.gauge(registry, tags, () -> value.applyAsDouble(view.get()));
    }
}
