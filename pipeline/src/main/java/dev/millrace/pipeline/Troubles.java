package dev.millrace.pipeline;

import dev.millrace.breaker.ReplicaView.Phase;
import dev.millrace.kafka.PartitionView;
import dev.millrace.kafka.SourceView;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.ShardView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What is wrong with a pipeline and what to do, the worst first: what `/stuck` knows, in plain words.
///
/// Of what follows from something else only that is told: a partition that stands because its shard takes nothing is
/// no trouble of its own.
///
/// Thread ownership: the caller's.
final class Troubles {
    private static final String BY_ITSELF = " It is tried again by itself; nothing has to be restarted.";
    /// A group may take so long to give out partitions before that is news.
    private static final long JOINING_NANOS = 10_000_000_000L;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private static final Comparator<Trouble> WORST_FIRST = Comparator.comparing(Trouble::level);

    private final Snapshot now;
    private final List<Trouble> found = new ArrayList<>();
    /// Partitions of which something is told already.
    private final Set<PartitionView> told = new HashSet<>();

    private Troubles(Snapshot now) {
        this.now = now;
    }

    static List<Trouble> of(Snapshot now, Pulse pulse) {
        var troubles = new Troubles(now);
        troubles.course();
        for (var shard : now.shards()) troubles.shard(shard);
        for (var partition : now.partitions()) if (partition.member() >= 0) troubles.partition(partition);
        troubles.stand();
        for (var sink : now.advisory()) troubles.advisory(sink);
        troubles.setAside(pulse.deadLetteredLately());
        troubles.found.sort(WORST_FIRST);
        return troubles.found;
    }

    /// All that stands above the page: the worst, or that all is well.
    static String headline(Snapshot now, List<Trouble> troubles) {
        if (!troubles.isEmpty()) return troubles.getFirst().what();
        var lag = now.lag();
        return "All is well. Every shard takes rows, and nothing is stuck."
                + (lag == null || lag == 0 ? "" : " " + Span.rows(lag) + (lag == 1 ? " is" : " are") + " on the way.");
    }

    private void bad(Object where, String what, String remedy) {
        found.add(new Trouble(Trouble.Level.BAD, where.toString(), what, remedy));
    }

    private void watch(Object where, String what, String remedy) {
        found.add(new Trouble(Trouble.Level.WATCH, where.toString(), what, remedy));
    }

    // --- the whole

    private void course() {
        var ends = now.course().endsNanos();
        if (ends != null) {
            watch(
                    "",
                    "Stopping: nothing more is read; what was taken is being finished, for at most "
                            + Span.of(ends - now.nowNanos()) + " more.",
                    "Nothing. The report says what is left, and that is read again at the next start.");
            return;
        }
        var since = now.course().pausedSinceNanos();
        if (since != null)
            watch(
                    "",
                    "Paused by hand for " + Span.of(now.nowNanos() - since)
                            + ": nothing more is read, what was taken is finished; rows wait in Kafka, nothing is lost.",
                    "Let it go on with: millrace resume FILE");
        var from = now.source();
        if (from == null) starting();
        else source(from);
    }

    private void starting() {
        var why = now.course().waitsFor();
        if (why == null) watch("", "Starting: nothing is read yet.", "Wait a moment.");
        else
            bad(
                    "",
                    "Nothing is read yet: " + EventRing.cut(why) + ". Rows wait in Kafka; nothing is lost.",
                    "Bring that server up, or mend its address in the pipeline's file." + BY_ITSELF);
    }

    private void source(SourceView from) {
        var turn = from.turnAgeNanos();
        if (turn > from.maxPollIntervalNanos() / 2)
            bad(
                    "",
                    "The process hangs: it has not asked Kafka for anything for " + Span.of(turn) + ".",
                    "Keep what jcmd PID Thread.print says, then restart the process; what is not committed is read"
                            + " again.");
        var unassigned = from.members().stream()
                .mapToLong(member -> member.unassignedNanos())
                .max()
                .orElse(0);
        if (!from.ready() && !now.draining() && unassigned >= JOINING_NANOS)
            bad(
                    "",
                    "Nothing is read: Kafka has given this process no partitions for " + Span.of(unassigned) + ".",
                    "Look whether the brokers are up, and at the other members of the group: kafka-consumer-groups.sh"
                            + " --describe --state.");
    }

