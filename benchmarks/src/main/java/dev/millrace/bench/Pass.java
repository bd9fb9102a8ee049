package dev.millrace.bench;

/// What one reading of the whole topic came to. `rows` and `sum` prove that it read all of it; times are from the first
/// poll that gave records to the last row read. `cpuNanos` is this process's, `brokerCpuNanos` the broker's.
record Pass(long rows, long sum, long wallNanos, long cpuNanos, long brokerCpuNanos) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double GIGA = 1e9;

    double rowsPerSecond() {
        return rows * NANOS_PER_SECOND / wallNanos;
    }

    double cpuSecondsPerGigabyte(long valueBytes) {
        return cpuNanos / NANOS_PER_SECOND / (valueBytes / GIGA);
    }

    double brokerCpuSecondsPerGigabyte(long valueBytes) {
        return brokerCpuNanos / NANOS_PER_SECOND / (valueBytes / GIGA);
    }
}
