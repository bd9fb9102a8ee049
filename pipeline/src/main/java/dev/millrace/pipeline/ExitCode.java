package dev.millrace.pipeline;

/// How a process ends.
///
/// Where several apply, the one that is declared first here wins (DRN-8); a second signal, which ends with 128
/// + its number, wins over all.
public enum ExitCode {
    /// The file, a topic, a table, a right, a port or the report's path is wrong: nothing was started.
    BAD_CONFIGURATION(2),
    /// A fault while running, or no broker in time.
    FATAL(5),
    /// A worker could not be stopped, or its state is unknown.
    UNKNOWN_STATE(4),
    /// Something that was taken is left undone: it replays at the next start.
    LEFT_UNDONE(3),
    /// Nothing that was taken is left undone.
    DRAINED(0);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /// The one of two that wins.
    public ExitCode or(ExitCode other) {
        return compareTo(other) <= 0 ? this : other;
    }
}
