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

/// Two shards leave a row out each and resolve their parts: the range is told once, and knows of both rows by then.
@JCStressTest
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "told once, and both rows are known to be left out")
@State
public class RowsLeftOutByTwo {
    private final Acknowledged range = new Acknowledged(2);
    private final Ack.Part one = range.ack.part();
    private final Ack.Part other = range.ack.part();

    public RowsLeftOutByTwo() {
        range.ack.close();
    }

    @Actor
    public void oneShard() {
        one.leaveOut(0);
        one.resolve(Resolution.DONE);
    }

    @Actor
    public void anotherShard() {
        other.leaveOut(1);
        other.resolve(Resolution.DONE);
    }

    @Arbiter
    public void told(II_Result result) {
        result.r1 = range.times();
        result.r2 = range.leftOutWhenTold();
    }
}
