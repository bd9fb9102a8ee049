package dev.millrace.json;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts the fields that `unknown_fields: ignore` left out, by their names.
///
/// Invariant: at most 100 names, of at most 64 characters; the rest is counted together.
///
/// Thread ownership: shared.
public final class IgnoredFields {
    public static final String OTHERS = "(others)";
    private static final int MOST_NAMES = 100;
    private static final int LONGEST_NAME = 64;

    private final ConcurrentHashMap<String, LongAdder> byName = new ConcurrentHashMap<>();
    private final LongAdder others = new LongAdder();

    public void count(String name) {
        var known = byName.get(name);
        if (known == null) known = name.length() > LONGEST_NAME ? others : admitted(name);
        known.increment();
    }

    private synchronized LongAdder admitted(String name) {
        return byName.size() < MOST_NAMES ? byName.computeIfAbsent(name, _ -> new LongAdder()) : others;
    }

    /// How often each was left out so far.
    public Map<String, Long> counts() {
        var counts = new TreeMap<String, Long>();
        byName.forEach((name, count) -> counts.put(name, count.sum()));
        if (others.sum() > 0) counts.merge(OTHERS, others.sum(), Long::sum);
        return counts;
    }
}
