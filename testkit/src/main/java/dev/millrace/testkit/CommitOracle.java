package dev.millrace.testkit;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitNote;
import dev.millrace.checkpoint.SourcePartition;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// O1: whenever an offset is committed, every record below it has landed, or was skipped by
/// policy, or was told as lost. O6: what is committed never goes back, but by a request that the
/// broker applies after it was given up, or from what such a request left: where a member keeps
/// its epoch while it gives partitions up, as under the newer protocol, the broker takes its late
/// request for one that has a new owner by then, and the owner, who began below, goes on from
/// there. No sender can know; the rows between are stored again.
///
/// Thread ownership: the run.
final class CommitOracle {
    private final World world;
    private final boolean[] leftByLate = new boolean[FakeLog.MOST_SLOTS];

    CommitOracle(World world) {
        this.world = world;
    }

    void applied(SourcePartition partition, @Nullable CommitEntry before, CommitEntry entry, boolean late) {
        if (!world.scenario.planned() && !entry.metadata().equals(CommitNote.of(partition.topicId())))
            throw new Violation("SRC-3", partition + " is committed with the note " + entry.metadata());
        var slot = world.log.life(partition).slot;
        var fromLate = leftByLate[slot];
        leftByLate[slot] = late;
        var life = meant(partition, entry);
        // Of a topic that is gone: whoever reads it is told so by its note, and starts nowhere from it.
        if (life == null) return;
        var missing = life.firstMissing();
        if (missing < entry.offset())
            throw new Violation(
                    "O1",
                    partition + " is committed at " + entry.offset() + " of leader epoch " + entry.leaderEpoch()
                            + ", and " + missing + " is lost");
        if (entry.offset() > life.end)
            throw new Violation("O1", partition + " is committed at " + entry.offset() + ", behind the log's end");
        if (before == null
                || before.offset() <= entry.offset()
                || !Objects.equals(
                        CommitNote.read(before).topic(), CommitNote.read(entry).topic())) return;
        if (!late && !fromLate)
            throw new Violation("O6", partition + " goes back from " + before.offset() + " to " + entry.offset());
        world.reached(Sometimes.COMMIT_WENT_BACK_AT_BROKER);
    }

    /// The life of the log that was read up to this entry, or null where the topic is not there
    /// any more. What was read before a truncation is told by its leader epoch.
    private @Nullable FakePartition meant(SourcePartition partition, CommitEntry entry) {
        var life = world.log.life(partition);
        if (world.log.at(life.slot) != life) {
            world.reached(Sometimes.COMMIT_OF_A_TOPIC_THAT_IS_GONE);
            return null;
        }
        return life.differsAt(entry.offset(), entry.leaderEpoch()) < 0 ? life : life.before;
    }
}
