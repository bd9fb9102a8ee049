package dev.millrace.testkit;

/// What happened in a run: a hash over all of it, and the last events in words.
///
/// Thread ownership: the run.
final class Trace {
    private static final int KEPT = 512;

    private record Event(long atNanos, String what, long a, long b) {
        String text() {
            return String.format("%14.6f ms  %s %d %d", atNanos / 1e6, what, a, b);
        }
    }

    private final Event[] ring = new Event[KEPT];
    private long count;
    private long hash = 17;

    void add(long atNanos, String what, long a, long b) {
        hash = Mix.of(hash ^ what.hashCode(), Mix.of(atNanos, a), b);
        ring[(int) (count++ % KEPT)] = new Event(atNanos, what, a, b);
    }

    long hash() {
        return hash;
    }

    /// The last events, the oldest first.
    String last() {
        var out = new StringBuilder();
        for (var i = Math.max(0, count - KEPT); i < count; i++)
            out.append(ring[(int) (i % KEPT)].text()).append('\n');
        return out.toString();
    }
}
