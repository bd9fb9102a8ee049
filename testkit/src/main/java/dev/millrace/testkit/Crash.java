package dev.millrace.testkit;

/// The process dies here, between two effects.
final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1;

    Crash() {
        super("crash", null, false, false);
    }
}
