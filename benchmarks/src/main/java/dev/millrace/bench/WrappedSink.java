package dev.millrace.bench;

import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.Recognition;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkTraits;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.URI;

/// A sink as it is, but for what becomes of a write.
///
/// Thread ownership: shared.
abstract class WrappedSink implements Sink {
    private final Sink sink;

    WrappedSink(Sink sink) {
        this.sink = sink;
    }

    /// Writes with the sink's own writer, or does something else.
    abstract WriteOutcome write(SinkWriter writer, WriteCall call) throws Exception;

    @Override
    public final SinkTraits traits() {
        return sink.traits();
    }

    @Override
    public final RowEncoder encoder() {
        return sink.encoder();
    }

    @Override
    public final void onNewLayout(Runnable told) {
        sink.onNewLayout(told);
    }

    @Override
    public final Recognition recognition(ShardId shard) {
        return sink.recognition(shard);
    }

    @Override
    public final SinkWriter writer(ShardId shard, URI endpoint) {
        return new Writer(sink.writer(shard, endpoint));
    }

    @Override
    public final void close() {
        sink.close();
    }

    private final class Writer implements SinkWriter {
        private final SinkWriter writer;

        Writer(SinkWriter writer) {
            this.writer = writer;
        }

        @Override
        public WriteOutcome write(WriteCall call) throws Exception {
            return WrappedSink.this.write(writer, call);
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
