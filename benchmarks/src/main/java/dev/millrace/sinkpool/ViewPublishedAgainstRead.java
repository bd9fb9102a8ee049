package dev.millrace.sinkpool;

import dev.millrace.breaker.BreakerSettings;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A worker ends at the deadline of a drain while somebody reads its state and then its view: who sees
/// that it has finished sees what it left.
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "read before the end")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the view came between the two reads")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "read after the end")
@State
public class ViewPublishedAgainstRead {
    private static final long SECOND = 1_000_000_000L;

    private final ShardWorker worker = worker();

    public ViewPublishedAgainstRead() {
        worker.step(new ShardEvent.ChunksArrived(List.of(OneByte.chunk())));
    }

    private static ShardWorker worker() {
        var settings = new ShardSettings(
                new ShardId("sink", "s0"),
                1,
                1,
                new ShardSettings.BatchSettings(10, 1000, SECOND),
                1,
                SECOND,
                new ShardSettings.RetrySettings(SECOND, SECOND, 1, 0, 0),
                new BreakerSettings(1, 1, 100, SECOND, 100, SECOND, SECOND, 1, SECOND),
                false,
                PoisonSettings.of(PoisonSettings.Action.STOP));
        var counts = new ShardCounts(1);
        var machine = new ShardMachine(settings, TokenMint.perRun("run"), new SplittableRandom(1), counts, 0);
        return new ShardWorker(
                settings,
                machine,
                counts,
                () -> Recognition.SHARED,
                List.of(),
                List.of(URI.create("blackhole:a")),
                WriteSlots.Place.UNLIMITED,
                new AdmissionBudget(10, 1000, 0.5),
                () -> 0,
                InstantSource.system(),
                DeadLetters.none(),
                new Nobody());
    }

    @Actor
    public void worker(II_Result result) {
        worker.step(new ShardEvent.DrainBy(0));
    }

    @Actor
    public void reader(II_Result result) {
        result.r1 = worker.state() == ShardStatus.Worker.FINISHED ? 1 : 0;
        result.r2 = worker.view().held().size();
    }

    private record Nobody() implements PoolListener {
        @Override
        public void stopFor(ShardId shard, RowRef row, Failure failure) {}

        @Override
        public void note(ShardId shard, ShardNote note) {}

        @Override
        public void died(ShardId shard, Throwable cause) {}
    }
}
