package dev.millrace.sinkpool;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One share of the budget: which of its slots and bytes are free, and who waits for slots, in the order of arrival.
///
/// Reads no clock, waits for nobody, takes no lock. `W` is what its caller knows a waiter by. A lane gets slots ahead
/// while there are plenty, so that most are taken without asking here; they are called in before anything is refused.
///
/// Invariant S1: a slot is free, in a lane, or taken. S2: while anybody waits, no lane has slots, and none are given
/// but to the first that waits. S3: who is refused for rows asked for more than the share had, lanes included.
///
/// Thread ownership: one caller at a time; others take from the lanes meanwhile.
final class Share<W> {
    private static final int MOST_ROWS_AHEAD = 4096;
    private static final int MOST_BYTES_AHEAD = 1 << 28;

    private record Waiting<W>(W who, long rows) {}

    private final long maxRows;
    private final long maxBytes;
    private final List<? extends Lane<?>> lanes;
    private final ArrayDeque<Waiting<W>> waiting = new ArrayDeque<>();
    private long waitingRows;
    private long freeRows;
    private long freeBytes;
    private boolean closed;

    Share(long maxRows, long maxBytes, List<? extends Lane<?>> lanes) {
        if (maxRows < 1 || maxBytes < 1)
            throw new IllegalArgumentException(
                    "a share of " + maxRows + " rows and " + maxBytes + " bytes admits nothing");
        this.maxRows = maxRows;
        this.maxBytes = maxBytes;
        this.lanes = List.copyOf(lanes);
        this.freeRows = maxRows;
        this.freeBytes = maxBytes;
    }

    /// Takes slots, and gives the caller's lane some ahead. Returns why not, or null.
    @Nullable
    Refusal take(Lane<?> lane, long rows) {
        callIn(lane);
        if (freeRows < rows || freeBytes <= 0 || closed) lanes.forEach(this::callIn);
        var refused = refusal(rows);
        if (refused != null) return refused;
        freeRows -= rows;
        giveAhead(lane);
        return null;
    }

    private @Nullable Refusal refusal(long rows) {
        var taken = maxRows - freeRows;
        if (closed) return new Refusal(Refusal.Limit.CLOSED, rows, taken, maxRows);
        if (rows > maxRows) return new Refusal(Refusal.Limit.ROWS, rows, taken, maxRows);
        if (!waiting.isEmpty()) return new Refusal(Refusal.Limit.WAITING, rows, taken + waitingRows, maxRows);
        // At or above the bound is full; below it an item passes whatever it weighs, or a large one never would.
        if (freeBytes <= 0) return new Refusal(Refusal.Limit.BYTES, rows, maxBytes - freeBytes, maxBytes);
        return freeRows < rows ? new Refusal(Refusal.Limit.ROWS, rows, taken, maxRows) : null;
    }

    private void callIn(Lane<?> lane) {
        var credit = lane.takeBack();
        freeRows += Lane.slots(credit);
        freeBytes += Lane.bytes(credit);
    }

    /// Less and less as the share fills, so that little has to be called in.
    private void giveAhead(Lane<?> lane) {
        var rows = (int) Math.min(MOST_ROWS_AHEAD, freeRows / (2L * lanes.size()));
        var bytes = (int) Math.min(MOST_BYTES_AHEAD, freeBytes / (2L * lanes.size()));
        if (rows < 1 || bytes < 1) return;
        freeRows -= rows;
        freeBytes -= bytes;
        lane.give(rows, bytes);
    }

    /// Takes bytes of an item that has its slot, past the bound if need be; the lane owes too much to do it.
    void charge(Lane<?> lane, long bytes) {
        freeBytes -= bytes;
        callIn(lane);
        if (freeBytes <= 0) lanes.forEach(this::callIn);
        else if (waiting.isEmpty() && !closed) giveAhead(lane);
    }

    /// Was refused, and waits for its turn; see [#served].
    void await(W who, long rows) {
        lanes.forEach(this::callIn);
        waiting.addLast(new Waiting<>(who, rows));
        waitingRows += rows;
    }

    /// Waits no longer. Returns what it waited for, or null if it no longer did: it was served, or told of the end.
    @Nullable
    Refusal leave(W who) {
        lanes.forEach(this::callIn);
        for (var one : waiting) {
            if (!one.who().equals(who)) continue;
            var refusal = keptFrom(one);
            waiting.remove(one);
            waitingRows -= one.rows();
            return refusal;
        }
        return null;
    }

    private Refusal keptFrom(Waiting<W> one) {
        var taken = maxRows - freeRows;
        if (freeBytes <= 0) return new Refusal(Refusal.Limit.BYTES, one.rows(), maxBytes - freeBytes, maxBytes);
        return one.equals(waiting.peekFirst())
                ? new Refusal(Refusal.Limit.ROWS, one.rows(), taken, maxRows)
                : new Refusal(Refusal.Limit.WAITING, one.rows(), taken + rowsBefore(one), maxRows);
    }

    private long rowsBefore(Waiting<W> one) {
        return waiting.stream()
                .takeWhile(other -> !other.who().equals(one.who()))
                .mapToLong(Waiting::rows)
                .sum();
    }

    boolean anyWaits() {
        return !waiting.isEmpty();
    }

    /// Slots and bytes come back.
    void release(long rows, long bytes) {
        freeRows += rows;
        freeBytes += bytes;
    }

    /// Those whose turn has come since this was last asked: they have their slots, and wait no longer. To be asked
    /// after each `release` and each `leave`.
    List<W> served() {
        if (waiting.isEmpty()) return List.of();
        lanes.forEach(this::callIn); // what items owe
        var out = new ArrayList<W>();
        for (var first = waiting.peekFirst(); first != null; first = waiting.peekFirst()) {
            if (freeBytes <= 0 || freeRows < first.rows()) break;
            freeRows -= first.rows();
            waitingRows -= first.rows();
            out.add(waiting.removeFirst().who());
        }
        return out;
    }

    /// Nothing is given any more. Returns those that wait, who get nothing.
    List<W> close() {
        closed = true;
        lanes.forEach(this::callIn);
        var out = waiting.stream().map(Waiting::who).toList();
        waiting.clear();
        waitingRows = 0;
        return out;
    }

    /// How it stands. Others may take from lanes meanwhile.
    ShareView view() {
        var rows = maxRows - freeRows;
        var bytes = maxBytes - freeBytes;
        for (var lane : lanes) {
            var ahead = lane.credit();
            rows -= Lane.slots(ahead);
            bytes -= Lane.bytes(ahead);
        }
        return new ShareView(rows, maxRows, bytes, maxBytes, waiting.size(), waitingRows);
    }
}
