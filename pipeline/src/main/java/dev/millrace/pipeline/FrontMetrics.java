package dev.millrace.pipeline;

import dev.millrace.sinkpool.FrontCounts;
import dev.millrace.sinkpool.FrontHealth;
import dev.millrace.sinkpool.Loss;
import dev.millrace.sinkpool.Refusal;
import dev.millrace.sinkpool.ShareView;
import dev.millrace.sinkpool.Way;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/// The meters of a front for producers, all of them there from the start, and computed when they are asked for. No
/// label is a tenant: their names come from outside.
///
/// Thread ownership: the thread that makes the front.
public final class FrontMetrics {
    private final MeterRegistry registry;
    private final Supplier<FrontHealth> health;
    private final Tags tags;

    private FrontMetrics(MeterRegistry registry, String sink, Supplier<FrontHealth> health) {
        this.registry = registry;
        this.health = health;
        this.tags = Tags.of("sink", sink);
    }

    /// `health` is asked at each scrape.
    public static void register(MeterRegistry registry, String sink, Supplier<FrontHealth> health) {
        var metrics = new FrontMetrics(registry, sink, health);
        metrics.items();
        metrics.share(Way.STAGED, FrontHealth::staged);
        metrics.share(Way.RESERVED, FrontHealth::reserved);
        metrics.reservations();
    }

    private void items() {
        counter(Metric.FRONT_TAKEN, tags, FrontCounts::taken);
        counter(Metric.FRONT_WRITTEN, tags, FrontCounts::written);
        counter(Metric.FRONT_SKIPPED, tags, FrontCounts::skipped);
        counter(Metric.FRONT_IN_DOUBT, tags, FrontCounts::inDoubt);
        for (var why : Loss.values())
            counter(Metric.FRONT_LOST, tags.and("reason", why.word()), counts -> counts.lost(why));
        gauge(Metric.FRONT_OPEN, tags, now -> now.state() == FrontHealth.State.OPEN ? 1 : 0);
    }

    private void share(Way way, Function<FrontHealth, ShareView> share) {
        var of = tags.and("share", way.word());
        gauge(Metric.FRONT_SLOTS, of, now -> share.apply(now).rows());
        gauge(Metric.FRONT_MAX_SLOTS, of, now -> share.apply(now).maxRows());
        gauge(Metric.FRONT_BYTES, of, now -> share.apply(now).bytes());
        gauge(Metric.FRONT_MAX_BYTES, of, now -> share.apply(now).maxBytes());
    }

    private void reservations() {
        gauge(Metric.FRONT_WAITING, tags, now -> now.reserved().waiting());
        for (var by : Refusal.Limit.values())
            counter(
                    Metric.FRONT_REFUSED,
                    tags.and("limit", by.name().toLowerCase(Locale.ROOT)),
                    counts -> counts.refused(by));
    }

    private void counter(Metric metric, Tags of, ToDoubleFunction<FrontCounts> count) {
        metric.counter(
                registry, of, health, from -> count.applyAsDouble(from.get().counts()));
    }

    private void gauge(Metric metric, Tags of, ToDoubleFunction<FrontHealth> value) {
        metric.gauge(registry, of, () -> value.applyAsDouble(health.get()));
    }
}
