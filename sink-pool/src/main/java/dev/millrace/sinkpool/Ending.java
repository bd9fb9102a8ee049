package dev.millrace.sinkpool;

import dev.millrace.checkpoint.Resolution;

/// What became of a chunk's rows.
public enum Ending {
    /// The sink said that it has them.
    WRITTEN(Resolution.DONE),
    /// Given up, and known not to be stored by this run: they replay.
    ABANDONED(Resolution.FAILED),
    /// Given up after an attempt of which nobody knows how it ended: they replay, and may be stored twice.
    IN_DOUBT(Resolution.FAILED);

    private final Resolution resolution;

    Ending(Resolution resolution) {
        this.resolution = resolution;
    }

    public Resolution resolution() {
        return resolution;
    }
}
