package dev.millrace.bench;

/// A bench that did not measure what it says: arms that read different rows, a topic that is not what was produced, a
/// pipeline that left something.
final class BenchFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BenchFailure(String message) {
        super(message);
    }
}
