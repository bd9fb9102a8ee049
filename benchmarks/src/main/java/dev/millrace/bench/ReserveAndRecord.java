package dev.millrace.bench;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// What producers hand over in a microsecond, all of them together: to the front, with a slot reserved for each item,
/// and to what else one would take. Each has room for 65,536 items, and one consumer that drops them.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
public class ReserveAndRecord {
    private static final int CAPACITY = 1 << 16;

    @Param
    public HandOver.Kind into = HandOver.Kind.FRONT;

    private final Object item = new Object();
    private @Nullable HandOver handOver;

    @Setup
    public void start() {
        handOver = into.start(CAPACITY);
    }

    @Benchmark
    public void record() throws InterruptedException {
        var to = handOver;
        if (to != null) to.put(item);
    }

    @TearDown
    public void stop() throws InterruptedException {
        var from = handOver;
        if (from == null) return;
        from.stop();
        if (from.dropped() == 0) throw new IllegalStateException("nothing came out");
    }
}
