package dev.millrace.bench.stress;

import dev.millrace.checkpoint.Ack;
import dev.millrace.checkpoint.Resolution;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A shard resolves the first part while the source still takes a second: the range is not told before that one is
/// resolved too.
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "told once, as done")
@State
public class PartTakenAgainstPartResolved {
    private final Acknowledged range = new Acknowledged();
    private final Ack.Part first = range.ack.part();

    @Actor
    public void shard() {
        first.resolve(Resolution.DONE);
    }

    @Actor
    public void source() {
        var second = range.ack.part();
        range.ack.close();
        second.resolve(Resolution.DONE);
    }

    @Arbiter
    public void told(II_Result result) {
        result.r1 = range.times();
        result.r2 = range.timesDone();
    }
}
