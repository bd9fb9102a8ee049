package dev.millrace.bench;

import dev.millrace.breaker.BreakerSettings;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.Intake;
import dev.millrace.sinkpool.PoisonSettings;
import dev.millrace.sinkpool.ShardCommand;
import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardEvent;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardMachine;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.Target;
import dev.millrace.sinkpool.TokenMint;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// The shard machines of one sink on the caller's thread: every sealed batch counts as written at once.
///
/// Thread ownership: one caller.
final class SealingShards implements Intake {
    private static final long SECOND = 1_000_000_000L;
    private static final long LINGER = 2 * SECOND;

    /// More slabs than chunks of one target are cut from at once.
    private static final int RECENT = 256;

    private final AdmissionBudget budget = new AdmissionBudget(5_000_000, 1L << 30, 0.6);
    private final List<ShardMachine> machines = new ArrayList<>();
    private final List<ShardCounts> counts = new ArrayList<>();
    private final ArrayDeque<ShardCommand.StartAttempt> attempts = new ArrayDeque<>();
    private final byte[][] recent = new byte[RECENT][];
    private int at;
    private int slabCount;
    private long now = SECOND;

    SealingShards(int shards) {
        for (var n = 0; n < shards; n++) {
            var settings = new ShardSettings(
                    new ShardId("bench", "s" + n),
                    1,
                    1,
                    new ShardSettings.BatchSettings(500_000, 1 << 20, LINGER),
                    2,
                    30 * SECOND,
                    new ShardSettings.RetrySettings(100_000_000L, 10 * SECOND, 2, 0.2, 0),
                    new BreakerSettings(3, 3, 100, 20 * SECOND, 80, 5 * SECOND, 60 * SECOND, 1, 5 * SECOND),
                    true,
                    PoisonSettings.of(PoisonSettings.Action.STOP));
            var counted = new ShardCounts(1);
            counts.add(counted);
            machines.add(new ShardMachine(settings, TokenMint.perRun("bench"), new SplittableRandom(n), counted, now));
        }
    }

    long now() {
        return now;
    }

    long rowsWritten() {
        return counts.stream().mapToLong(ShardCounts::rowsWritten).sum();
    }

    /// Slabs that chunks came in for the first time since this was last asked.
    int takeSlabCount() {
        var count = slabCount;
        slabCount = 0;
        return count;
    }

    void pass(long nanos) {
        now += nanos;
    }

    /// Seals what is open, as after its linger.
    void sealAll() {
        now += LINGER;
        for (var shard = 0; shard < machines.size(); shard++) on(shard, new ShardEvent.Tick());
    }

    private void on(int shard, ShardEvent event) {
        var machine = machines.get(shard);
        machine.on(event, now, this::carryOut);
        for (var start = attempts.poll(); start != null; start = attempts.poll()) {
            var written = new WriteOutcome.Written(start.rows().rows(), 0);
            machine.on(new ShardEvent.AttemptEnded(start.attempt(), written), now, this::carryOut);
        }
    }

    private void carryOut(ShardCommand command) {
        switch (command) {
            case ShardCommand.StartAttempt start -> attempts.add(start);
            case ShardCommand.Settle(var chunk, var ending) -> chunk.settle(ending);
            case ShardCommand.StartPing _,
                    ShardCommand.AskSlot _,
                    ShardCommand.GiveSlotBack _,
                    ShardCommand.CancelAttempt _,
                    ShardCommand.DeadLetter _,
                    ShardCommand.StopFor _,
                    ShardCommand.MarkSplit _,
                    ShardCommand.StopForExpired _,
                    ShardCommand.Finished _ -> throw new IllegalStateException("nothing asked for " + command);
            case ShardCommand.Tell _ -> {}
        }
    }

    @Override
    public boolean offer(Target target, List<EncodedChunk> chunks) {
        for (var chunk : chunks) count(chunk.array());
        on(target.shard(), new ShardEvent.ChunksArrived(chunks));
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // Which array it is, whatever it holds.
    private void count(byte[] slab) {
        for (var one : recent) if (one == slab) return;
        recent[at] = slab;
        at = (at + 1) % RECENT;
        slabCount++;
    }

    @Override
    public boolean hasRoom(Target target) {
        return true;
    }

    @Override
    public AdmissionBudget budget() {
        return budget;
    }

    @Override
    public void pressure() {}

    @Override
    public void revoking(SourcePartition partition, long epoch) {}

    @Override
    public void epochEnded(SourcePartition partition, long epoch) {}
}
