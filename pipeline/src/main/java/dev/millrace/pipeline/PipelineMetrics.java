package dev.millrace.pipeline;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.PartitionView;
import dev.millrace.kafka.PauseReason;
import dev.millrace.kafka.SourceCounters;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.SealReason;
import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardNote;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.ShardView;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The meters of one pipeline, over numbers that others keep: registered once, computed when they are
/// scraped (OPS-2, OPS-3).
///
/// What is unknown is no series (OPS-11): gauges of partitions are laid anew at each [#refresh],
/// which a scrape calls first.
///
/// Thread ownership: shared; `refresh` one caller at a time.
final class PipelineMetrics {
    /// What the meters are read from.
    record Sources(
            NanoClock clock,
            LongSupplier rowsInFlight,
            LongSupplier bytesInFlight,
            SourceCounters counters,
            Supplier<List<PartitionView>> partitions,
            Supplier<List<ShardStatus>> shards,
            Supplier<Map<String, Map<String, Long>>> unknownFields,
            List<Supplier<AdvisoryView>> advisory) {
        Sources {
            advisory = List.copyOf(advisory);
        }
    }

    private record Timers(Timer write, Timer permitWait, Timer sealToSettle) {}

    private static final double NANOS_PER_SECOND = 1e9;

    private final MeterRegistry registry;
    private final Sources from;
    private final Map<ShardId, Timers> timers = new HashMap<>();
    private final Map<SourcePartition, PartitionView> views = new ConcurrentHashMap<>();
    private final MultiGauge lag;
    private final MultiGauge watermark;
    private final MultiGauge blocked;
    private final MultiGauge transactions;
    private final RefusedMeters refused;

    PipelineMetrics(MeterRegistry registry, Sources from) {
        this.registry = registry;
        this.from = from;
        this.lag = MultiGauge.builder("millrace.lag")
                .description("offsets between the watermark and the end of the log; absent where unknown")
                .register(registry);
        this.watermark = MultiGauge.builder("millrace.watermark")
                .description("the first offset that is not yet done")
                .register(registry);
        this.blocked = MultiGauge.builder("millrace.frontier.blocked.seconds")
                .description("how long the watermark has stood with work above it")
                .register(registry);
        this.transactions = MultiGauge.builder("millrace.transaction.hanging.seconds")
                .description("how long a transaction that nobody ends has kept records back; absent for none")
                .register(registry);
        ofBudget();
        ofSource();
        for (var shard : from.shards().get()) ofShard(shard);
        refused = new RefusedMeters(registry, from.unknownFields());
        for (var sink : from.advisory()) AdvisoryMetrics.register(registry, sink);
    }

    private void ofBudget() {
        gauge(
                "millrace.inflight.rows",
                "rows in flight",
                Tags.empty(),
                () -> from.rowsInFlight().getAsLong());
        gauge(
                "millrace.inflight.bytes",
                "bytes in flight",
                Tags.empty(),
                () -> from.bytesInFlight().getAsLong());
    }

    private void ofSource() {
        var counters = from.counters();
        counter("millrace.rebalances", "assignments that changed", Tags.empty(), counters, SourceCounters::rebalances);
        counter(
                "millrace.pauses.flapping",
                "pauses shorter than a second",
                Tags.empty(),
                counters,
                SourceCounters::flapping);
        counter(
                "millrace.stale.acks",
                "acknowledgements of ended epochs",
                Tags.empty(),
                counters,
                SourceCounters::staleAcks);
        counter(
                "millrace.offsets.lost",
                "offsets that retention took unread",
                Tags.empty(),
                counters,
                SourceCounters::offsetsLost);
        counter(
                "millrace.plan.possible.duplicates",
                "rows sent again in other batches than before, at most",
                Tags.empty(),
                counters,
                SourceCounters::possibleDuplicates);
        gauge("millrace.plan.characters", "characters of the longest plan", Tags.empty(), counters::planCharacters);
        gauge(
                "millrace.plan.quarantine.seconds",
                "how long plans still wait for a commit that timed out",
                Tags.empty(),
                () -> counters.quarantineNanos() / 1e9);
        for (var reason : PauseReason.values())
            counter(
                    "millrace.pauses",
                    "partitions paused",
                    Tags.of("reason", word(reason)),
                    counters,
                    c -> c.pauses(reason));
        for (var result : SourceCounters.CommitResult.values())
            counter(
                    "millrace.commits",
                    "offset commits",
                    Tags.of("result", word(result)),
                    counters,
                    c -> c.commits(result));
    }

