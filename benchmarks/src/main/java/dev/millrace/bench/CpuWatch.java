package dev.millrace.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/// Processor time of some processes from one moment on.
///
/// Thread ownership: the bench's thread.
final class CpuWatch {
    private final Map<Long, Long> begunNanos = new LinkedHashMap<>();
    private final long wallNanos = System.nanoTime();

    private CpuWatch() {}

    static CpuWatch begin(long... pids) {
        var watch = new CpuWatch();
        Arrays.stream(pids).forEach(pid -> watch.begunNanos.put(pid, ProcessClock.nanos(pid)));
        return watch;
    }

    double wallSeconds() {
        return (System.nanoTime() - wallNanos) / 1e9;
    }

    double cpuSeconds(long pid) {
        return (ProcessClock.nanos(pid) - begunNanos.getOrDefault(pid, 0L)) / 1e9;
    }
}
