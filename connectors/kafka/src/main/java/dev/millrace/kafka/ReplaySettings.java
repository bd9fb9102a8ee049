package dev.millrace.kafka;

import java.util.function.Predicate;

/// What a replay is told.
///
/// `reads` says which topics the pipeline reads: nothing is sent to another, whatever a header says. A row that was
/// replayed `maxReplays` times is refused. `force` sends what is refused for having been replayed, or for being no
/// original. `rate` is rows a second, 0 for no bound. A `dryRun` sends nothing. `nowMillis` is the wall clock at its
/// start, in milliseconds.
public record ReplaySettings(
        DeadLetterWhere where,
        Predicate<String> reads,
        int maxReplays,
        boolean force,
        int rate,
        boolean dryRun,
        long nowMillis) {
    public ReplaySettings {
        if (maxReplays < 1) throw new IllegalArgumentException("--max-replays " + maxReplays + " < 1");
        if (rate < 0) throw new IllegalArgumentException("--rate " + rate + " < 0");
    }
}
