package dev.millrace.intake;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// What an intake has answered so far.
///
/// Thread ownership: shared.
public final class IntakeCounts {
    /// What a request may be refused by, for it to come again.
    public enum Limit {
        /// Too many are read at once.
        REQUESTS,
        /// A sink holds as many rows as it may.
        ROWS,
        /// A sink holds as many bytes as it may.
        BYTES,
        /// A sink's table can't take it as it is now.
        DESTINATION,
        /// The file of its token can't be read.
        TOKEN,
        /// A person paused it.
        PAUSED,
        /// It drains.
        DRAINING;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Map<Integer, LongAdder> answers = new ConcurrentHashMap<>();
    private final Map<Limit, LongAdder> refused = new ConcurrentHashMap<>();
    private final LongAdder received = new LongAdder();
    private final LongAdder admitted = new LongAdder();

    public IntakeCounts() {
        for (var limit : Limit.values()) refused.put(limit, new LongAdder());
    }

    void answered(int status) {
        answers.computeIfAbsent(status, _ -> new LongAdder()).increment();
        received.increment();
    }

    void refuse(Limit by) {
        refused.computeIfAbsent(by, _ -> new LongAdder()).increment();
    }

    void admit(long rows) {
        admitted.add(rows);
    }

    /// Requests that were answered, whatever they were told.
    public long requests() {
        return received.sum();
    }

    /// The same by the status of the answer.
    public Map<Integer, Long> byStatus() {
        var all = new TreeMap<Integer, Long>();
        answers.forEach((status, count) -> all.put(status, count.sum()));
        return all;
    }

    public long refused(Limit by) {
        return refused.getOrDefault(by, new LongAdder()).sum();
    }

    /// Rows that were taken in; each counts once, whatever sinks take it.
    public long admitted() {
        return admitted.sum();
    }
}