    private void setAside(long lately) {
        if (lately > 0)
            watch(
                    "",
                    Span.rows(lately) + " that no store can take " + (lately == 1 ? "was" : "were")
                            + " set aside in the last minutes; the others go on.",
                    "See which and why: millrace dlq list FILE");
    }

    // --- shards and their replicas

    private void shard(ShardStatus shard) {
        var view = shard.view();
        if (shard.worker() == ShardStatus.Worker.DIED) {
            bad(
                    shard.shard(),
                    "Shard " + shard.shard() + " has ended by a fault of Millrace's own; what it held is not committed,"
                            + " and is read again.",
                    "Keep the log (event=worker_died), and start the process again.");
            tell(shard);
        } else if (!view.usable()) {
            takesNothing(shard);
            tell(shard);
        } else {
            for (var i = 0; i < shard.endpoints().size(); i++) replica(shard, i);
        }
        blocked(shard, view.held().stream().filter(ShardView.Held::blocked).toList());
        view.held().stream().filter(Troubles::pinnedLong).findFirst().ifPresent(held -> pinned(shard, held));
    }

    private static boolean pinnedLong(ShardView.Held held) {
        var pin = held.pin();
        return pin != null && pin.over();
    }

    private void takesNothing(ShardStatus shard) {
        var replicas = shard.view().replicas();
        var inQuarantine = replicas.stream()
                .filter(replica -> replica.state().phase() == Phase.QUARANTINED)
                .count();
        var name = shard.shard();
        if (inQuarantine == replicas.size()) {
            bad(
                    name,
                    "Shard " + name + " takes nothing: " + all(replicas.size(), "is in quarantine", "are in quarantine")
                            + waiting(shard),
                    "Release one: millrace release FILE --shard " + name + " --replica "
                            + EndpointName.of(shard.endpoints().getFirst()));
            return;
        }
        var ill = replicas.stream()
                .filter(replica -> replica.state().phase() != Phase.QUARANTINED)
                .toList();
        var ailments = ill.stream()
                .map(replica -> Ailment.of(replica.lastFailure()))
                .distinct()
                .toList();
        var one = ailments.getFirst();
        String why;
        if (ailments.size() == 1 && inQuarantine == 0) why = all(replicas.size(), one.says(), one.say());
        else
            why = ill.stream()
                            .map(replica -> name(shard, replica) + " "
                                    + Ailment.of(replica.lastFailure()).says())
                            .collect(Collectors.joining(", "))
                    + (inQuarantine == 0 ? "" : ", and " + inQuarantine + " in quarantine");
        bad(
                name,
                "Shard " + name + " takes nothing: " + why + waiting(shard),
                names(shard) + ": " + one.remedy() + BY_ITSELF + next(shard));
    }

    private static String all(int replicas, String says, String say) {
        return switch (replicas) {
            case 1 -> "its only replica " + says;
            case 2 -> "both its replicas " + say;
            default -> "all its " + replicas + " replicas " + say;
        };
    }

    private String waiting(ShardStatus shard) {
        var rows = shard.view().heldRows() + shard.view().openRows();
        var all = now.lag();
        return ". "
                + (rows == 0
                        ? "No row waits for it yet"
                        : Span.rows(rows) + (rows == 1 ? " waits" : " wait")
                                + " in its batches, others behind or in Kafka"
                                + (all == null ? "" : " (" + Span.count(all) + " in all)"))
                + "; nothing is lost.";
    }

    private static String names(ShardStatus shard) {
        return shard.endpoints().stream().map(EndpointName::of).collect(Collectors.joining(", "));
    }

    private static String name(ShardStatus shard, ShardView.Replica replica) {
        return EndpointName.of(shard.endpoints().get(replica.state().replica()));
    }

