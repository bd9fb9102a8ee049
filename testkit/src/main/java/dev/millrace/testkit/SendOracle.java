package dev.millrace.testkit;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight;
import dev.millrace.checkpoint.SourcePartition;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// C2 and O6 at the sender: one commit is out, none is sent twice, each holds only what is owned then and is still the
/// topic that was read, and no offset goes back in one stretch of owning.
///
/// Thread ownership: the run.
final class SendOracle {
    private final FakeGroup group;
    private final Set<Long> sent = new HashSet<>();
    private final Map<SourcePartition, Long> highest = new HashMap<>();
    private CommitFlight.@Nullable Send out;

    SendOracle(World world) {
        this.group = world.group;
    }

    void owned(SourcePartition partition, @Nullable CommitEntry committed) {
        highest.put(partition, committed == null ? 0 : committed.offset());
    }

    void forgotten(SourcePartition partition) {
        highest.remove(partition);
    }

    void topicChanged(String topic) {
        highest.keySet().removeIf(partition -> partition.topic().equals(topic));
    }

    /// While one is being revoked, nothing else is committed.
    void sent(CommitFlight.Send send, @Nullable Set<SourcePartition> only) {
        if (out != null) throw new Violation("C2", "commit " + send.attempt() + " while " + out.attempt() + " is out");
        if (!sent.add(send.attempt())) throw new Violation("C2", "commit " + send.attempt() + " is sent again");
        out = send;
        send.entries().forEach((partition, entry) -> {
            var before = highest.get(partition);
            if (before == null || (only != null && !only.contains(partition)))
                throw new Violation("C2", partition + " is committed, and is not owned, or not as the topic it was");
            if (before > entry.offset())
                throw new Violation("O6", partition + " is sent " + entry.offset() + " after " + before);
            highest.put(partition, entry.offset());
        });
    }

    CommitFlight.@Nullable Send out() {
        return out;
    }

    void answered(long attempt) {
        if (out != null && out.attempt() == attempt) out = null;
    }

    /// What the member now takes for committed the broker had.
    void known(SourcePartition partition, @Nullable Long before, @Nullable Long offset) {
        if (Objects.equals(before, offset)) return;
        if (!highest.containsKey(partition))
            throw new Violation("C2", "an answer counts for " + partition + ", which is not owned");
        if (offset == null || group.applied(partition) < offset)
            throw new Violation("C2", partition + " is taken for committed at " + offset + ", and is not");
    }
}
