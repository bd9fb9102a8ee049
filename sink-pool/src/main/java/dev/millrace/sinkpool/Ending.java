package dev.millrace.sinkpool;

import dev.millrace.checkpoint.Resolution;

/// What became of a row.
public enum Ending {
    /// The sink said that it has it.
    WRITTEN(Resolution.DONE),
    /// Set aside as poison, and the dead-letter topic has acknowledged it.
    DEAD_LETTERED(Resolution.DONE),
    /// Set aside as poison and counted, as the policy says.
    SKIPPED(Resolution.DONE),
    /// Given up, and known not to be stored by this run: it replays.
    ABANDONED(Resolution.FAILED),
    /// Given up after an attempt of which nobody knows how it ended: it replays, and may be stored twice.
    IN_DOUBT(Resolution.FAILED);

    private final Resolution resolution;

    Ending(Resolution resolution) {
        this.resolution = resolution;
    }

    public Resolution resolution() {
        return resolution;
    }
}
