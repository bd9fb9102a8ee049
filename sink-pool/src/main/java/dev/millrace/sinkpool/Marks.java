package dev.millrace.sinkpool;

import java.util.TreeMap;

/// Which of the items that were taken in have not ended, told apart by marks that are set between them: everything
/// before a mark has ended when nothing before it is out.
///
/// Thread ownership: one caller at a time.
final class Marks {
    private final TreeMap<Long, Long> out = new TreeMap<>();
    private long current = 1;
    private boolean begun;
    private boolean ended;

    /// What is taken in now lies before this mark.
    long current() {
        return current;
    }

    /// The mark behind all that was handed over so far, taken in or not. One that is begun has no place for it.
    long asked() {
        if (ended) return current - 1;
        return begun ? current + 1 : current;
    }

    /// Whoever takes items in looks for them from now on, and then sets the current mark, which is returned: what is
    /// handed over meanwhile may lie behind it.
    long begin() {
        begun = true;
        return current;
    }

    void took(long items) {
        add(current, items);
    }

    /// They lay before this mark, and after the one before it.
    void ended(long mark, long items) {
        add(mark, -items);
    }

    private void add(long mark, long items) {
        out.merge(mark, items, (a, b) -> a + b == 0 ? null : Long.valueOf(a + b));
    }

    /// Sets the current mark, unless it is past this one: what is taken in from now on lies behind it.
    void set(long mark) {
        if (current != mark) return;
        current++;
        begun = false;
    }

    /// No mark is set any more, since nothing is taken in: each counts as set.
    void end() {
        if (!ended) current++;
        ended = true;
    }

    /// It is set, and all before it has ended.
    boolean reached(long mark) {
        return current > mark && (out.isEmpty() || out.firstKey() > mark);
    }

    long itemsOut() {
        return out.values().stream().mapToLong(Long::longValue).sum();
    }
}