    private void ofShard(ShardStatus shard) {
        var tags = tags(shard.shard());
        var counts = shard.counts();
        counter(
                "millrace.rows.written",
                "rows the sink has, those it had before included",
                tags,
                counts,
                ShardCounts::rowsWritten);
        counter("millrace.rows.duplicate", "rows the sink said it had", tags, counts, ShardCounts::rowsDuplicate);
        counter("millrace.rows.abandoned", "rows given up, which replay", tags, counts, ShardCounts::rowsAbandoned);
        counter(
                "millrace.rows.in.doubt",
                "rows given up after an unknown outcome, which replay",
                tags,
                counts,
                ShardCounts::rowsInDoubt);
        counter(
                "millrace.possible.duplicates",
                "rows that this run may have stored twice, at most",
                tags,
                counts,
                ShardCounts::possibleDuplicates);
        counter("millrace.batches.written", "batches the sink has", tags, counts, ShardCounts::batchesWritten);
        counter(
                "millrace.late.outcomes",
                "outcomes of attempts given up before",
                tags,
                counts,
                ShardCounts::lateOutcomes);
        for (var reason : SealReason.values())
            counter(
                    "millrace.batches.sealed",
                    "batches sealed",
                    tags.and("reason", word(reason)),
                    counts,
                    c -> c.sealedFor(reason));
        for (var how : ShardCounts.Attempt.values())
            counter(
                    "millrace.attempts",
                    "attempts ended",
                    tags.and("outcome", word(how)),
                    counts,
                    c -> c.attempts(how));
        gauge(
                "millrace.shard.usable",
                "1 if a replica takes writes",
                tags,
                () -> view(shard).view().usable() ? 1 : 0);
        gauge(
                "millrace.shard.blocked",
                "1 if a batch waits for a person",
                tags,
                () -> view(shard).view().blocked() ? 1 : 0);
        gauge(
                "millrace.parked.batches",
                "refused batches that wait without a permit, for evidence or for their dead letters",
                tags,
                () -> parked(shard).count());
        gauge("millrace.parked.seconds", "since the oldest of them was sealed", tags, () -> sinceOldestParked(shard));
        gauge(
                "millrace.pinned.batches",
                "batches that one replica may have stored, and that wait for it without a permit",
                tags,
                () -> pinned(shard).count());
        gauge(
                "millrace.pinned.seconds",
                "since the first ambiguous attempt of those that wait longest",
                tags,
                () -> sinceFirstPin(shard));
        gauge(
                "millrace.held.rows",
                "rows sealed and not settled",
                tags,
                () -> view(shard).view().heldRows());
        gauge(
                "millrace.attempts.unfinished",
                "cancelled attempts that have not ended",
                tags,
                () -> view(shard).view().unfinished());
        gauge(
                "millrace.inflight.limit",
                "batches that may be on their way, fewer than set while the sink is overloaded",
                tags,
                () -> view(shard).view().limit());
        gauge(
                "millrace.linger.seconds",
                "how long an open batch lingers, longer than set while the sink is overloaded",
                tags,
                () -> view(shard).view().lingerNanos() / NANOS_PER_SECOND);
        gauge(
                "millrace.backoff.seconds",
                "the longest backoff being slept now",
                tags,
                () -> view(shard).view().sleepNanos() / NANOS_PER_SECOND);
        gauge("millrace.sink.silent.seconds", "since the sink last answered anything", tags, () -> sinceAnswer(shard));
        for (var i = 0; i < shard.endpoints().size(); i++) ofReplica(shard, i, tags);
        timers.put(
                shard.shard(),
                new Timers(
                        timer("millrace.write.seconds", "one successful write", tags),
                        timer(
                                "millrace.permit.wait.seconds",
                                "from seal to the start of the write that succeeded",
                                tags),
                        timer("millrace.seal.to.settle.seconds", "from seal to settle", tags)));
    }

    private void ofReplica(ShardStatus shard, int index, Tags ofShard) {
        var tags = ofShard.and("replica", shard.endpoints().get(index).toString());
        gauge(
                "millrace.breaker.state",
                "0 closed, 1 half-open, 2 open",
                tags,
                () -> switch (view(shard).view().replicas().get(index).state().phase()) {
                    case CLOSED -> 0;
                    case HALF_OPEN -> 1;
                    case OPEN, QUARANTINED -> 2;
                });
        counter(
                "millrace.replica.rows.written",
                "rows written through this replica",
                tags,
                shard.counts(),
                c -> c.rowsWrittenTo(index));
        counter(
                "millrace.replica.failures",
                "attempts at this replica that did not write",
                tags,
                shard.counts(),
                c -> c.failuresOf(index));
    }

    private ShardStatus view(ShardStatus shard) {
        return from.shards().get().stream()
                .filter(now -> now.shard().equals(shard.shard()))
                .findFirst()
                .orElse(shard);
    }

    private Stream<ShardView.Held> parked(ShardStatus shard) {
        return view(shard).view().held().stream().filter(held -> held.parked() && held.pin() == null);
    }

    private Stream<ShardView.Pin> pinned(ShardStatus shard) {
        return view(shard).view().held().stream().map(ShardView.Held::pin).filter(Objects::nonNull);
    }

    private double sinceFirstPin(ShardStatus shard) {
        var now = from.clock().nanoTime();
        return pinned(shard).mapToLong(pin -> now - pin.sinceNanos()).max().orElse(0) / NANOS_PER_SECOND;
    }

