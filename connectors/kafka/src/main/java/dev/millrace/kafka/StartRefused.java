package dev.millrace.kafka;

/// The source cannot start: one line for the person who started it, and the exit code.
public final class StartRefused extends Exception {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    StartRefused(int exitCode, String line) {
        super(line);
        this.exitCode = exitCode;
    }

    /// 2 where something has to be changed first, 5 where trying again may do.
    public int exitCode() {
        return exitCode;
    }
}
