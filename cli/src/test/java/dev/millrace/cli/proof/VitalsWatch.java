package dev.millrace.cli.proof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Looks at the [Vital]s of a process again and again, as the system and its JVM tell them.
///
/// The JVM must run with `-XX:NativeMemoryTracking=summary`.
///
/// Thread ownership: the test's thread; it looks on one of its own.
final class VitalsWatch implements AutoCloseable {
    private static final long BETWEEN_MILLIS = 2_000;

    /// The heap at each so many looks: a full collection is work.
    private static final int LOOKS_PER_COLLECTION = 5;

    private static final Pattern DIRECT = Pattern.compile("-\\s+Other \\(reserved=\\d+KB, committed=(\\d+)KB\\).*");
    private static final double MIB = 1 << 20;
    private static final double KIB = 1 << 10;

    private final MillraceProcess process;
    private final Jcmd jcmd;
    private final double settled;
    private final long began = System.nanoTime();
    private final Map<Vital, List<Series.Sample>> samples = new EnumMap<>(Vital.class);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Thread thread = Thread.ofPlatform().daemon().name("vitals").unstarted(this::watch);
    private @Nullable HeapHistogram first;
    private @Nullable HeapHistogram last;
    private int looks;

    /// @param settled seconds after which the process is taken to be warm: what is looked at before does not count
    private VitalsWatch(MillraceProcess process, Path directory, double settled) {
        this.process = process;
        jcmd = new Jcmd(process.pid(), directory.resolve("jcmd"));
        this.settled = settled;
        for (var vital : Vital.values()) samples.put(vital, new ArrayList<>());
    }

    static VitalsWatch over(MillraceProcess process, Path directory, double settled) {
        var watch = new VitalsWatch(process, directory, settled);
        watch.thread.start();
        return watch;
    }

    private void watch() {
        try {
            do look();
            while (!stopped.await(BETWEEN_MILLIS, TimeUnit.MILLISECONDS));
        } catch (IOException | InterruptedException | RuntimeException | AssertionError cause) {
            failure.compareAndSet(null, cause);
        }
    }

    private void look() throws IOException, InterruptedException {
        var proc = Path.of("/proc", Long.toString(process.pid()));
        var status = Files.readAllLines(proc.resolve("status"));
        sample(Vital.THREADS, number(status, "Threads:"));
        sample(Vital.RESIDENT, number(status, "VmRSS:") / KIB);
        try (var handles = Files.list(proc.resolve("fd"))) {
            sample(Vital.HANDLES, (double) handles.count());
        }
        if (looks++ % LOOKS_PER_COLLECTION == 0) collect();
    }

    private static double number(List<String> status, String name) {
        return status.stream()
                .filter(line -> line.startsWith(name))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name + " in " + status));
    }

    private void collect() throws IOException, InterruptedException {
        var now = HeapHistogram.of(jcmd);
        if (first == null && seconds() >= settled) first = now;
        last = now;
        sample(Vital.LIVE_HEAP, now.bytes() / MIB);
        var virtual = now.of("java.lang.VirtualThread").instances()
                + now.of("java.lang.ThreadBuilders$BoundVirtualThread").instances();
        sample(Vital.VIRTUAL_THREADS, (double) virtual);
        sample(Vital.DIRECT_MEMORY, directKib(jcmd.ask("VM.native_memory", "summary", "scale=KB")));
    }

    /// Of all buffers outside of the heap: the JVM's own figure (`BufferPoolMXBean`) leaves out those that it makes
    /// for sockets by itself. A kind of which there is next to nothing has no line.
    private static double directKib(List<String> told) {
        if (told.stream().noneMatch(line -> line.startsWith("Total:")))
            throw new AssertionError("no account of native memory: " + told);
        return told.stream()
                .map(DIRECT::matcher)
                .filter(Matcher::matches)
                .mapToDouble(matcher -> Double.parseDouble(matcher.group(1)))
                .sum();
    }

    private double seconds() {
        return (System.nanoTime() - began) / 1e9;
    }

    private void sample(Vital vital, double value) {
        Objects.requireNonNull(samples.get(vital)).add(new Series.Sample(seconds(), value));
    }

    /// Fails if it could not look.
    void check() {
        var cause = failure.get();
        if (cause != null) throw new AssertionError("the watch over vitals\n" + process.evidence(), cause);
    }

    /// Ends, and returns what it saw of the warm process.
    Map<Vital, Series> end() throws InterruptedException {
        stopped.countDown();
        thread.join();
        check();
        var series = new EnumMap<Vital, Series>(Vital.class);
        samples.forEach((vital, all) -> series.put(vital, new Series(all).since(settled)));
        return series;
    }

    /// Which objects have become more, of a watch that has ended.
    String grown() {
        return first == null || last == null ? "no histograms" : last.grownSince(first);
    }

    @Override
    public void close() {
        stopped.countDown();
    }
}
