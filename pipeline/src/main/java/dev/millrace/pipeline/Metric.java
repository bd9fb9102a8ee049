package dev.millrace.pipeline;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/// A meter of Millrace's own, declared: its name, unit and labels, and what it tells. Registering and `docs/metrics.md`
/// both come from here.
///
/// Every one has the label `pipeline` besides. A name and its labels are what alerts and dashboards are built on: they
/// change only with a line in the changelog.
enum Metric {
    LAG("millrace.lag", "offsets", "topic partition", "between the watermark and the end of the log", "it is known"),
    WATERMARK("millrace.watermark", "offset", "topic partition", "the first one that is not yet done", "it is known"),
    BLOCKED(
            "millrace.frontier.blocked.seconds",
            "seconds",
            "topic partition",
            "for which the watermark has stood with work above it; 0 while it moves or nothing waits"),
    TRANSACTION_HANGING(
            "millrace.transaction.hanging.seconds",
            "seconds",
            "topic partition",
            "for which a transaction that nobody ends has kept records back",
            "one hangs"),
    POLLED("millrace.rows.polled", "rows", "topic partition", "polled"),
    DROPPED("millrace.rows.dropped", "rows", "topic partition", "polled and never encoded, which replay"),
    SKIPPED("millrace.rows.skipped", "rows", "topic partition sink", "left out by an explicit policy"),
    DEAD_LETTERED(
            "millrace.rows.dead.lettered",
            "rows",
            "topic partition sink",
            "set aside: the dead-letter topic has acknowledged them"),
    PARTITION_IN_FLIGHT("millrace.partition.inflight.rows", "rows", "topic partition sink", "encoded and not settled"),
    UNACCOUNTED(
            "millrace.rows.unaccounted",
            "rows",
            "topic partition sink",
            "polled, less those written, set aside, skipped, given up, waiting and in flight: 0 at rest, and on either side"
                    + " of it while rows move, since the counts are not read at one instant; another number at rest is a bug"),
    POISON(
            "millrace.rows.poison",
            "rows",
            "sink reason",
            "that can never be written, found before they were sent",
            "one was found"),
    UNKNOWN_FIELDS("millrace.unknown.fields", "fields", "sink", "without a column that were left out of rows"),
    LEVEL(
            "millrace.delivery.level",
            "level",
            "sink",
            "what is promised of repeats, 0 for L0 to 4 for L4, as the sink's servers are set up now"),

    IN_FLIGHT_ROWS("millrace.inflight.rows", "rows", "", "in flight"),
    IN_FLIGHT_BYTES("millrace.inflight.bytes", "bytes", "", "in flight"),
    MAX_ROWS("millrace.admission.max.rows", "rows", "", "that may be in flight: admission.max_rows"),
    MAX_BYTES("millrace.admission.max.bytes", "bytes", "", "that may be in flight: admission.max_bytes"),

    RELOADS(
            "millrace.reloads",
            "reloads",
            "result",
            "of the file: done, refused (it cannot run; the one before runs on), failed (it did not start; the one"
                    + " before was started again)"),
    FILE_REFUSED("millrace.file.refused", "1 or 0", "", "1 while the file last given is not the one that runs"),
    POLL_LOOP("millrace.poll.loop.seconds", "seconds", "", "since the slowest poll loop last turned"),
    POLL_LOOP_LIMIT(
            "millrace.poll.loop.limit.seconds",
            "seconds",
            "",
            "after which the group puts such a member out: max.poll.interval.ms"),
    REBALANCES("millrace.rebalances", "changes", "", "of this process's assignments"),
    PAUSES("millrace.pauses", "pauses", "reason", "of partitions"),
    FLAPPING("millrace.pauses.flapping", "pauses", "", "shorter than a second"),
    STALE_ACKS("millrace.stale.acks", "acknowledgements", "", "of epochs that had ended"),
    OFFSETS_LOST("millrace.offsets.lost", "offsets", "", "that retention took unread"),
    OFFSETS_SKIPPED("millrace.offsets.skipped", "offsets", "", "that source.kafka.skip left unread"),
    COMMITS(
            "millrace.commits",
            "commits",
            "result",
            "of offsets: acknowledged, later (the coordinator was busy), fenced, unknown (no answer), refused"),
    PLAN_DUPLICATES(
            "millrace.plan.possible.duplicates",
            "rows",
            "",
            "sent again in other batches than before, so perhaps stored twice, at most"),
    PLAN_CHARACTERS("millrace.plan.characters", "characters", "", "of the longest plan, in a committed offset"),
    PLAN_QUARANTINE(
            "millrace.plan.quarantine.seconds",
            "seconds",
            "",
            "for which plans still wait, since a commit that timed out may yet be applied"),

