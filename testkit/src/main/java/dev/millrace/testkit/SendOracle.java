package dev.millrace.testkit;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight;
import dev.millrace.checkpoint.SourcePartition;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// C2 and O6 at the sender: one commit is out, none is sent twice, each holds only what is owned then, and no offset
/// goes back in one stretch of owning.
///
/// Thread ownership: the run.
final class SendOracle {
    private final Set<Long> sent = new HashSet<>();
    private final Map<SourcePartition, Long> highest = new TreeMap<>();
    private CommitFlight.@Nullable Send out;

    void owned(SourcePartition partition, @Nullable CommitEntry committed) {
        if (out != null) throw new Violation("I7", "a new partition's offset is read while a commit is out");
        highest.put(partition, committed == null ? 0 : committed.offset());
    }

    void forgotten(SourcePartition partition) {
        highest.remove(partition);
    }

    void sent(CommitFlight.Send send, Set<SourcePartition> owned) {
        if (out != null) throw new Violation("C2", "commit " + send.attempt() + " while " + out.attempt() + " is out");
        if (!sent.add(send.attempt())) throw new Violation("C2", "commit " + send.attempt() + " is sent again");
        out = send;
        send.entries().forEach((partition, entry) -> {
            if (!owned.contains(partition)) throw new Violation("C2", partition + " is committed, and is not owned");
            var before = highest.merge(partition, entry.offset(), Math::max);
            if (before > entry.offset())
                throw new Violation("O6", partition + " is sent " + entry.offset() + " after " + before);
        });
    }

    void answered(CommitFlight.Send send) {
        if (send.equals(out)) out = null;
    }

    /// What the flight now takes for committed is owned, and the broker had it.
    void known(Map<SourcePartition, CommitEntry> entries, FakeGroup group) {
        entries.forEach((partition, entry) -> {
            if (!highest.containsKey(partition))
                throw new Violation("C2", "an answer counts for " + partition + ", which is not owned");
            if (group.highest(partition) < entry.offset())
                throw new Violation("C2", partition + " is taken for committed at " + entry.offset() + ", and is not");
        });
    }
}
