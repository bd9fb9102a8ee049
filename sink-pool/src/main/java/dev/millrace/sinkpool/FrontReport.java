package dev.millrace.sinkpool;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// How a front ended, and what became of all that it was given.
///
/// Of the items lost, `inDoubt` were given up after a write of which nobody knows how it ended, and may be stored.
/// `unresolved` slots were reserved, and neither spent nor given back. `stillOut` items are with a worker that did not
/// end, or with the front's own thread.
public record FrontReport(
        long written,
        long skipped,
        Map<Loss, Long> lost,
        long inDoubt,
        long unresolved,
        long stillOut,
        List<Dead> dead) {
    public FrontReport {
        lost = Map.copyOf(lost);
        dead = List.copyOf(dead);
    }

    /// A worker that had died: a shard's, or the front's own thread. It held at least so many items.
    public record Dead(String worker, long carriedAtLeast) {}

    public long lost(Loss why) {
        return lost.getOrDefault(why, 0L);
    }

    public long lostInAll() {
        return lost.values().stream().mapToLong(Long::longValue).sum();
    }

    /// A worker died or did not end: more may be written or lost than is told here.
    public boolean lowerBound() {
        return !dead.isEmpty() || stillOut > 0;
    }

    @Override
    public String toString() {
        var losses = lost.entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> entry.getValue() + " " + entry.getKey().word())
                .collect(Collectors.joining(", "));
        var deaths = dead.stream()
                .map(one -> "; " + one.worker() + " had died with at least " + one.carriedAtLeast() + " items")
                .collect(Collectors.joining());
        return (lowerBound() ? "at least " : "")
                + written + " written, " + skipped + " skipped, lost: " + (losses.isEmpty() ? "none" : losses)
                + " (" + inDoubt + " of them may be stored); " + unresolved + " slots unresolved"
                + (stillOut > 0 ? "; " + stillOut + " items still out" : "")
                + deaths;
    }
}
