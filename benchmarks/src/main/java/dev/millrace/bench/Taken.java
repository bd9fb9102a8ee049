package dev.millrace.bench;

import dev.millrace.pipeline.BlackholeSink;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.URI;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/// What the sinks of one reading have taken, and how long after its poll each row was there.
///
/// Thread ownership: shared.
final class Taken {
    private static final int DIGITS = 3;
    private static final ShardId NOWHERE = new ShardId("discarded", "s0");
    private static final URI NO_ENDPOINT = URI.create("blackhole:s0");

    private final LongAdder rows = new LongAdder();
    private final LongAdder repeated = new LongAdder();
    private final LongAdder rowBytes = new LongAdder();
    private final Histogram delays = new ConcurrentHistogram(DIGITS);
    private final BlackholeSink hole = new BlackholeSink(() -> {
        throw new IllegalStateException("it makes no rows");
    });
    private final List<BlackholeSink> holes = new CopyOnWriteArrayList<>(List.of(hole));
    private volatile boolean keepsDelays;
    private volatile long keptFromNanos;

    /// `sink`, with what it takes counted. If `discards`, its rows are read as `blackhole` reads them, and
    /// go nowhere.
    Sink by(Sink sink, boolean discards) {
        if (sink instanceof BlackholeSink told) holes.add(told);
        return new Counting(sink, discards);
    }

    /// Rows polled from then on have their delays kept.
    void keepDelaysFrom(long nanos) {
        keptFromNanos = nanos;
        keepsDelays = true;
    }

    /// Those that the sink had already are not among them.
    long rows() {
        return rows.sum();
    }

    Map<Figure, Long> figures() {
        var figures = new EnumMap<Figure, Long>(Figure.class);
        figures.put(Figure.ROWS, rows.sum());
        figures.put(Figure.REPEATED, repeated.sum());
        figures.put(Figure.ROW_BYTES, rowBytes.sum());
        figures.put(Figure.SUM, holes.stream().mapToLong(BlackholeSink::sum).sum());
        return figures;
    }

    Histogram delays() {
        return delays;
    }

    private final class Counting extends WrappedSink {
        private final boolean discards;

        Counting(Sink sink, boolean discards) {
            super(sink);
            this.discards = discards;
        }

        @Override
        WriteOutcome write(SinkWriter writer, WriteCall call) throws Exception {
            var to = discards ? hole.writer(NOWHERE, NO_ENDPOINT) : writer;
            var outcome = to.write(call);
            if (outcome instanceof WriteOutcome.Written(var _, var duplicate)) {
                if (keepsDelays) keepDelays(call);
                repeated.add(duplicate);
                rowBytes.add(call.rows().byteCount());
                rows.add(call.rows().rows() - duplicate);
            }
            return outcome;
        }
    }

    /// The oldest row of a chunk speaks for all of it: too long by its linger at most.
    private void keepDelays(WriteCall call) {
        var now = System.nanoTime();
        for (var slice : call.rows().slices()) {
            var polled = slice.chunk().polledNanos();
            if (polled - keptFromNanos < 0) continue;
            delays.recordValueWithCount(TimeUnit.NANOSECONDS.toMicros(now - polled), slice.rows());
        }
    }
}
