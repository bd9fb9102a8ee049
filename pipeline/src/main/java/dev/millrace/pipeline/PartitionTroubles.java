package dev.millrace.pipeline;

import dev.millrace.kafka.PartitionView;
import dev.millrace.sinkpool.Failure;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What is wrong with partitions that is not told of a shard: what holds one up by itself, and which stand though
/// nothing that was told says why.
///
/// Thread ownership: the caller's.
final class PartitionTroubles {
    private static final String FAILED = "a range that failed";

    private final Snapshot now;
    private final Troubles found;

    PartitionTroubles(Snapshot now, Troubles found) {
        this.now = now;
        this.found = found;
    }

    void tell() {
        for (var partition : now.partitions()) if (partition.member() >= 0) partition(partition);
        stand();
    }

    private void partition(PartitionView partition) {
        var name = partition.partition();
        var hangs = partition.transaction();
        if (hangs != null) {
            found.explains(List.of(partition));
            found.bad(
                    name,
                    "Partition " + name + " gives nothing: a transaction that nobody ends has stood at offset "
                            + hangs.stableOffset() + " for " + Span.of(hangs.ageNanos())
                            + ". What is behind it waits in Kafka; nothing is lost.",
                    "End the producer" + (hangs.producerId() == null ? "" : " " + hangs.producerId())
                            + "'s transaction: kafka-transactions.sh abort --topic " + name.topic() + " --partition "
                            + name.partition() + " --start-offset " + hangs.stableOffset());
        }
        var by = partition.blockedBy();
        // What a drain gives up is in its report, and no trouble of its own.
        if (by == null || (now.draining() && by.equals(FAILED))) return;
        if (partition.drifts()) {
            found.explains(List.of(partition));
            found.bad(
                    name,
                    "Partition " + name + " waits for a person: " + EventRing.cut(by) + ".",
                    "See which rows are refused (millrace dlq list FILE), then mend the table or who makes them.");
        } else if (by.equals(FAILED) || by.equals("topic changed")) {
            found.explains(List.of(partition));
            found.bad(
                    name,
                    "Partition " + name + " has stopped: " + by + "; nothing of it is committed any more.",
                    "See the log; the process ends by itself, and reads again what is not committed.");
        } else if (by.contains(" ") && !by.equals("dead letters")) {
            found.explains(List.of(partition));
            found.bad(
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
                        && !found.explained(partition)
                        // What was polled and not encoded waits for the end of the pause.
                        && !(now.paused() && heldOf(partition) == null))
                .sorted(Comparator.comparingLong(PartitionView::headNanos).reversed())
                .toList();
        if (standing.isEmpty()) return;
        var oldest = standing.getFirst();
        var held = heldOf(oldest);
        found.bad(
                oldest.partition(),
                (standing.size() == 1
                                ? "Partition " + oldest.partition() + " has"
                                : standing.size() + " partitions, " + oldest.partition() + " longest, have")
                        + " stood still for " + Span.of(oldest.headNanos())
                        + (held == null ? "" : ": " + held.batch()) + ". Nothing is lost.",
                held == null || held.failure() == null
                        ? "Look at what is named here and below; millrace stuck FILE --json has every detail."
                        : Ailment.of(held.failure()).remedy() + Troubles.BY_ITSELF);
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
}
