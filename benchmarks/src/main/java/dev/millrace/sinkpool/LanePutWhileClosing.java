package dev.millrace.sinkpool;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// An item is put while the lane is fenced: it is refused, so it can be counted as lost, or it comes out.
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "put, and drained behind the fence")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "refused")
@State
public class LanePutWhileClosing {
    private final Lane<String> lane = new Lane<>();

    @Actor
    public void producer(II_Result result) {
        result.r1 = lane.put(new Link.Item<>("orders", "item", 1)) == Lane.Put.CLOSED ? 0 : 1;
    }

    @Actor
    public void closer() {
        lane.close();
    }

    @Arbiter
    public void drained(II_Result result) {
        for (var at = lane.drain(); at != null; at = at.next) result.r2++;
    }
}