    /// When the next of them is tried.
    private String next(ShardStatus shard) {
        var earliest = NanoClock.NEVER;
        for (var replica : shard.view().replicas())
            earliest = NanoClock.earlier(earliest, replica.state().phaseEndsNanos());
        if (earliest == NanoClock.NEVER) return "";
        var left = earliest - now.nowNanos();
        return left < NANOS_PER_SECOND ? " Next try now." : " Next try in " + Span.of(left) + ".";
    }

    private void replica(ShardStatus shard, int index) {
        var replica = shard.view().replicas().get(index);
        var state = replica.state();
        var name = name(shard, replica);
        var of = "Replica " + name + " of shard " + shard.shard();
        switch (state.phase()) {
            case QUARANTINED ->
                watch(
                        shard.shard(),
                        of + " has been in quarantine for " + Span.of(now.nowNanos() - state.phaseBeganNanos())
                                + "; the others take its rows, nothing waits.",
                        "Release it when it is well: millrace release FILE --shard " + shard.shard() + " --replica "
                                + name);
            case HALF_OPEN ->
                watch(
                        shard.shard(),
                        of + " was left out, and is tried again with the next rows; the others take its rows, nothing"
                                + " waits.",
                        "Nothing, unless it is left out again: then look at that server.");
            case OPEN -> {
                var ailment = Ailment.of(replica.lastFailure());
                watch(
                        shard.shard(),
                        of + " " + ailment.says() + "; the others take its rows, nothing waits.",
                        ailment.remedy() + " It is tried again and comes back by itself.");
            }
            case CLOSED -> {
                if (state.unfinished())
                    watch(
                            shard.shard(),
                            of + " gets no more writes: earlier ones to it do not end.",
                            "Look at the server: it keeps connections open and answers nothing.");
            }
        }
    }

    private void blocked(ShardStatus shard, List<ShardView.Held> held) {
        if (held.isEmpty()) return;
        var failure = held.getFirst().failure();
        var why = failure == null ? "it waits for a person" : EventRing.cut(failure.toString());
        var rows = Span.rows(held.stream().mapToLong(ShardView.Held::rows).sum());
        var waits = held.stream()
                .flatMap(one -> partitionsOf(one).stream())
                .distinct()
                .toList();
        var one = held.size() == 1;
        bad(
                shard.shard(),
                "Shard " + shard.shard() + " holds "
                        + (one ? "a batch of " + rows + " that is" : held.size() + " batches of " + rows + " that are")
                        + " not accepted: " + why + ". "
                        + (waits.size() == 1 ? "1 partition waits" : waits.size() + " partitions wait")
                        + (one ? " for it" : " for them") + "; nothing is lost.",
                (failure == null ? "See the log (event=batch_blocked)." : heldRemedy(failure)) + BY_ITSELF);
        told.addAll(waits);
    }

    /// Of rows that are refused one by one the tables say to look at the dead letters; what is held is none yet.
    private static String heldRemedy(Failure failure) {
        var remedy = Ailment.remedy(failure);
        return remedy.contains("dead letters")
                ? "Mend the table so that it takes such rows, or whoever makes them; a row alone is set aside as soon as"
                        + " the shard takes others."
                : remedy;
    }

    private void pinned(ShardStatus shard, ShardView.Held held) {
        var pin = held.pin();
        if (pin == null) return;
        var replica = EndpointName.of(shard.endpoints().get(pin.replica()));
        bad(
                shard.shard(),
                "A batch of " + Span.rows(held.rows()) + " of shard " + shard.shard() + " waits for replica " + replica
                        + " alone, which may have stored it, for " + Span.of(now.nowNanos() - pin.sinceNanos())
                        + ". Its partitions wait with it; nothing is lost.",
                "Bring " + replica + " back; or set ambiguous.then: resend, which may store these rows twice.");
        told.addAll(partitionsOf(held));
    }

    private void tell(ShardStatus shard) {
        for (var held : shard.view().held()) told.addAll(partitionsOf(held));
    }

