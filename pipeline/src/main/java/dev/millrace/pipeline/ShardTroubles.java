package dev.millrace.pipeline;

import dev.millrace.breaker.ReplicaView.Phase;
import dev.millrace.kafka.PartitionView;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.ShardView;
import java.util.List;
import java.util.stream.Collectors;

/// What is wrong with one shard: its worker, its replicas, and the batches that it cannot be rid of.
///
/// Thread ownership: the caller's.
final class ShardTroubles {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final Snapshot now;
    private final ShardStatus shard;
    private final Troubles found;

    ShardTroubles(Snapshot now, ShardStatus shard, Troubles found) {
        this.now = now;
        this.shard = shard;
        this.found = found;
    }

    void tell() {
        var view = shard.view();
        if (shard.worker() == ShardStatus.Worker.DIED) {
            found.bad(
                    shard.shard(),
                    "Shard " + shard.shard() + " has ended by a fault of Millrace's own; what it held "
                            + (now.posted() == null ? "is not committed, and is read again." : "is lost."),
                    "Keep the log (event=worker_died), and start the process again.");
            explain();
        } else if (!view.usable()) {
            takesNothing();
            explain();
        } else {
            for (var i = 0; i < shard.endpoints().size(); i++) replica(i);
        }
        blocked(view.held().stream().filter(ShardView.Held::blocked).toList());
        view.held().stream().filter(ShardTroubles::pinnedLong).findFirst().ifPresent(held -> pinned(held));
    }

    private static boolean pinnedLong(ShardView.Held held) {
        var pin = held.pin();
        return pin != null && pin.over();
    }

    private void takesNothing() {
        var replicas = shard.view().replicas();
        var inQuarantine = replicas.stream()
                .filter(replica -> replica.state().phase() == Phase.QUARANTINED)
                .count();
        var name = shard.shard();
        if (inQuarantine == replicas.size()) {
            found.bad(
                    name,
                    "Shard " + name + " takes nothing: " + all(replicas.size(), "is in quarantine", "are in quarantine")
                            + waiting(),
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
                            .map(replica -> name(replica) + " "
                                    + Ailment.of(replica.lastFailure()).says())
                            .collect(Collectors.joining(", "))
                    + (inQuarantine == 0 ? "" : ", and " + inQuarantine + " in quarantine");
        found.bad(
                name,
                "Shard " + name + " takes nothing: " + why + waiting(),
                names() + ": " + one.remedy() + Troubles.BY_ITSELF + next());
    }

    private static String all(int replicas, String says, String say) {
        return switch (replicas) {
            case 1 -> "its only replica " + says;
            case 2 -> "both its replicas " + say;
            default -> "all its " + replicas + " replicas " + say;
        };
    }

    private String waiting() {
        var rows = shard.view().heldRows() + shard.view().openRows();
        var all = now.lag();
        return ". "
                + (rows == 0
                        ? "No row waits for it yet"
                        : Span.rows(rows)
                                + (rows == 1 ? " waits" : " wait")
                                + (now.posted() == null
                                        ? " in its batches, others behind or in Kafka"
                                        : " in its batches, and posts are refused when there is no more room")
                                + (all == null ? "" : " (" + Span.count(all) + " in all)"))
                + "; nothing is lost.";
    }

    private String names() {
        return shard.endpoints().stream().map(EndpointName::of).collect(Collectors.joining(", "));
    }

    private String name(ShardView.Replica replica) {
        return EndpointName.of(shard.endpoints().get(replica.state().replica()));
    }

    /// When the next of them is tried.
    private String next() {
        var earliest = NanoClock.NEVER;
        for (var replica : shard.view().replicas())
            earliest = NanoClock.earlier(earliest, replica.state().phaseEndsNanos());
        if (earliest == NanoClock.NEVER) return "";
        var left = earliest - now.nowNanos();
        return left < NANOS_PER_SECOND ? " Next try now." : " Next try in " + Span.of(left) + ".";
    }

    private void replica(int index) {
        var replica = shard.view().replicas().get(index);
        var state = replica.state();
        var name = name(replica);
        var of = "Replica " + name + " of shard " + shard.shard();
        switch (state.phase()) {
            case QUARANTINED ->
                found.watch(
                        shard.shard(),
                        of + " has been in quarantine for " + Span.of(now.nowNanos() - state.phaseBeganNanos())
                                + "; the others take its rows, nothing waits.",
                        "Release it when it is well: millrace release FILE --shard " + shard.shard() + " --replica "
                                + name);
            case HALF_OPEN ->
                found.watch(
                        shard.shard(),
                        of + " was left out, and is tried again with the next rows; the others take its rows, nothing"
                                + " waits.",
                        "Nothing, unless it is left out again: then look at that server.");
            case OPEN -> {
                var ailment = Ailment.of(replica.lastFailure());
                found.watch(
                        shard.shard(),
                        of + " " + ailment.says() + "; the others take its rows, nothing waits.",
                        ailment.remedy() + " It is tried again and comes back by itself.");
            }
            case CLOSED -> {
                if (state.unfinished())
                    found.watch(
                            shard.shard(),
                            of + " gets no more writes: earlier ones to it do not end.",
                            "Look at the server: it keeps connections open and answers nothing.");
            }
        }
    }

    private void blocked(List<ShardView.Held> held) {
        if (held.isEmpty()) return;
        var failure = held.getFirst().failure();
        var why = failure == null ? "it waits for a person" : EventRing.cut(failure.toString());
        var rows = Span.rows(held.stream().mapToLong(ShardView.Held::rows).sum());
        var waits = held.stream()
                .flatMap(one -> partitionsOf(one).stream())
                .distinct()
                .toList();
        var one = held.size() == 1;
        found.bad(
                shard.shard(),
                "Shard " + shard.shard() + " holds "
                        + (one ? "a batch of " + rows + " that is" : held.size() + " batches of " + rows + " that are")
                        + " not accepted: " + why + ". "
                        + (waits.size() == 1 ? "1 partition waits" : waits.size() + " partitions wait")
                        + (one ? " for it" : " for them") + "; nothing is lost.",
                (failure == null ? "See the log (event=batch_blocked)." : heldRemedy(failure)) + Troubles.BY_ITSELF);
        found.explains(waits);
    }

    /// Of rows that are refused one by one the tables say to look at the dead letters; what is held is none yet.
    private static String heldRemedy(Failure failure) {
        var remedy = Ailment.remedy(failure);
        return remedy.contains("dead letters")
                ? "Mend the table so that it takes such rows, or whoever makes them; a row alone is set aside as soon as"
                        + " the shard takes others."
                : remedy;
    }

    private void pinned(ShardView.Held held) {
        var pin = held.pin();
        if (pin == null) return;
        var replica = EndpointName.of(shard.endpoints().get(pin.replica()));
        found.bad(
                shard.shard(),
                "A batch of " + Span.rows(held.rows()) + " of shard " + shard.shard() + " waits for replica " + replica
                        + " alone, which may have stored it, for " + Span.of(now.nowNanos() - pin.sinceNanos())
                        + ". Its partitions wait with it; nothing is lost.",
                "Bring " + replica + " back; or set ambiguous.then: resend, which may store these rows twice.");
        found.explains(partitionsOf(held));
    }

    private void explain() {
        for (var held : shard.view().held()) found.explains(partitionsOf(held));
    }

    private List<PartitionView> partitionsOf(ShardView.Held held) {
        return now.partitions().stream()
                .filter(partition -> held.partitions().contains(partition.partition()))
                .toList();
    }
}
