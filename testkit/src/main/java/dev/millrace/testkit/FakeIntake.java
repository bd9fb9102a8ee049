package dev.millrace.testkit;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.Intake;
import dev.millrace.sinkpool.ShardEvent;
import dev.millrace.sinkpool.Target;
import java.util.List;

/// The mailboxes of a process's shards, as its members see them. The process may die before
/// anything gets there.
///
/// Thread ownership: the run.
final class FakeIntake implements Intake {
    private final PipelineProcess process;

    FakeIntake(PipelineProcess process) {
        this.process = process;
    }

    @Override
    public boolean offer(Target target, List<EncodedChunk> chunks) {
        process.effect();
        return process.shards.get(target.shard()).offer(chunks);
    }

    @Override
    public boolean hasRoom(Target target) {
        return process.shards.get(target.shard()).hasRoom();
    }

    @Override
    public AdmissionBudget budget() {
        return process.budget;
    }

    @Override
    public AdmissionBudget budget(Target target) {
        return process.shards.get(target.shard()).budget();
    }

    @Override
    public void pressure() {
        for (var shard : process.shards) shard.post(new ShardEvent.Pressure());
    }

    @Override
    public void revoking(SourcePartition partition, long epoch) {
        for (var shard : process.shards) shard.post(new ShardEvent.Revoking(partition, epoch));
    }

    @Override
    public void splitMarked(SourcePartition partition, long epoch, long from) {
        for (var shard : process.shards) shard.post(new ShardEvent.SplitMarked(partition, epoch, from));
    }

    @Override
    public void epochEnded(SourcePartition partition, long epoch) {
        for (var shard : process.shards) shard.post(new ShardEvent.EpochEnded(partition, epoch));
    }
}
