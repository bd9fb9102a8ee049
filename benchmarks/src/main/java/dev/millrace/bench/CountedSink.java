package dev.millrace.bench;

import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// A sink with its requests counted, and, where it is told so, without the names of the rows that it refuses.
///
/// Thread ownership: shared.
final class CountedSink extends WrappedSink {
    private final boolean named;
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong rows = new AtomicLong();

    CountedSink(Sink sink, boolean named) {
        super(sink);
        this.named = named;
    }

    int requests() {
        return requests.get();
    }

    /// Of all requests.
    long rows() {
        return rows.get();
    }

    @Override
    WriteOutcome write(SinkWriter writer, WriteCall call) throws Exception {
        requests.incrementAndGet();
        rows.addAndGet(call.rows().rows());
        var outcome = writer.write(call);
        return outcome instanceof WriteOutcome.Refused(var failure, var _) && !named
                ? new WriteOutcome.Refused(failure, -1)
                : outcome;
    }
}
