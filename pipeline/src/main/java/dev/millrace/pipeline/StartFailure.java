package dev.millrace.pipeline;

/// Why a pipeline did not start: one line that names the place and the remedy, and the exit code.
public final class StartFailure extends Exception {
    private static final long serialVersionUID = 1;

    private final ExitCode exitCode;

    public StartFailure(ExitCode exitCode, String line) {
        super(line);
        this.exitCode = exitCode;
    }

    public ExitCode exitCode() {
        return exitCode;
    }
}
