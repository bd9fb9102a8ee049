package dev.millrace.pipeline;

import java.util.Locale;

/// What became of a row that an advisory sink was to see: it has it, or why it has not.
public enum AdvisoryOutcome {
    WRITTEN,
    /// The one write of its batch failed, was refused or ended unknown.
    FAILED,
    /// Its budget or its shard was full.
    NO_ROOM,
    /// An acknowledged sink has not got the row: it was dead-lettered or skipped.
    NOT_ACCEPTED,
    /// The row's range failed or was taken away: it replays, and is seen again then.
    NOT_DONE,
    /// The sink's own encoder does not make a row of it.
    NOT_ENCODED,
    /// The sink had not been reached since the start.
    UNREACHED,
    /// The pipeline ended first.
    STOPPED;

    /// As metrics, status and report call it.
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