    WRITTEN("millrace.rows.written", "rows", "sink shard", "that the sink has, those it had before included"),
    DUPLICATE("millrace.rows.duplicate", "rows", "sink shard", "that the sink said it had"),
    ABANDONED("millrace.rows.abandoned", "rows", "sink shard", "given up at a stop, which replay"),
    IN_DOUBT("millrace.rows.in.doubt", "rows", "sink shard", "given up after an unknown outcome, which replay"),
    POSSIBLE_DUPLICATES(
            "millrace.possible.duplicates", "rows", "sink shard", "that this run may have stored twice, at most"),
    BATCHES_SEALED("millrace.batches.sealed", "batches", "sink shard reason", "sealed"),
    BATCHES_WRITTEN("millrace.batches.written", "batches", "sink shard", "that the sink has"),
    ATTEMPTS("millrace.attempts", "attempts", "sink shard outcome", "ended"),
    LATE_OUTCOMES("millrace.late.outcomes", "attempts", "sink shard", "that ended after they were given up"),
    UNFINISHED("millrace.attempts.unfinished", "attempts", "sink shard", "cancelled that have not ended"),
    USABLE("millrace.shard.usable", "1 or 0", "sink shard", "1 if a replica takes writes"),
    SHARD_BLOCKED("millrace.shard.blocked", "1 or 0", "sink shard", "1 if a batch waits for a person"),
    PARKED(
            "millrace.parked.batches",
            "batches",
            "sink shard",
            "refused that wait without a permit, for evidence or for their dead letters"),
    PARKED_SECONDS("millrace.parked.seconds", "seconds", "sink shard", "since the oldest of them was sealed"),
    PINNED(
            "millrace.pinned.batches",
            "batches",
            "sink shard",
            "that one replica may have stored, and that wait for it without a permit"),
    PINNED_SECONDS(
            "millrace.pinned.seconds",
            "seconds",
            "sink shard",
            "since the first ambiguous attempt of the one that waits longest"),
    HELD("millrace.held.rows", "rows", "sink shard", "sealed and not settled"),
    SLOT_WAIT(
            "millrace.shard.waits.for.slot",
            "1 or 0",
            "sink shard",
            "1 while it could write, and as many writes of its sink are on their way as inflight.max_total allows",
            "inflight.max_total is set"),
    LIMIT(
            "millrace.inflight.limit",
            "batches",
            "sink shard",
            "that may be on their way, fewer than set while the sink is overloaded"),
    LINGER(
            "millrace.linger.seconds",
            "seconds",
            "sink shard",
            "for which an open batch lingers, longer than set while the sink is overloaded"),
    BACKOFF("millrace.backoff.seconds", "seconds", "sink shard", "of the longest backoff being slept now"),
    SILENT(
            "millrace.sink.silent.seconds",
            "seconds",
            "sink shard",
            "since the sink last answered anything, a refusal too; NaN if it never did"),
    WRITE("millrace.write.seconds", "seconds", "sink shard", "that one successful write took"),
    PERMIT_WAIT(
            "millrace.permit.wait.seconds",
            "seconds",
            "sink shard",
            "from seal to the start of the write that succeeded"),
    SEAL_TO_SETTLE("millrace.seal.to.settle.seconds", "seconds", "sink shard", "from seal to settle"),
    BREAKER("millrace.breaker.state", "state", "sink shard replica", "0 closed, 1 half-open, 2 open"),
    REPLICA_WRITTEN("millrace.replica.rows.written", "rows", "sink shard replica", "written through this replica"),
    REPLICA_FAILURES("millrace.replica.failures", "attempts", "sink shard replica", "that did not write"),

    ADVISORY_SEEN("millrace.advisory.rows.seen", "rows", "sink", "that the advisory sink was to see", Metric.ADVISORY),
    ADVISORY_ROWS("millrace.advisory.rows", "rows", "sink outcome", "by what became of them", Metric.ADVISORY),
    ADVISORY_IN_FLIGHT(
            "millrace.advisory.inflight.rows", "rows", "sink", "kept for it or on their way", Metric.ADVISORY),
    ADVISORY_BYTES("millrace.advisory.inflight.bytes", "bytes", "sink", "kept for it or on their way", Metric.ADVISORY),
    ADVISORY_REACHED(
            "millrace.advisory.reached", "1 or 0", "sink", "1 once it has said what it looks like", Metric.ADVISORY),
    ADVISORY_USABLE("millrace.advisory.usable", "1 or 0", "sink shard", "1 if a replica takes writes", Metric.ADVISORY),
    ADVISORY_ATTEMPTS("millrace.advisory.attempts", "attempts", "sink shard outcome", "ended", Metric.ADVISORY),

