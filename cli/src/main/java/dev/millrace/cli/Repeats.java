package dev.millrace.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Holds repeats back: of one subject the first is told at once, and then, once in an interval, the last with how many
/// there were since.
///
/// Invariant: each that is offered is told, or counted in one that is told later. At most so many subjects are
/// known at a time; what is new beyond that is told at once.
///
/// Thread ownership: one caller at a time.
final class Repeats<T> {
    /// What is to be told now; `leftOut` were not told before it.
    record Told<T>(T what, int leftOut) {}

    private static final class Known<T> {
        private final long untilNanos;
        private @Nullable T last;
        private int held;

        private Known(long untilNanos) {
            this.untilNanos = untilNanos;
        }
    }

    private final long intervalNanos;
    private final int most;
    /// In the order of their ends.
    private final Map<String, Known<T>> known = new LinkedHashMap<>();

    Repeats(long intervalNanos, int most) {
        this.intervalNanos = intervalNanos;
        this.most = most;
    }

    /// What is to be told, in order: what is over by now, and this one unless it is held back.
    List<Told<T>> offer(String subject, T what, long nowNanos) {
        var told = new ArrayList<>(due(nowNanos));
        var of = known.get(subject);
        if (of != null) {
            of.last = what;
            of.held++;
            return told;
        }
        if (known.size() < most) known.put(subject, new Known<>(nowNanos + intervalNanos));
        told.add(new Told<>(what, 0));
        return told;
    }

    /// What was held back and is over by now; a subject that repeats goes on for another interval.
    List<Told<T>> due(long nowNanos) {
        var told = new ArrayList<Told<T>>();
        while (!known.isEmpty()) {
            var first = known.entrySet().iterator().next();
            if (first.getValue().untilNanos - nowNanos > 0) break;
            known.remove(first.getKey());
            var last = first.getValue().last;
            if (last == null) continue;
            told.add(new Told<>(last, first.getValue().held - 1));
            known.put(first.getKey(), new Known<>(nowNanos + intervalNanos));
        }
        return told;
    }

    /// All that was held back, at the end.
    List<Told<T>> rest() {
        var told = new ArrayList<Told<T>>();
        known.values().forEach(of -> {
            if (of.last != null) told.add(new Told<>(of.last, of.held - 1));
        });
        known.clear();
        return told;
    }
}
