package dev.millrace.bench;

import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkTraits;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// A sink with its requests counted, and, where it is told so, without the names of the rows that it refuses.
///
/// Thread ownership: shared.
final class CountedSink implements Sink {
    private final Sink sink;
    private final boolean named;
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong rows = new AtomicLong();

    CountedSink(Sink sink, boolean named) {
        this.sink = sink;
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
    public SinkTraits traits() {
        return sink.traits();
    }

    @Override
    public RowEncoder encoder() {
        return sink.encoder();
    }

    @Override
    public SinkWriter writer(ShardId shard, URI endpoint) {
        return new Writer(sink.writer(shard, endpoint));
    }

    @Override
    public void close() {
        sink.close();
    }

    private final class Writer implements SinkWriter {
        private final SinkWriter writer;

        Writer(SinkWriter writer) {
            this.writer = writer;
        }

        @Override
        public WriteOutcome write(WriteCall call) throws Exception {
            requests.incrementAndGet();
            rows.addAndGet(call.rows().rows());
            var outcome = writer.write(call);
            return outcome instanceof WriteOutcome.Refused(var failure, var _) && !named
                    ? new WriteOutcome.Refused(failure, -1)
                    : outcome;
        }

        @Override
        public WriteOutcome ping(PingCall call) throws Exception {
            return writer.ping(call);
        }

        @Override
        public void close() {
            writer.close();
        }
    }
}
