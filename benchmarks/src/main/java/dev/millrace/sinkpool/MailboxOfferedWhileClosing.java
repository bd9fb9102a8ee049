package dev.millrace.sinkpool;

import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A chunk is offered while its worker ends: it is refused, so the source keeps it, or the worker gets it back to
/// settle.
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "taken, and given back at the close")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "refused")
@State
public class MailboxOfferedWhileClosing {
    private final Mailbox mailbox = new Mailbox(new Mailbox.Bounds(10, 1000, 10, 1000), () -> 0);
    private final EncodedChunk chunk = OneByte.chunk();

    @Actor
    public void source(II_Result result) {
        result.r1 = mailbox.offer(List.of(chunk)) ? 1 : 0;
    }

    @Actor
    public void worker(II_Result result) {
        result.r2 = mailbox.close().size();
    }
}
