package dev.millrace.pipeline;

import dev.millrace.intake.IntakeCounts;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/// The meters of a pipeline whose rows are posted, all of them there from the start: those of its intake, and those of
/// the front of each sink.
///
/// Thread ownership: the thread that starts the pipeline.
final class IntakeMetrics {
    /// All that an intake answers.
    static final List<Integer> STATUSES = List.of(200, 202, 400, 401, 403, 404, 405, 413, 415, 422, 429, 502, 503, 504);

    private final MeterRegistry registry;
    private final Supplier<Account> account;

    private IntakeMetrics(MeterRegistry registry, Supplier<Account> account) {
        this.registry = registry;
        this.account = account;
    }

    /// Of fronts that have started; `account` is asked at each scrape.
    static void register(MeterRegistry registry, Fronts fronts, Supplier<Account> account) {
        register(registry, account);
        for (var sink : fronts.health().keySet()) FrontMetrics.register(registry, sink, () -> fronts.health(sink));
    }

    static void register(MeterRegistry registry, Supplier<Account> account) {
        var metrics = new IntakeMetrics(registry, account);
        for (var status : STATUSES)
            metrics.counter(
                    Metric.INTAKE_REQUESTS,
                    Tags.of("status", Integer.toString(status)),
                    posted -> posted.answers().getOrDefault(status, 0L));
        metrics.counter(Metric.INTAKE_ADMITTED, Tags.empty(), IntakeView::admitted);
        for (var by : IntakeCounts.Limit.values())
            metrics.counter(
                    Metric.INTAKE_REFUSED,
                    Tags.of("limit", by.word()),
                    posted -> posted.refused().getOrDefault(by, 0L));
    }

    private void counter(Metric metric, Tags tags, ToDoubleFunction<IntakeView> count) {
        // A counter holds what it counts of weakly: only the function is kept, and this by it.
        metric.counter(registry, tags, IntakeMetrics.class, _ -> {
            var posted = account.get().posted();
            return posted == null ? 0 : count.applyAsDouble(posted);
        });
    }
}
