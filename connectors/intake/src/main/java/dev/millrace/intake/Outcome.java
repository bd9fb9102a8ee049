package dev.millrace.intake;

import dev.millrace.sinkpool.Fate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// What becomes of the rows of one request: how many are out, and how the others ended.
///
/// Of rows that were rejected some are named, each with why.
///
/// Thread ownership: shared.
final class Outcome {
    private static final int NAMED = 100;

    /// A row that a sink refused for its data. `reason` is that sink's number, or a word of ours.
    record Rejected(int line, String sink, String reason) {}

    /// How they stood at one moment. `out` have not ended.
    record Tally(int rows, int out, Map<Fate, Integer> ended, List<Rejected> rejected) {
        Tally {
            ended = Map.copyOf(ended);
            rejected = List.copyOf(rejected);
        }

        int of(Fate fate) {
            return ended.getOrDefault(fate, 0);
        }

        /// Written, all of them, or left out on purpose.
        boolean done() {
            return of(Fate.WRITTEN) + of(Fate.LEFT_OUT) == rows;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition over = lock.newCondition();
    private final int rows;
    private final Map<String, ShardRooms> rooms;
    private final Map<Fate, Integer> ended = new EnumMap<>(Fate.class);
    private final Map<String, String> reasons = new TreeMap<>();
    private final List<Rejected> rejected = new ArrayList<>();
    private int out;
    private boolean noWait;

    /// Of so many rows, each once for each sink. `rooms`, by sink, are what they leave when they end.
    Outcome(int rows, Map<String, ShardRooms> rooms) {
        this.rows = rows;
        this.rooms = Map.copyOf(rooms);
        this.out = rows;
    }

    void refused(IntakeRow row, String reason) {
        lock.lock();
        try {
            if (reasons.size() < NAMED) reasons.put(key(row), reason);
        } finally {
            lock.unlock();
        }
    }

    void ended(IntakeRow row, Fate fate) {
        var left = rooms.get(row.sink());
        if (left != null) left.ended(row.shard(), row.length());
        lock.lock();
        try {
            ended.merge(fate, 1, Integer::sum);
            if (fate == Fate.REJECTED && rejected.size() < NAMED)
                rejected.add(new Rejected(row.line(), row.sink(), reasons.getOrDefault(key(row), "refused")));
            if (--out <= 0) over.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// The sink took nothing any more when it came.
    void tooLate(IntakeRow row) {
        ended(row, Fate.GIVEN_UP);
    }

    /// Whoever waits gets what there is.
    void endWait() {
        lock.lock();
        try {
            noWait = true;
            over.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static String key(IntakeRow row) {
        return row.line() + " " + row.sink();
    }

    /// Waits until all have ended, or so long. Returns how they stand then.
    Tally await(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            var left = nanos;
            while (out > 0 && left > 0 && !noWait) left = over.awaitNanos(left);
            return new Tally(rows, Math.max(0, out), ended, rejected);
        } finally {
            lock.unlock();
        }
    }
}
