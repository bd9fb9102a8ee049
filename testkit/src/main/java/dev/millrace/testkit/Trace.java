package dev.millrace.testkit;

/// What happened in a run: a hash over all of it, and the last events in words.
///
/// Thread ownership: the run.
final class Trace {
    private static final int KEPT = 512;

    private final String[] whats = new String[KEPT];
    private final long[] numbers = new long[3 * KEPT];
    private long count;
    private long hash = 17;

    void add(long atNanos, String what, long a, long b) {
        hash = Mix.of(hash ^ what.hashCode(), Mix.of(atNanos, a), b);
        var at = (int) (count++ % KEPT);
        whats[at] = what;
        numbers[3 * at] = atNanos;
        numbers[3 * at + 1] = a;
        numbers[3 * at + 2] = b;
    }

    long hash() {
        return hash;
    }

    /// The last events, the oldest first.
    String last() {
        var out = new StringBuilder();
        for (var i = Math.max(0, count - KEPT); i < count; i++)
            out.append(text((int) (i % KEPT))).append('\n');
        return out.toString();
    }

    private String text(int at) {
        return String.format(
                "%14.6f ms  %s %d %d", numbers[3 * at] / 1e6, whats[at], numbers[3 * at + 1], numbers[3 * at + 2]);
    }
}
