package dev.millrace.testkit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/// Runs a stretch of seeds on some threads, one seed in a hundred twice.
public final class Seeds {
    /// Of the seeds that find something, so many are kept.
    private static final int MOST_KEPT = 20;

    private static final int TWICE_IN = 100;

    private final long end;
    private final AtomicLong next;
    private final AtomicLong done = new AtomicLong();

    private Seeds(long from, long count) {
        end = from + count;
        next = new AtomicLong(from);
    }

    /// Runs the seeds `from` to `from + count - 1`. `progress` hears about every second how many
    /// are done.
    public static Summary run(long from, long count, int threads, LongConsumer progress)
            throws InterruptedException, ExecutionException {
        return new Seeds(from, count).run(threads, progress).summary(from, count);
    }

    private Tally run(int threads, LongConsumer progress) throws InterruptedException, ExecutionException {
        var began = System.nanoTime();
        var all = new Tally();
        var running = new CountDownLatch(threads);
        var tallies = new ArrayList<Future<Tally>>();
        try (var pool = Executors.newFixedThreadPool(threads)) {
            for (var i = 0; i < threads; i++)
                tallies.add(pool.submit(() -> {
                    try {
                        return some();
                    } finally {
                        running.countDown();
                    }
                }));
            while (!running.await(1, TimeUnit.SECONDS)) progress.accept(done.get());
        }
        for (var tally : tallies) all.add(tally.get());
        all.wallNanos = System.nanoTime() - began;
        return all;
    }

    private Tally some() {
        var tally = new Tally();
        for (var seed = next.getAndIncrement(); seed < end; seed = next.getAndIncrement()) {
            var report = Simulation.run(seed);
            tally.add(report);
            if (Math.floorMod(Mix.of(seed), TWICE_IN) == 0) tally.again(report, Simulation.run(seed));
            done.incrementAndGet();
        }
        return tally;
    }

    /// What one thread saw.
    ///
    /// Thread ownership: the thread that runs the seeds, then the one that adds them up.
    private static final class Tally {
        private final Map<Sometimes, Long> reached = new EnumMap<>(Sometimes.class);
        private final Map<Summary.Kind, Summary.Done> kinds = new TreeMap<>();
        private final List<Simulation.Report> found = new ArrayList<>();
        private final List<Long> differing = new ArrayList<>();
        private long violations;
        private long steps;
        private long repeatedRows;
        private long rowsLostBySink;
        private long twice;
        private long wallNanos;

        void add(Simulation.Report report) {
            steps += report.steps();
            repeatedRows += report.repeatedRows();
            rowsLostBySink += report.rowsLostBySink();
            kinds.merge(
                    Summary.Kind.of(report.seed()),
                    new Summary.Done(1, report.steps(), report.violation() == null ? 0 : 1),
                    Summary.Done::plus);
            for (var state : report.reached().keySet()) reached.merge(state, 1L, Long::sum);
            if (report.violation() == null) return;
            violations++;
            if (found.size() < MOST_KEPT) found.add(report);
        }

        void again(Simulation.Report first, Simulation.Report second) {
            twice++;
            if (first.traceHash() != second.traceHash() || first.steps() != second.steps()) differing.add(first.seed());
        }

        void add(Tally other) {
            steps += other.steps;
            repeatedRows += other.repeatedRows;
            rowsLostBySink += other.rowsLostBySink;
            violations += other.violations;
            twice += other.twice;
            other.reached.forEach((state, seeds) -> reached.merge(state, seeds, Long::sum));
            other.kinds.forEach((kind, done) -> kinds.merge(kind, done, Summary.Done::plus));
            found.addAll(other.found);
            differing.addAll(other.differing);
        }

        Summary summary(long from, long count) {
            return new Summary(
                    from,
                    count,
                    steps,
                    violations,
                    found.stream()
                            .sorted(Comparator.comparingLong(Simulation.Report::seed))
                            .limit(MOST_KEPT)
                            .toList(),
                    reached,
                    kinds,
                    repeatedRows,
                    rowsLostBySink,
                    twice,
                    differing.stream().sorted().toList(),
                    wallNanos);
        }
    }
}
