package dev.millrace.testkit;

/// An oracle found the run in the wrong.
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String oracle;

    Violation(String oracle, String what) {
        super(oracle + ": " + what);
        this.oracle = oracle;
    }

    String oracle() {
        return oracle;
    }
}
