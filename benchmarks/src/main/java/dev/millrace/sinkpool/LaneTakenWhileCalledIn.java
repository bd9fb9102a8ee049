package dev.millrace.sinkpool;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/// A producer takes the one slot of a lane, with ten of its hundred bytes, while a share calls them in: it is the
/// one's or the other's, and no byte is lost.
@JCStressTest
@Outcome(id = "1, 0, 90", expect = Expect.ACCEPTABLE, desc = "taken; the rest of the bytes came back")
@Outcome(id = "0, 1, 100", expect = Expect.ACCEPTABLE, desc = "called in")
@State
public class LaneTakenWhileCalledIn {
    private final Lane<String> lane = new Lane<>();

    public LaneTakenWhileCalledIn() {
        lane.give(1, 100);
    }

    @Actor
    public void producer(III_Result result) {
        result.r1 = lane.take(1, 10) ? 1 : 0;
    }

    @Actor
    public void share(III_Result result) {
        var back = lane.takeBack();
        result.r2 = Lane.slots(back);
        result.r3 = Lane.bytes(back);
    }
}
