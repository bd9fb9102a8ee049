package dev.millrace.pipeline;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.PartitionView;
import dev.millrace.kafka.PauseReason;
import dev.millrace.kafka.SourceCounters;
import dev.millrace.kafka.SourceView;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.RowTally;
import dev.millrace.sinkpool.SealReason;
import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardNote;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.ShardView;
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
            Supplier<Snapshot.InFlight> inFlight,
            Supplier<@Nullable SourceView> source,
            Supplier<List<ShardStatus>> shards,
            Supplier<Map<String, Guarantee>> guarantees,
            Supplier<RunningFile> file,
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
        this.lag = Metric.LAG.gauges(registry);
        this.watermark = Metric.WATERMARK.gauges(registry);
        this.blocked = Metric.BLOCKED.gauges(registry);
        this.transactions = Metric.TRANSACTION_HANGING.gauges(registry);
        ofBudget();
        ofSource();
        ofGuarantees();
        ofFile();
        for (var shard : from.shards().get()) ofShard(shard);
        refused = new RefusedMeters(registry, from.unknownFields());
        for (var sink : from.advisory()) AdvisoryMetrics.register(registry, sink);
    }

    private void ofBudget() {
        gauge(Metric.IN_FLIGHT_ROWS, Tags.empty(), () -> from.inFlight().get().rows());
        gauge(Metric.IN_FLIGHT_BYTES, Tags.empty(), () -> from.inFlight().get().bytes());
        gauge(Metric.MAX_ROWS, Tags.empty(), () -> from.inFlight().get().maxRows());
        gauge(Metric.MAX_BYTES, Tags.empty(), () -> from.inFlight().get().maxBytes());
    }

    private void ofSource() {
        var log = from.source().get();
        if (log == null) return;
        var counters = log.counters();
        counter(Metric.REBALANCES, Tags.empty(), counters, SourceCounters::rebalances);
        counter(Metric.FLAPPING, Tags.empty(), counters, SourceCounters::flapping);
        counter(Metric.STALE_ACKS, Tags.empty(), counters, SourceCounters::staleAcks);
        counter(Metric.OFFSETS_LOST, Tags.empty(), counters, SourceCounters::offsetsLost);
        counter(Metric.OFFSETS_SKIPPED, Tags.empty(), counters, SourceCounters::offsetsSkipped);
        counter(Metric.PLAN_DUPLICATES, Tags.empty(), counters, SourceCounters::possibleDuplicates);
        gauge(Metric.PLAN_CHARACTERS, Tags.empty(), counters::planCharacters);
        gauge(Metric.PLAN_QUARANTINE, Tags.empty(), () -> counters.quarantineNanos() / NANOS_PER_SECOND);
        for (var reason : PauseReason.values())
            counter(Metric.PAUSES, Tags.of("reason", word(reason)), counters, c -> c.pauses(reason));
        for (var result : SourceCounters.CommitResult.values())
            counter(Metric.COMMITS, Tags.of("result", word(result)), counters, c -> c.commits(result));
        gauge(Metric.POLL_LOOP, Tags.empty(), () -> log().turnAgeNanos() / NANOS_PER_SECOND);
        gauge(Metric.POLL_LOOP_LIMIT, Tags.empty(), () -> log().maxPollIntervalNanos() / NANOS_PER_SECOND);
    }

    /// Of a pipeline that reads one: it does so for as long as it runs.
    private SourceView log() {
        return Objects.requireNonNull(from.source().get());
    }

    private void ofGuarantees() {
        for (var sink : from.guarantees().get().keySet())
            gauge(
                    Metric.LEVEL,
                    Tags.of("sink", sink),
                    () -> number(from.guarantees().get().get(sink)));
    }

    private static int number(@Nullable Guarantee guarantee) {
        return switch (Objects.requireNonNull(guarantee).level()) {
            case L0 -> 0;
            case L1 -> 1;
            case L2 -> 2;
            case L3 -> 3;
            case L4 -> 4;
        };
    }

    private void ofFile() {
        reloads("done", RunningFile.Reloads::done);
        reloads("refused", RunningFile.Reloads::refused);
        reloads("failed", RunningFile.Reloads::failed);
        gauge(Metric.FILE_REFUSED, Tags.empty(), () -> from.file().get().refused() == null ? 0 : 1);
    }

    private void reloads(String result, ToLongFunction<RunningFile.Reloads> count) {
        counter(
                Metric.RELOADS,
                Tags.of("result", result),
                from.file(),
                file -> count.applyAsLong(file.get().reloads()));
    }

    private void ofShard(ShardStatus shard) {
        var tags = tags(shard.shard());
        var counts = shard.counts();
        counter(Metric.WRITTEN, tags, counts, ShardCounts::rowsWritten);
        counter(Metric.DUPLICATE, tags, counts, ShardCounts::rowsDuplicate);
        counter(Metric.ABANDONED, tags, counts, ShardCounts::rowsAbandoned);
        counter(Metric.IN_DOUBT, tags, counts, ShardCounts::rowsInDoubt);
        counter(Metric.POSSIBLE_DUPLICATES, tags, counts, ShardCounts::possibleDuplicates);
        counter(Metric.BATCHES_WRITTEN, tags, counts, ShardCounts::batchesWritten);
        counter(Metric.LATE_OUTCOMES, tags, counts, ShardCounts::lateOutcomes);
        for (var reason : SealReason.values())
            counter(Metric.BATCHES_SEALED, tags.and("reason", word(reason)), counts, c -> c.sealedFor(reason));
        for (var how : ShardCounts.Attempt.values())
            counter(Metric.ATTEMPTS, tags.and("outcome", word(how)), counts, c -> c.attempts(how));
        Function<ToDoubleFunction<ShardView>, Supplier<Number>> now =
                value -> () -> value.applyAsDouble(view(shard).view());
        gauge(Metric.USABLE, tags, now.apply(view -> view.usable() ? 1 : 0));
        gauge(Metric.SHARD_BLOCKED, tags, now.apply(view -> view.blocked() ? 1 : 0));
        gauge(Metric.PARKED, tags, () -> parked(shard).count());
        gauge(Metric.PARKED_SECONDS, tags, () -> sinceOldestParked(shard));
        gauge(Metric.PINNED, tags, () -> pinned(shard).count());
        gauge(Metric.PINNED_SECONDS, tags, () -> sinceFirstPin(shard));
        gauge(Metric.HELD, tags, now.apply(ShardView::heldRows));
        gauge(Metric.UNFINISHED, tags, now.apply(ShardView::unfinished));
        if (shard.slots() != null) gauge(Metric.SLOT_WAIT, tags, now.apply(view -> view.waitsForSlot() ? 1 : 0));
        gauge(Metric.LIMIT, tags, now.apply(ShardView::limit));
        gauge(Metric.LINGER, tags, now.apply(view -> view.lingerNanos() / NANOS_PER_SECOND));
        gauge(Metric.BACKOFF, tags, now.apply(view -> view.sleepNanos() / NANOS_PER_SECOND));
        gauge(Metric.SILENT, tags, () -> sinceAnswer(shard));
        for (var i = 0; i < shard.endpoints().size(); i++) ofReplica(shard, i, tags);
        timers.put(
                shard.shard(),
                new Timers(
                        Metric.WRITE.timer(registry, tags),
                        Metric.PERMIT_WAIT.timer(registry, tags),
                        Metric.SEAL_TO_SETTLE.timer(registry, tags)));
    }

    private void ofReplica(ShardStatus shard, int index, Tags ofShard) {
        var tags = ofShard.and("replica", shard.endpoints().get(index).toString());
        gauge(
                Metric.BREAKER,
                tags,
                () -> switch (view(shard).view().replicas().get(index).state().phase()) {
                    case CLOSED -> 0;
                    case HALF_OPEN -> 1;
                    case OPEN, QUARANTINED -> 2;
                });
        counter(Metric.REPLICA_WRITTEN, tags, shard.counts(), c -> c.rowsWrittenTo(index));
        counter(Metric.REPLICA_FAILURES, tags, shard.counts(), c -> c.failuresOf(index));
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
        var log = from.source().get();
        var partitions = log == null ? List.<PartitionView>of() : log.partitions();
        for (var partition : partitions) {
            if (views.put(partition.partition(), partition) == null) ofPartition(partition);
        }
        rows(Metric.LAG, lag, partitions, PartitionView::lag);
        rows(Metric.WATERMARK, watermark, partitions, PartitionView::watermark);
        rows(Metric.TRANSACTION_HANGING, transactions, partitions, PipelineMetrics::hangingSeconds);
        rows(Metric.BLOCKED, blocked, partitions, partition -> partition.headNanos() / NANOS_PER_SECOND);
        refused.refresh(partitions);
    }

    private static @Nullable Number hangingSeconds(PartitionView partition) {
        var hangs = partition.transaction();
        return hangs == null ? null : (Number) (hangs.ageNanos() / NANOS_PER_SECOND);
    }

    private void ofPartition(PartitionView first) {
        var tags = tags(first);
        var key = first.partition();
        counter(Metric.POLLED, tags, views, v -> at(v, key).polled());
        counter(Metric.DROPPED, tags, views, v -> at(v, key).dropped());
        for (var sink : first.sinks()) {
            var ofSink = tags.and("sink", sink.sink());
            counter(Metric.SKIPPED, ofSink, views, v -> skipped(at(v, key), sink.sink()));
            counter(Metric.DEAD_LETTERED, ofSink, views, v -> deadLettered(at(v, key), sink.sink()));
            gauge(Metric.PARTITION_IN_FLIGHT, ofSink, () -> sink.tally().inFlight());
            gauge(Metric.UNACCOUNTED, ofSink, () -> unaccounted(at(views, key), sink.sink()));
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

    /// What OPS-9 says is nothing, of one sink.
    private static long unaccounted(PartitionView view, String sink) {
        return view.sinks().stream()
                .filter(rows -> rows.sink().equals(sink))
                .mapToLong(rows -> view.polled()
                        - view.dropped()
                        - view.waiting()
                        - rows.skippedRows()
                        - rows.deadLettered()
                        - rows.lettersOut()
                        - rows.lettersLeft()
                        - ended(rows.tally())
                        - rows.tally().inFlight())
                .sum();
    }

    private static long ended(RowTally tally) {
        return tally.written() + tally.deadLettered() + tally.skipped() + tally.abandoned() + tally.inDoubt();
    }

    private static void rows(
            Metric metric,
            MultiGauge gauge,
            List<PartitionView> partitions,
            Function<PartitionView, @Nullable Number> value) {
        var rows = new ArrayList<MultiGauge.Row<?>>();
        for (var partition : partitions) {
            var known = value.apply(partition);
            if (partition.member() >= 0 && known != null) rows.add(metric.row(tags(partition), known));
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

    private void gauge(Metric metric, Tags tags, Supplier<Number> value) {
        metric.gauge(registry, tags, value);
    }

    private <T> void counter(Metric metric, Tags tags, T of, ToLongFunction<T> count) {
        metric.counter(registry, tags, of, t -> count.applyAsLong(t));
    }
}
