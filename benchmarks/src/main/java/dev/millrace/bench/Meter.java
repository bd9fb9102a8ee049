package dev.millrace.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/// Clocks and counters of the process that reads, of the broker, of the store and of the machine, from
/// the first records of a reading to its last row.
///
/// Thread ownership: one thread at a time.
final class Meter {
    private static final long NANOS_PER_MILLI = 1_000_000L;
    private static final long OWN = ProcessHandle.current().pid();
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final List<GarbageCollectorMXBean> PAUSES = ManagementFactory.getGarbageCollectorMXBeans().stream()
            .filter(collector -> !collector.getName().contains("Concurrent"))
            .toList();

    private final List<Long> broker;
    private final List<Long> sink;
    private final List<Long> idle;
    private final Map<Figure, Long> begun = new EnumMap<>(Figure.class);
    private Map<Long, Long> sinkBegun = Map.of();
    private long[] sourceThreads = {};
    private long sourceNanos;

    /// The processes besides this one are named by `broker`, `sink` and `idle`.
    Meter(Words asked) {
        broker = asked.numbers("broker");
        sink = asked.numbers("sink");
        idle = asked.numbers("idle");
    }

    /// A collection first, so that no reading pays for the garbage of the one before.
    static void tidy() {
        System.gc();
    }

    boolean begun() {
        return !begun.isEmpty();
    }

    /// The threads that poll have names of which this holds.
    void begin(Predicate<String> source) {
        begun.putAll(sample());
        sourceThreads = Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
                .filter(thread -> thread != null && source.test(thread.getThreadName()))
                .mapToLong(ThreadInfo::getThreadId)
                .toArray();
        begun.put(Figure.SOURCE_NANOS, sourceNanos());
        sinkBegun = ProcessClock.ofTrees(sink);
    }

    /// Now and then: a thread that has ended tells its time no more.
    void look() {
        sourceNanos = Math.max(sourceNanos, sourceNanos());
    }

    /// With what the caller has counted.
    Reading end(Map<Figure, Long> counted, Histogram delays) {
        if (!begun()) throw new BenchFailure("nothing was read");
        var ended = sample();
        look();
        ended.put(Figure.SOURCE_NANOS, sourceNanos);
        begun.forEach((figure, from) -> ended.merge(figure, -from, Long::sum));
        ended.put(Figure.SINK_NANOS, sinkNanos());
        ended.putAll(counted);
        return new Reading(ended, delays);
    }

    /// The clock and this process first: what it takes to read the others counts.
    private Map<Figure, Long> sample() {
        var sample = new EnumMap<Figure, Long>(Figure.class);
        sample.put(Figure.WALL_NANOS, System.nanoTime());
        sample.put(Figure.CPU_NANOS, ProcessClock.nanos(OWN));
        sample.put(Figure.ALLOCATED_BYTES, THREADS.getTotalThreadAllocatedBytes());
        sample.put(Figure.PAUSE_NANOS, pauses(GarbageCollectorMXBean::getCollectionTime) * NANOS_PER_MILLI);
        sample.put(Figure.COLLECTIONS, pauses(GarbageCollectorMXBean::getCollectionCount));
        sample.put(Figure.MACHINE_NANOS, ProcessClock.machineNanos());
        sample.put(Figure.COMPILER_NANOS, ProcessClock.ownThreadsNanos("CompilerThre"));
        sample.put(Figure.BROKER_NANOS, sum(broker));
        sample.put(Figure.IDLE_NANOS, sum(idle));
        return sample;
    }

    /// A process that began meanwhile counts whole, and one that ended not at all.
    private long sinkNanos() {
        return ProcessClock.ofTrees(sink).entrySet().stream()
                .mapToLong(now -> Math.max(0, now.getValue() - sinkBegun.getOrDefault(now.getKey(), 0L)))
                .sum();
    }

    private long sourceNanos() {
        return LongStream.of(sourceThreads)
                .map(THREADS::getThreadCpuTime)
                .filter(nanos -> nanos > 0)
                .sum();
    }

    private static long pauses(ToLongFunction<GarbageCollectorMXBean> of) {
        return PAUSES.stream().mapToLong(of).sum();
    }

    private static long sum(List<Long> pids) {
        return pids.stream().mapToLong(ProcessClock::nanos).sum();
    }
}