    private double sinceOldestParked(ShardStatus shard) {
        var now = from.clock().nanoTime();
        return parked(shard).mapToLong(held -> now - held.sealedNanos()).max().orElse(0) / NANOS_PER_SECOND;
    }

    /// Not a number, which Prometheus keeps apart from zero, for a sink that never answered.
    private double sinceAnswer(ShardStatus shard) {
        var last = view(shard).view().lastAnswerNanos();
        return last == NanoClock.NEVER ? Double.NaN : (from.clock().nanoTime() - last) / NANOS_PER_SECOND;
    }

    /// Lays the series of partitions anew, and begins counters for partitions seen for the first time.
    void refresh() {
        var partitions = from.partitions().get();
        for (var partition : partitions) {
            if (views.put(partition.partition(), partition) == null) ofPartition(partition);
        }
        rows(lag, partitions, PartitionView::lag);
        rows(watermark, partitions, PartitionView::watermark);
        rows(transactions, partitions, PipelineMetrics::hangingSeconds);
        rows(blocked, partitions, partition -> partition.headNanos() / NANOS_PER_SECOND);
        refused.refresh(partitions);
    }

    private static @Nullable Number hangingSeconds(PartitionView partition) {
        var hangs = partition.transaction();
        return hangs == null ? null : (Number) (hangs.ageNanos() / NANOS_PER_SECOND);
    }

    private void ofPartition(PartitionView first) {
        var tags = tags(first);
        var key = first.partition();
        counter(
                "millrace.rows.polled",
                "rows polled",
                tags,
                views,
                v -> at(v, key).polled());
        counter(
                "millrace.rows.dropped",
                "rows polled and never encoded, which replay",
                tags,
                views,
                v -> at(v, key).dropped());
        for (var sink : first.sinks()) {
            var ofSink = tags.and("sink", sink.sink());
            counter(
                    "millrace.rows.skipped",
                    "rows left out by an explicit policy",
                    ofSink,
                    views,
                    v -> skipped(at(v, key), sink.sink()));
            counter(
                    "millrace.rows.dead.lettered",
                    "rows that the dead-letter topic has acknowledged",
                    ofSink,
                    views,
                    v -> deadLettered(at(v, key), sink.sink()));
            gauge(
                    "millrace.partition.inflight.rows",
                    "rows encoded and not settled",
                    ofSink,
                    () -> sink.tally().inFlight());
        }
    }

    private static PartitionView at(Map<SourcePartition, PartitionView> views, SourcePartition partition) {
        return Objects.requireNonNull(views.get(partition));
    }

    private static long skipped(PartitionView view, String sink) {
        return view.sinks().stream()
                .filter(rows -> rows.sink().equals(sink))
                .mapToLong(rows -> rows.skippedRows() + rows.tally().skipped())
                .sum();
    }

    private static long deadLettered(PartitionView view, String sink) {
        return view.sinks().stream()
                .filter(rows -> rows.sink().equals(sink))
                .mapToLong(rows -> rows.deadLettered() + rows.tally().deadLettered())
                .sum();
    }

    private static void rows(
            MultiGauge gauge, List<PartitionView> partitions, Function<PartitionView, @Nullable Number> value) {
        var rows = new ArrayList<MultiGauge.Row<?>>();
        for (var partition : partitions) {
            var known = value.apply(partition);
            if (partition.member() >= 0 && known != null) rows.add(MultiGauge.Row.of(tags(partition), known));
        }
        gauge.register(rows, true);
    }

    void note(ShardId shard, ShardNote note) {
        if (!(note instanceof ShardNote.Wrote wrote)) return;
        var of = Objects.requireNonNull(timers.get(shard));
        of.write().record(Duration.ofNanos(wrote.writeNanos()));
        of.permitWait().record(Duration.ofNanos(wrote.waitNanos()));
        of.sealToSettle().record(Duration.ofNanos(wrote.waitNanos() + wrote.writeNanos()));
    }

    private static Tags tags(ShardId shard) {
        return Tags.of("sink", shard.sink(), "shard", shard.shard());
    }

    private static Tags tags(PartitionView partition) {
        return Tags.of(
                "topic",
                partition.partition().topic(),
                "partition",
                Integer.toString(partition.partition().partition()));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private void gauge(String name, String what, Tags tags, Supplier<Number> value) {
        Gauge.builder(name, value).description(what).tags(tags).register(registry);
    }

    private <T> void counter(String name, String what, Tags tags, T of, ToLongFunction<T> count) {
        ToDoubleFunction<T> asDouble = t -> count.applyAsLong(t);
        FunctionCounter.builder(name, of, asDouble).description(what).tags(tags).register(registry);
    }

    private Timer timer(String name, String what, Tags tags) {
        return Timer.builder(name)
                .description(what)
                .tags(tags)
                .publishPercentileHistogram()
                .register(registry);
    }
}
