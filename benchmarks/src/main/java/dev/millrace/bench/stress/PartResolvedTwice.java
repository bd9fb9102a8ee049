package dev.millrace.bench.stress;

import dev.millrace.checkpoint.Ack;
import dev.millrace.checkpoint.Resolution;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/// An outcome and a deadline resolve the same part: one of them does, it knows that it did, and the range is told
/// what it said.
@JCStressTest
@Outcome(id = "1, 0, 1, 1", expect = Expect.ACCEPTABLE, desc = "the outcome was first: done")
@Outcome(id = "0, 1, 1, 0", expect = Expect.ACCEPTABLE, desc = "the deadline was first: failed")
@State
public class PartResolvedTwice {
    private final Acknowledged range = new Acknowledged();
    private final Ack.Part part = range.ack.part();

    public PartResolvedTwice() {
        range.ack.close();
    }

    @Actor
    public void outcome(IIII_Result result) {
        result.r1 = part.resolve(Resolution.DONE) ? 1 : 0;
    }

    @Actor
    public void deadline(IIII_Result result) {
        result.r2 = part.resolve(Resolution.FAILED) ? 1 : 0;
    }

    @Arbiter
    public void told(IIII_Result result) {
        result.r3 = range.times();
        result.r4 = range.timesDone();
    }
}