    private List<PartitionView> partitionsOf(ShardView.Held held) {
        return now.partitions().stream()
                .filter(partition -> held.partitions().contains(partition.partition()))
                .toList();
    }

    // --- partitions

    private void partition(PartitionView partition) {
        var name = partition.partition();
        var hangs = partition.transaction();
        if (hangs != null) {
            told.add(partition);
            bad(
                    name,
                    "Partition " + name + " gives nothing: a transaction that nobody ends has stood at offset "
                            + hangs.stableOffset() + " for " + Span.of(hangs.ageNanos())
                            + ". What is behind it waits in Kafka; nothing is lost.",
                    "End the producer" + (hangs.producerId() == null ? "" : " " + hangs.producerId())
                            + "'s transaction: kafka-transactions.sh abort --topic " + name.topic() + " --partition "
                            + name.partition() + " --start-offset " + hangs.stableOffset());
        }
        var by = partition.blockedBy();
        if (by == null) return;
        if (partition.drifts()) {
            told.add(partition);
            bad(
                    name,
                    "Partition " + name + " waits for a person: " + EventRing.cut(by) + ".",
                    "See which rows are refused (millrace dlq list FILE), then mend the table or who makes them.");
        } else if (by.equals("a range that failed") || by.equals("topic changed")) {
            told.add(partition);
            bad(
                    name,
                    "Partition " + name + " has stopped: " + by + "; nothing of it is committed any more.",
                    "See the log; the process ends by itself, and reads again what is not committed.");
        } else if (by.contains(" ") && !by.equals("dead letters")) {
            told.add(partition);
            bad(
                    name,
                    "Partition " + name + " waits: " + EventRing.cut(by) + ".",
                    "Mend what that names; it goes on by itself.");
        }
    }

    /// Watermarks that stand, and nothing that was told says why.
    private void stand() {
        var standing = now.partitions().stream()
                .filter(partition -> partition.member() >= 0
                        && partition.pending() > 0
                        && partition.headNanos() >= now.stuckNanos()
                        && !told.contains(partition)
                        // What was polled and not encoded waits for the end of the pause.
                        && !(now.paused() && heldOf(partition) == null))
                .sorted(Comparator.comparingLong(PartitionView::headNanos).reversed())
                .toList();
        if (standing.isEmpty()) return;
        var oldest = standing.getFirst();
        var held = heldOf(oldest);
        bad(
                oldest.partition(),
                (standing.size() == 1
                                ? "Partition " + oldest.partition() + " has"
                                : standing.size() + " partitions, " + oldest.partition() + " longest, have")
                        + " stood still for " + Span.of(oldest.headNanos())
                        + (held == null ? "" : ": " + held.batch()) + ". Nothing is lost.",
                held == null || held.failure() == null
                        ? "Look at what is named here and below; millrace stuck FILE --json has every detail."
                        : Ailment.of(held.failure()).remedy() + BY_ITSELF);
    }

    /// The batch that a partition waits for, in words, and what its last attempt said.
    private record HeldOf(String batch, @Nullable Failure failure) {}

    private @Nullable HeldOf heldOf(PartitionView partition) {
        for (var shard : now.shards())
            for (var held : shard.view().held())
                if (held.partitions().contains(partition.partition())) {
                    @Nullable Failure failure = held.failure();
                    var batch = "a batch of " + Span.rows(held.rows()) + " for shard " + shard.shard()
                            + (held.writing() ? " is being written, attempt " : " waits, after attempt ")
                            + held.attempts()
                            + (failure == null ? "" : "; the last one said " + EventRing.cut(failure.toString()));
                    return new HeldOf(batch, failure);
                }
        return null;
    }

    private void advisory(AdvisoryView sink) {
        var dead = sink.shards().stream().anyMatch(shard -> !shard.view().usable());
        if (sink.reached() && !dead) return;
        watch(
                sink.sink(),
                "Advisory sink " + sink.sink() + (sink.reached() ? " does not take all its rows" : " is not reached")
                        + "; they are dropped and counted, and nothing waits for it.",
                "Look at its servers when there is time.");
    }
}
