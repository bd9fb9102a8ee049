package dev.millrace.sinkpool;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import java.util.ArrayList;
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
    private static final SourcePartition PARTITION = new SourcePartition("orders", TopicId.UNKNOWN, 0);

    private final Mailbox mailbox = new Mailbox(new Mailbox.Bounds(10, 1000, 10, 1000), () -> 0);
    private final EncodedChunk chunk = chunk();

    private static EncodedChunk chunk() {
        var range = new PartitionTracker(PARTITION, 1, 0, -1, 1, new OpenHandles()).register(0, 1, -1, (_, _) -> {});
        var out = new ArrayList<EncodedChunk>(1);
        var builder = new ChunkBuilder(
                PARTITION,
                1,
                new Target(0, 0, 0),
                new SlabSource(64),
                new AdmissionBudget(1, 1, 0.5),
                new RowTally(),
                out::add);
        builder.begin(range, 0);
        builder.append(new OneByte(), (_, row) -> {
            row.put((byte) 1);
            return RowEncoder.Encoded.WRITTEN;
        });
        builder.handOver();
        range.close();
        return out.getFirst();
    }

    @Actor
    public void source(II_Result result) {
        result.r1 = mailbox.offer(List.of(chunk)) ? 1 : 0;
    }

    @Actor
    public void worker(II_Result result) {
        result.r2 = mailbox.close().size();
    }
}
