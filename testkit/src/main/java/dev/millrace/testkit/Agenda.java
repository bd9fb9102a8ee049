package dev.millrace.testkit;

import java.util.PriorityQueue;

/// Virtual time, and what is to happen in it: in order of time, then of being asked for.
///
/// Time here is the true one. What a process is told of it, its own clock tells.
///
/// Thread ownership: the run.
final class Agenda {
    private record Entry(long atNanos, long sequence, Runnable what) implements Comparable<Entry> {
        @Override
        public int compareTo(Entry other) {
            return atNanos != other.atNanos
                    ? Long.compare(atNanos, other.atNanos)
                    : Long.compare(sequence, other.sequence);
        }
    }

    private final PriorityQueue<Entry> entries = new PriorityQueue<>();
    private long elapsedNanos;
    private long asked;
    private long steps;

    /// Since the run began.
    long elapsed() {
        return elapsedNanos;
    }

    long steps() {
        return steps;
    }

    void in(long delayNanos, Runnable what) {
        entries.add(new Entry(elapsedNanos + Math.max(0, delayNanos), asked++, what));
    }

    /// Does the next thing; false if there is none before `elapsedBound`.
    boolean step(long elapsedBound) {
        var head = entries.peek();
        if (head == null || head.atNanos > elapsedBound) return false;
        entries.remove();
        elapsedNanos = head.atNanos;
        steps++;
        head.what.run();
        return true;
    }
}
