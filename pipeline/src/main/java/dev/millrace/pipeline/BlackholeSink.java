package dev.millrace.pipeline;

import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkTraits;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.URI;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/// A sink that reads every byte it is given into a running sum and keeps nothing: for measuring, and for trying a
/// pipeline without a store.
///
/// Thread ownership: shared.
public final class BlackholeSink implements Sink {
    private final Supplier<RowEncoder> encoders;
    private final LongAdder rows = new LongAdder();
    private final LongAdder sum = new LongAdder();

    public BlackholeSink(Supplier<RowEncoder> encoders) {
        this.encoders = encoders;
    }

    @Override
    public SinkTraits traits() {
        return new SinkTraits(true);
    }

    @Override
    public RowEncoder encoder() {
        return encoders.get();
    }

    @Override
    public SinkWriter writer(ShardId shard, URI endpoint) {
        return new Writer();
    }

    /// Rows read so far.
    public long rows() {
        return rows.sum();
    }

    /// The sum of all bytes read so far, each as an unsigned number.
    public long sum() {
        return sum.sum();
    }

    /// The sum of `bytes[from, to)`, each as an unsigned number.
    public static long sum(byte[] bytes, int from, int to) {
        var sum = 0L;
        for (var at = from; at < to; at++) sum += bytes[at] & 0xff;
        return sum;
    }

    @Override
    public void close() {}

    private final class Writer implements SinkWriter {
        @Override
        public WriteOutcome write(WriteCall call) {
            var bytes = 0L;
            for (var slice : call.rows().slices()) {
                var array = slice.chunk().array();
                var end = slice.chunk().end(slice.toRow() - 1);
                bytes += sum(array, slice.chunk().start(slice.fromRow()), end);
            }
            sum.add(bytes);
            rows.add(call.rows().rows());
            return new WriteOutcome.Written(call.rows().rows(), 0);
        }

        @Override
        public WriteOutcome ping(PingCall call) {
            return new WriteOutcome.Written(0, 0);
        }

        @Override
        public void close() {}
    }
}
