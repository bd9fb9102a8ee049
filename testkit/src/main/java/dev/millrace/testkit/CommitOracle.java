package dev.millrace.testkit;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.SourcePartition;
import org.jspecify.annotations.Nullable;

/// O1: whenever an offset is committed, every record below it has landed, or was skipped by policy. O6: what is
/// committed never goes back, but by a request that the broker applies after it was given up.
///
/// Thread ownership: the run.
final class CommitOracle {
    private final World world;

    CommitOracle(World world) {
        this.world = world;
    }

    void applied(SourcePartition partition, @Nullable CommitEntry before, CommitEntry entry, boolean late) {
        var p = world.log.indexOf(partition);
        var missing = world.log.firstMissing(p);
        if (missing < entry.offset())
            throw new Violation(
                    "O1", partition + " is committed at " + entry.offset() + ", and " + missing + " is lost");
        if (entry.offset() > world.log.end(p))
            throw new Violation("O1", partition + " is committed at " + entry.offset() + ", behind the log's end");
        if (before == null || before.offset() <= entry.offset()) return;
        if (!late)
            throw new Violation("O6", partition + " goes back from " + before.offset() + " to " + entry.offset());
        world.reached(Sometimes.COMMIT_WENT_BACK_AT_BROKER);
    }
}
