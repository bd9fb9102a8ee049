package dev.millrace.testkit;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitNote;
import dev.millrace.checkpoint.Segment;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.ShardCommand;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// EO-1: nothing of a segment is sent before a commit that lists it was applied. EO-7: no part of
/// its batches is sent before one that says so. I2 and the rule that a cut never moves: what is
/// committed begins with a segment of the plan before, or where that had none left, and no segment
/// in it changed.
///
/// Thread ownership: the run.
final class PlanOracle {
    private record Cut(SourcePartition partition, long from, long to) {}

    private final World world;
    private final Set<Cut> planned = new HashSet<>();
    private final Set<Cut> split = new HashSet<>();

    PlanOracle(World world) {
        this.world = world;
    }

    void applied(SourcePartition partition, @Nullable CommitEntry before, CommitEntry entry, boolean late) {
        if (!world.scenario.planned()) return;
        if (!(CommitNote.read(entry) instanceof CommitNote.Planned(var plan)))
            throw new Violation("EO-8", partition + " is committed without a plan: " + entry.metadata());
        if (!plan.topicId().equals(partition.topicId()))
            throw new Violation("SRC-3", partition + " is committed with the topic " + plan.topicId());
        for (var segment : plan.segments()) {
            var cut = cut(partition, segment);
            planned.add(cut);
            if (segment.split()) split.add(cut);
        }
        if (late || before == null || world.isPlanLost()) return;
        if (!(CommitNote.read(before) instanceof CommitNote.Planned(var was))) return;
        if (!was.topicId().equals(plan.topicId()) || was.fingerprint() != plan.fingerprint()) return;
        for (var segment : was.segments()) {
            if (segment.to() <= entry.offset()) continue;
            if (plan.segments().stream().noneMatch(now -> now.from() == segment.from() && now.to() == segment.to()))
                throw new Violation(
                        "EO-3", partition + ": " + segment + " was planned, and now are " + plan.segments());
        }
    }

    private static Cut cut(SourcePartition partition, Segment segment) {
        return new Cut(partition, segment.from(), segment.to());
    }

    /// An attempt begins. `byRow`: its store needs no mark to tell what it has of a batch.
    void sent(ShardCommand.StartAttempt start, boolean byRow) {
        var segment = start.batch().segment();
        if (segment == null) return;
        var partition = start.batch().rows().slices().getFirst().chunk().partition();
        var cut = new Cut(partition, segment.from(), segment.to());
        if (!planned.contains(cut))
            throw new Violation("EO-1", partition + " " + segment + " is sent, and not planned");
        if (!byRow && !start.token().whole() && !split.contains(cut))
            throw new Violation("EO-7", partition + " " + segment + " is taken apart, and not marked");
    }
}
