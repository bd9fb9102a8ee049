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

/// Two shards resolve the last two parts of a closed range: it is told once, with the worst of them, whoever is last.
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "told once, as failed")
@State
public class PartAgainstPart {
    private final Acknowledged range = new Acknowledged();
    private final Ack.Part failed = range.ack.part();
    private final Ack.Part done = range.ack.part();

    public PartAgainstPart() {
        range.ack.close();
    }

    @Actor
    public void oneShard() {
        done.resolve(Resolution.DONE);
    }

    @Actor
    public void anotherShard() {
        failed.resolve(Resolution.FAILED);
    }

    @Arbiter
    public void told(II_Result result) {
        result.r1 = range.times();
        result.r2 = range.timesDone();
    }
}
