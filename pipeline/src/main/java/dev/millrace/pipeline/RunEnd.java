package dev.millrace.pipeline;

import dev.millrace.kafka.PartitionView;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.ShardView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Draws up the report of a run from what its parts say at its end.
///
/// Invariant: what no part can tell is null, and sets no sum (DRN-3).
record RunEnd(
        Run run,
        List<PartitionView> partitions,
        List<ShardStatus> shards,
        Map<ShardId, Long> givenUpBefore,
        boolean membersEnded,
        Waited waited,
        List<AdvisoryView> advisory,
        Map<String, Guarantee> guarantees,
        long perhapsTwiceByPlans,
        long offsetsSkipped,
        @Nullable IntakeView posted) {
    /// `givenUpBefore` is what each shard had abandoned, or left in doubt, before the stop: in
    /// rebalances, and long replayed. `guarantees` are those of sinks that are waited for, by name;
    /// `perhapsTwiceByPlans` are rows that were sent again in other batches than before,
    /// `offsetsSkipped` those that a person left out. `posted` is null where a log is read.
    RunEnd {
        givenUpBefore = Map.copyOf(givenUpBefore);
        advisory = List.copyOf(advisory);
        guarantees = Map.copyOf(guarantees);
    }

    /// Of a pipeline without advisory sinks, and whose others told nothing of repeats.
    RunEnd(
            Run run,
            List<PartitionView> partitions,
            List<ShardStatus> shards,
            Map<ShardId, Long> givenUpBefore,
            boolean membersEnded,
            Waited waited) {
        this(run, partitions, shards, givenUpBefore, membersEnded, waited, List.of(), Map.of());
    }

    /// Of a pipeline that lost no plan, and left nothing unread.
    RunEnd(
            Run run,
            List<PartitionView> partitions,
            List<ShardStatus> shards,
            Map<ShardId, Long> givenUpBefore,
            boolean membersEnded,
            Waited waited,
            List<AdvisoryView> advisory,
            Map<String, Guarantee> guarantees) {
        this(run, partitions, shards, givenUpBefore, membersEnded, waited, advisory, guarantees, 0, 0, null);
    }

    /// Rows that a shard has given up so far.
    static long givenUp(ShardStatus shard) {
        return shard.counts().rowsAbandoned() + shard.counts().rowsInDoubt();
    }

    /// What is known of the run itself.
    record Run(
            String pipeline,
            String version,
            Instant startedAt,
            Instant endedAt,
            String reason,
            double drainSeconds,
            double drainBudgetSeconds) {}

    /// How its end was waited for.
    enum Waited {
        /// To the end, or to the deadline.
        TO_THE_DEADLINE,
        /// Not at all: no time was given.
        NOT,
        /// Cut short by a second signal.
        CUT_SHORT
    }

    DrainReport report(ExitCode so) {
        var drained = drained();
        var exit = so.or(exitOf(drained)).code();
        return report(exit, drained);
    }

    /// With an exit code that stands above all others.
    DrainReport report(int exitCode) {
        return report(exitCode, drained());
    }

    private DrainReport report(int exitCode, @Nullable Boolean drained) {
        return new DrainReport(
                run.pipeline(),
                run.version(),
                run.startedAt(),
                run.endedAt(),
                run.reason(),
                exitCode,
                waited == Waited.CUT_SHORT,
                run.drainSeconds(),
                run.drainBudgetSeconds(),
                drained,
                caughtUp(),
                rows(),
                shards.stream()
                        .mapToLong(shard -> shard.counts().batchesWritten())
                        .sum(),
                perhapsTwiceByPlans
                        + shards.stream()
                                .mapToLong(shard -> shard.counts().possibleDuplicates())
                                .sum(),
                offsetsSkipped,
                owned().stream().map(this::partition).toList(),
                sinks(),
                advisory.stream().map(RunEnd::advisory).toList(),
                posted);
    }

    private ExitCode exitOf(@Nullable Boolean drained) {
        if (!allWorkersKnown() || drained == null) return ExitCode.UNKNOWN_STATE;
        return drained ? ExitCode.DRAINED : ExitCode.LEFT_UNDONE;
    }

    private boolean allWorkersKnown() {
        return membersEnded && shards.stream().allMatch(shard -> shard.worker() == ShardStatus.Worker.FINISHED);
    }

    private List<PartitionView> owned() {
        return partitions.stream().filter(partition -> partition.member() >= 0).toList();
    }

    /// Nothing taken is left undone: what is committed is what was taken, partition by partition.
    private @Nullable Boolean drained() {
        if (!allWorkersKnown()) return null;
        if (posted != null) return posted.sinks().values().stream().allMatch(rows -> rows.lost() + rows.held() == 0);
        return owned().stream().allMatch(RunEnd::done);
    }

    private static boolean done(PartitionView partition) {
        var position = partition.position();
        var next = next(partition);
        return position == null || (next != null && next >= position);
    }

    /// Where the next start begins: at what is committed, or, where nothing was and nothing was taken,
    /// where this run began.
    private static @Nullable Long next(PartitionView partition) {
        var committed = partition.committed();
        return committed == null && partition.polled() == 0 ? partition.watermark() : committed;
    }

    /// A log that was not read at the very end may have grown since: behind is certain then,
    /// caught up is not. And who owns nothing knows of no backlog.
    private @Nullable Boolean caughtUp() {
        var known = membersEnded && !owned().isEmpty();
        for (var partition : owned()) {
            var end = end(partition);
            var next = next(partition);
            if (end == null) known = false;
            else if (next == null || next < end) return false;
        }
        return known ? true : null;
    }

    /// The log's end, where it could be read in time.
    private static @Nullable Long end(PartitionView partition) {
        var lag = partition.lag();
        var watermark = partition.watermark();
        return lag == null || watermark == null ? null : (Long) (watermark + lag);
    }

    /// Of all sinks.
    private DrainReport.Rows rows() {
        return posted == null ? rows(partitions, _ -> true) : posted(posted.admitted(), _ -> true);
    }

    private DrainReport.Rows rows(String sink) {
        if (posted != null)
            return posted(Objects.requireNonNull(posted.sinks().get(sink)).admitted(), sink::equals);
        var its = partitions.stream()
                .filter(partition ->
                        partition.sinks().stream().anyMatch(rows -> rows.sink().equals(sink)))
                .toList();
        return rows(its, sink::equals);
    }

    /// Each row of a front ends once. What was in doubt is a part of what was lost there.
    private DrainReport.Rows posted(long taken, Predicate<String> sink) {
        var known = allWorkersKnown();
        long delivered = 0, duplicate = 0, rejected = 0, lost = 0, inDoubt = 0;
        for (var shard : shards)
            if (sink.test(shard.shard().sink())) duplicate += shard.counts().rowsDuplicate();
        for (var one : Objects.requireNonNull(posted).sinks().entrySet()) {
            if (!sink.test(one.getKey())) continue;
            var rows = one.getValue();
            delivered += rows.written();
            rejected += rows.rejected();
            lost += rows.lost() - rows.inDoubt();
            inDoubt += rows.inDoubt();
        }
        return new DrainReport.Rows(
                taken, delivered, duplicate, rejected, 0, known ? (Long) lost : null, known ? (Long) inDoubt : null);
    }

    private DrainReport.Rows rows(List<PartitionView> of, Predicate<String> sink) {
        var known = allWorkersKnown();
        long delivered = 0, duplicate = 0, skipped = 0, deadLettered = 0, abandoned = 0, inDoubt = 0;
        for (var shard : shards) {
            if (!sink.test(shard.shard().sink())) continue;
            delivered += shard.counts().rowsWritten();
            duplicate += shard.counts().rowsDuplicate();
            inDoubt += shard.counts().rowsInDoubt();
        }
        for (var partition : of) {
            for (var rows : partition.sinks()) {
                if (!sink.test(rows.sink())) continue;
                skipped += rows.skippedRows() + rows.tally().skipped();
                deadLettered += rows.deadLettered() + rows.tally().deadLettered();
                // By partition and not by shard: what no shard took in time was encoded and given up too, and so was,
                // for each sink, what was never encoded.
                abandoned += rows.tally().abandoned() + partition.dropped() + partition.waiting();
                // A dead letter that was not acknowledged in time may have arrived.
                inDoubt += rows.lettersOut() + rows.lettersLeft();
            }
        }
        return new DrainReport.Rows(
                of.stream().mapToLong(PartitionView::polled).sum(),
                delivered,
                duplicate,
                skipped,
                deadLettered,
                known ? (Long) abandoned : null,
                known ? (Long) inDoubt : null);
    }

    private static DrainReport.AdvisoryEnd advisory(AdvisoryView sink) {
        var outcomes = new EnumMap<AdvisoryOutcome, Long>(AdvisoryOutcome.class);
        for (var outcome : AdvisoryOutcome.values()) outcomes.put(outcome, sink.rows(outcome));
        return new DrainReport.AdvisoryEnd(sink.sink(), sink.reached(), sink.seen(), outcomes, sink.inFlight());
    }

    private DrainReport.Partition partition(PartitionView partition) {
        var end = end(partition);
        var committed = partition.committed();
        var position = partition.position();
        return new DrainReport.Partition(
                partition.partition().topic(),
                partition.partition().partition(),
                committed,
                end,
                end == null || committed == null ? null : (Long) Math.max(0, end - committed),
                position == null ? 0 : position,
                done(partition) ? null : blockedBy(partition));
    }

    /// Why it is not done: the batch that holds it, or that nobody took what is done, or whatever
    /// kept it out of the shards.
    private String blockedBy(PartitionView partition) {
        for (var shard : shards) {
            for (var held : shard.view().held()) {
                if (held.partitions().contains(partition.partition()))
                    return shard.shard() + " batch " + held.batch() + ": " + text(held.failure());
            }
        }
        var position = partition.position();
        var watermark = partition.watermark();
        if (position != null && watermark != null && watermark >= position)
            return "the broker has not taken the commit";
        var reason = partition.blockedBy();
        return reason == null ? "given up before a shard had it" : reason;
    }

    private static String text(@Nullable Failure failure) {
        return failure == null ? "no attempt has ended" : failure.toString();
    }

    private List<DrainReport.SinkEnd> sinks() {
        var bySink = new LinkedHashMap<String, List<DrainReport.ShardEnd>>();
        for (var shard : shards)
            bySink.computeIfAbsent(shard.shard().sink(), _ -> new ArrayList<>()).add(shard(shard));
        var out = new ArrayList<DrainReport.SinkEnd>();
        bySink.forEach((name, ends) -> out.add(new DrainReport.SinkEnd(name, level(name), rows(name), ends)));
        return out;
    }

    private @Nullable String level(String sink) {
        var guarantee = guarantees.get(sink);
        return guarantee == null ? null : guarantee.level().name();
    }

    private DrainReport.ShardEnd shard(ShardStatus shard) {
        var counts = shard.counts();
        var left = givenUp(shard) - givenUpBefore.getOrDefault(shard.shard(), 0L);
        if (shard.worker() == ShardStatus.Worker.RUNNING)
            left += shard.view().openRows() + shard.view().heldRows();
        var state = state(shard, left);
        return new DrainReport.ShardEnd(
                shard.shard().shard(),
                state,
                shard.worker() != ShardStatus.Worker.FINISHED,
                counts.rowsWritten(),
                counts.batchesWritten(),
                counts.possibleDuplicates(),
                left,
                replicas(shard));
    }

    private DrainReport.State state(ShardStatus shard, long left) {
        return switch (shard.worker()) {
            case DIED -> DrainReport.State.DIED;
            case FINISHED -> left > 0 ? DrainReport.State.ABANDONED : DrainReport.State.FINISHED;
            case RUNNING ->
                waited == Waited.TO_THE_DEADLINE ? DrainReport.State.OVERRAN : DrainReport.State.NOT_WAITED_FOR;
        };
    }

    private static List<DrainReport.ReplicaEnd> replicas(ShardStatus shard) {
        var out = new ArrayList<DrainReport.ReplicaEnd>();
        for (ShardView.Replica replica : shard.view().replicas()) {
            var index = replica.state().replica();
            var failure = replica.lastFailure();
            out.add(new DrainReport.ReplicaEnd(
                    shard.endpoints().get(index).toString(),
                    replica.state().phase().name().toLowerCase(Locale.ROOT),
                    shard.counts().rowsWrittenTo(index),
                    shard.counts().failuresOf(index),
                    failure == null ? null : failure.toString()));
        }
        return out;
    }
}
