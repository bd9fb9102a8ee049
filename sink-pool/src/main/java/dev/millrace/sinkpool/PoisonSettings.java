package dev.millrace.sinkpool;

/// When a refused row is poison, and what is done with it then. `maxRate` is the share of decided rows, above which
/// it is not rows that are wrong but the schema; `attempts` is how often a row is refused on its own account before it
/// is judged.
public record PoisonSettings(Action action, SingleRow singleRow, double maxRate, long evidenceNanos, int attempts) {
    /// What is done with a poison row.
    public enum Action {
        /// It ends when the dead-letter topic has acknowledged it.
        DEAD_LETTER,
        /// It is done, and counted.
        SKIP,
        /// The process ends, naming it; its range replays.
        STOP
    }

    /// What is done with a refused batch of one row, which has no sibling to judge by.
    public enum SingleRow {
        /// It is retried until the shard has accepted another batch.
        WAIT,
        /// It is poison at once.
        DEAD_LETTER
    }

    public PoisonSettings {
        if (!(maxRate >= 0 && maxRate <= 1))
            throw new IllegalArgumentException("poison.max_rate " + maxRate + " not in [0, 1]");
        if (evidenceNanos < 1) throw new IllegalArgumentException("poison.evidence " + evidenceNanos + " ns < 1");
        if (attempts < 1) throw new IllegalArgumentException("poison.attempts " + attempts + " < 1");
    }

    /// The defaults of the settings page, with this action.
    public static PoisonSettings of(Action action) {
        return new PoisonSettings(action, SingleRow.WAIT, 0.01, 600_000_000_000L, 1);
    }
}