    INTAKE_REQUESTS("millrace.intake.requests", "requests", "status", "answered with this status", Metric.INTAKE),
    INTAKE_ADMITTED("millrace.intake.rows.admitted", "rows", "", "posted and taken in", Metric.INTAKE),
    INTAKE_REFUSED(
            "millrace.intake.refused",
            "requests",
            "limit",
            "told to come again, by the limit that refused: requests, rows, bytes, destination (a table can't take it as"
                    + " it is now), token (its file can't be read), paused, draining",
            Metric.INTAKE),

    FRONT_OPEN("millrace.front.open", "1 or 0", "sink", "1 while it takes items", Metric.FRONT),
    FRONT_TAKEN("millrace.front.items.taken", "items", "sink", "taken in, each with a slot", Metric.FRONT),
    FRONT_WRITTEN("millrace.front.items.written", "items", "sink", "that the sink has", Metric.FRONT),
    FRONT_SKIPPED("millrace.front.items.skipped", "items", "sink", "left out by the encoder on purpose", Metric.FRONT),
    FRONT_LOST(
            "millrace.front.items.lost",
            "items",
            "sink reason",
            "lost, each for one reason: shed (no room for what is staged), rejected (for its data), unreachable (given"
                    + " up by its shard), shutdown",
            Metric.FRONT),
    FRONT_IN_DOUBT(
            "millrace.front.items.in.doubt",
            "items",
            "sink",
            "of those lost, given up after an unknown outcome, so perhaps stored",
            Metric.FRONT),
    FRONT_SLOTS(
            "millrace.front.slots",
            "slots",
            "sink share",
            "reserved, or held by an item until it is written or lost",
            Metric.FRONT),
    FRONT_MAX_SLOTS("millrace.front.max.slots", "slots", "sink share", "that there are", Metric.FRONT),
    FRONT_BYTES("millrace.front.bytes", "bytes", "sink share", "of items that hold a slot", Metric.FRONT),
    FRONT_MAX_BYTES(
            "millrace.front.max.bytes", "bytes", "sink share", "at which nothing more is admitted", Metric.FRONT),
    FRONT_WAITING("millrace.front.waiting", "producers", "sink", "that wait for slots", Metric.FRONT),
    FRONT_REFUSED(
            "millrace.front.reservations.refused",
            "reservations",
            "sink limit",
            "refused, by the limit that did",
            Metric.FRONT);

    private static final String ADVISORY = "there is an advisory sink";
    private static final String INTAKE = "rows are posted";
    private static final String FRONT = "producers hand items to a front";

    private final String meterName;
    private final String unit;
    private final String labels;
    private final String tells;
    private final String onlyWhile;

    Metric(String name, String unit, String labels, String tells) {
        this(name, unit, labels, tells, "");
    }

    /// `onlyWhile` says when there are series of it, for one that is not there from the start.
    Metric(String name, String unit, String labels, String tells, String onlyWhile) {
        this.meterName = name;
        this.unit = unit;
        this.labels = labels;
        this.tells = tells;
        this.onlyWhile = onlyWhile;
    }

    String meterName() {
        return meterName;
    }

    String tells() {
        return tells;
    }

    /// When there are series of it; empty for one that is there from the start.
    String onlyWhile() {
        return onlyWhile;
    }

    /// Unit and meaning in one: "rows: polled".
    private String description() {
        return unit + ": " + tells;
    }

    void gauge(MeterRegistry registry, Tags tags, Supplier<Number> value) {
        Gauge.builder(meterName, value)
                .description(description())
                .baseUnit(unit)
                .tags(fitting(tags))
                .register(registry);
    }

    <T> void counter(MeterRegistry registry, Tags tags, T of, ToDoubleFunction<T> count) {
        FunctionCounter.builder(meterName, of, count)
                .description(description())
                .baseUnit(unit)
                .tags(fitting(tags))
                .register(registry);
    }

    Timer timer(MeterRegistry registry, Tags tags) {
        return Timer.builder(meterName)
                .description(description())
                .tags(fitting(tags))
                .publishPercentileHistogram()
                .register(registry);
    }

    /// One whose series come and go.
    MultiGauge gauges(MeterRegistry registry) {
        return MultiGauge.builder(meterName)
                .description(description())
                .baseUnit(unit)
                .register(registry);
    }

    /// One of its series.
    MultiGauge.Row<?> row(Tags tags, Number value) {
        return MultiGauge.Row.of(fitting(tags), value);
    }

    private Tags fitting(Tags tags) {
        var keys = tags.stream().map(Tag::getKey).collect(Collectors.toSet());
        var declared = labels.isEmpty() ? Set.of() : Set.of(labels.split(" "));
        if (!keys.equals(declared))
            throw new IllegalArgumentException(meterName + " has the labels " + declared + ", not " + keys);
        return tags;
    }
}
