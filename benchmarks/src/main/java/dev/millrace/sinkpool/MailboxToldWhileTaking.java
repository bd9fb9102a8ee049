package dev.millrace.sinkpool;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// An event is told while the worker takes at a deadline that has come: it takes the event or the tick, and loses
/// neither.
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "taken at once")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "a tick, then the event")
@State
public class MailboxToldWhileTaking {
    private final Mailbox mailbox = new Mailbox(new Mailbox.Bounds(1, 1, 1, 1), () -> 0);

    @Actor
    public void tell() {
        mailbox.tell(new ShardEvent.Pressure());
    }

    @Actor
    public void take(II_Result result) {
        result.r1 = events();
    }

    @Arbiter
    public void left(II_Result result) {
        result.r2 = events();
    }

    private int events() {
        try {
            return mailbox.take(true, 0) instanceof ShardEvent.Tick ? 0 : 1;
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
