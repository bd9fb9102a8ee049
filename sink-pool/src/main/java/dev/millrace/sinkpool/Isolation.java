package dev.millrace.sinkpool;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds the rows of one batch that its sink does not take, by writing parts of the batch: depth first,
/// the left part first, until what is refused is a single row (POI-1, POI-2).
///
/// A row that the sink names is tried last, alone, after the rows before it and the rows behind it
/// (POI-11). A name that turns out wrong is the last one believed. Where order is kept none is: rows go in
/// their own order, and no part is written while there is a suspect before it.
///
/// Invariant: the open parts, the suspects, what was set aside and what was taken are disjoint, and together all
/// rows.
///
/// Thread ownership: the shard machine that created it.
final class Isolation {
    /// The rows `[from, to)` of the batch.
    record Part(int from, int to) {
        int rows() {
            return to - from;
        }

        /// How many rows are of both.
        int shared(Part other) {
            return Math.max(0, Math.min(to, other.to) - Math.max(from, other.from));
        }
    }

    /// A row that was refused alone. `certain`: for a reason that needs no evidence. `early`: before the
    /// sink took any sibling, so perhaps only because it took nothing just then.
    record Suspect(int row, Failure failure, int attempts, boolean certain, boolean early) {}

    /// Why a row is poison that alone is too large, whatever number the sink has for that.
    private static final String TOO_LARGE = "too_large";

    private final int attemptsOfOne;
    private final ArrayDeque<Part> open = new ArrayDeque<>();
    private final List<Suspect> suspects = new ArrayList<>();
    private final BitSet named = new BitSet();
    private boolean believesNames;
    private boolean landed;
    private int refusals;
    private int tries;
    /// One suspect is tried again, for all of them.
    private boolean asks;

    private @Nullable Failure lastSetAside;

    /// `attemptsOfOne` is how often a single row is refused before it is a suspect (POI-16).
    Isolation(int rows, int attemptsOfOne, boolean inOrder) {
        this.attemptsOfOne = attemptsOfOne;
        this.believesNames = !inOrder;
        open.push(new Part(0, rows));
    }

    /// The part that is written next; null when there is none.
    @Nullable
    Part current() {
        return open.peek();
    }

    private Part take() {
        tries = 0;
        return open.pop();
    }

    /// The sink took the current part, which is returned.
    Part taken() {
        landed = true;
        var part = take();
        if (part.rows() == 1 && named.get(part.from())) believesNames = false;
        if (asks && !suspects.isEmpty()) again(true);
        asks = false;
        tryEarlyOnesAgain();
        return part;
    }

    /// The sink did not take the current part. `named` is the row of the part that it named, from
    /// 0; −1 for none.
    void refused(Failure failure, int rowNamed) {
        if (!landed) refusals++;
        var part = open.getFirst();
        if (part.rows() == 1) {
            if (++tries < attemptsOfOne) return;
            suspect(part, failure, false);
            return;
        }
        take();
        // What lies before a named row was not the reason: so said the name.
        if (named.get(part.to())) believesNames = false;
        var earlier = part.from() > 0 && named.get(part.from() - 1) ? new Part(part.from() - 1, part.from()) : null;
        if (believesNames && rowNamed >= 0 && rowNamed < part.rows()) aroundNamed(part, part.from() + rowNamed);
        else halves(part);
        // Before a second name is acted upon, the first is looked at.
        if (earlier != null && open.remove(earlier)) open.push(earlier);
    }

    /// The current part is too large for the sink. A single row that is, is so whatever becomes of
    /// others (POI-15).
    void tooLarge(Failure failure) {
        var part = open.getFirst();
        if (part.rows() == 1) suspect(part, new Failure(TOO_LARGE, failure.toString(), false), true);
        else halves(take());
    }

    private void suspect(Part part, Failure failure, boolean certain) {
        suspects.add(new Suspect(part.from(), failure, Math.max(1, tries), certain, !certain && !landed));
        asks = false;
        take();
        tryEarlyOnesAgain();
    }

    private void halves(Part part) {
        var middle = part.from() + part.rows() / 2;
        open.push(new Part(middle, part.to()));
        open.push(new Part(part.from(), middle));
    }

    private void aroundNamed(Part part, int row) {
        named.set(row);
        open.push(new Part(row, row + 1));
        if (row + 1 < part.to()) open.push(new Part(row + 1, part.to()));
        if (part.from() < row) open.push(new Part(part.from(), row));
    }

    /// Once a sibling was taken, what was refused before that is tried once more: a sink that took
    /// nothing for a while has said nothing of these rows.
    private void tryEarlyOnesAgain() {
        if (!open.isEmpty() || !landed) return;
        for (var at = suspects.size() - 1; at >= 0; at--) {
            var suspect = suspects.get(at);
            if (!suspect.early()) continue;
            suspects.remove(at);
            open.push(new Part(suspect.row(), suspect.row() + 1));
        }
    }

    /// Suspects that nobody judged are tried once more, since their cause may be mended: all of them, or
    /// one, each time another, and then all if the sink takes it.
    void again(boolean all) {
        if (suspects.isEmpty()) return;
        tries = 0;
        asks = !all;
        do {
            var row = (all ? suspects.removeLast() : suspects.removeFirst()).row();
            open.push(new Part(row, row + 1));
        } while (all && !suspects.isEmpty());
    }

    /// The suspects are poison, and no more to be written.
    void setAside() {
        if (!suspects.isEmpty()) lastSetAside = suspects.getLast().failure();
        suspects.clear();
    }

    /// Why the last row was set aside; null if none was.
    @Nullable
    Failure lastSetAside() {
        return lastSetAside;
    }

    /// No part is left to write.
    boolean done() {
        return open.isEmpty();
    }

    /// The sink took a part.
    boolean landed() {
        return landed;
    }

    /// How many parts were refused before the first was taken, the whole batch among them.
    int refusals() {
        return refusals;
    }

    List<Suspect> suspects() {
        return suspects;
    }

    /// Suspects, and the one that is asked again.
    int undecided() {
        return suspects.size() + (asks ? 1 : 0);
    }

    /// All suspects need no evidence.
    boolean allCertain() {
        return suspects.stream().allMatch(Suspect::certain);
    }
}
