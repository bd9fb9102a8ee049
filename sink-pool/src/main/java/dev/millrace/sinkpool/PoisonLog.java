package dev.millrace.sinkpool;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The log of poison rows: at most one line a second for each reason, with the number not told (POI-6).
///
/// Thread ownership: who made it.
public final class PoisonLog {
    private static final long BETWEEN_NANOS = 1_000_000_000L;

    private static final class Told {
        long atNanos;
        long since;
    }

    private final Map<String, Told> byReason = new HashMap<>();
    private final List<String> lines = new ArrayList<>();
    private long nowNanos;

    public void now(long nanos) {
        nowNanos = nanos;
    }

    public void poison(String where, String reason, String detail) {
        var told = byReason.get(reason);
        if (told != null && nowNanos - told.atNanos < BETWEEN_NANOS) {
            told.since++;
            return;
        }
        var more = told == null || told.since == 0
                ? ""
                : ", and " + told.since + " more for that reason since the last line";
        if (told == null) {
            told = new Told();
            byReason.put(reason, told);
        }
        told.atNanos = nowNanos;
        told.since = 0;
        lines.add(where + ": " + reason + " " + detail + more);
    }

    /// The lines since this was last asked.
    public List<String> take() {
        if (lines.isEmpty()) return List.of();
        var taken = List.copyOf(lines);
        lines.clear();
        return taken;
    }
}
