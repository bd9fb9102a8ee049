package dev.millrace.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/// Reads the clock and the processor time of this process and of the broker's, at the begin and at the end of a pass.
///
/// Thread ownership: the bench's thread.
final class Stopwatch {
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final ProcessHandle broker;
    private long wallNanos;
    private long cpuNanos;
    private long brokerNanos;
    private boolean begun;

    Stopwatch(long brokerPid) {
        this.broker = ProcessHandle.of(brokerPid)
                .orElseThrow(() -> new BenchFailure("the broker process " + brokerPid + " is not there"));
    }

    /// A collection first, so that no pass pays for the garbage of the one before.
    void reset() {
        System.gc();
        begun = false;
    }

    boolean begun() {
        return begun;
    }

    void begin() {
        begun = true;
        brokerNanos = brokerCpuNanos();
        cpuNanos = system.getProcessCpuTime();
        wallNanos = System.nanoTime();
    }

    Pass end(long rows, long sum) {
        if (!begun) throw new BenchFailure("nothing was read");
        var wall = System.nanoTime() - wallNanos;
        var cpu = system.getProcessCpuTime() - cpuNanos;
        return new Pass(rows, sum, wall, cpu, brokerCpuNanos() - brokerNanos);
    }

    private long brokerCpuNanos() {
        return broker.info()
                .totalCpuDuration()
                .orElseThrow(() -> new BenchFailure("the system does not tell the broker's processor time"))
                .toNanos();
    }

    double load() {
        return system.getSystemLoadAverage();
    }
}
